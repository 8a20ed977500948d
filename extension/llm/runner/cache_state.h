#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// A copy of what a method keeps from call to call: the buffers of the model that it changes, such
/// as caches of keys and values.
class CacheState {
 public:
  /// One of the buffers.
  struct Buffer {
    std::string name;
    executorch::aten::ScalarType dtype;
    std::vector<int32_t> sizes;
    std::vector<uint8_t> bytes;
  };

  CacheState() = default;
  explicit CacheState(std::vector<Buffer> buffers) : buffers_(std::move(buffers)) {}

  /// Copies the buffers of a method, which is loaded if needed.
  ///
  /// @returns NotSupported when the program does not name them, which is what it takes to find
  ///     them; what the module says.
  static runtime::Result<CacheState> capture(Module& module, const std::string& method = "forward");

  /// Puts the copies back.
  ///
  /// @returns InvalidArgument, before anything is changed, when the method has other buffers: other
  ///     names, dtypes or sizes.
  [[nodiscard]] runtime::Error apply(Module& module, const std::string& method = "forward") const;

  const std::vector<Buffer>& buffers() const { return buffers_; }

 private:
  std::vector<Buffer> buffers_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
