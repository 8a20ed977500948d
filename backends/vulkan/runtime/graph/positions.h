#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <executorch/backends/vulkan/runtime/graph/device.h>
#include <executorch/backends/vulkan/runtime/graph/graph.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace vulkan {

/// Integers that come with each run: inputs, and items of inputs that the host reads first, such as
/// the position of a token. Shaders that read them from memory need not be recorded anew; where one
/// became a size, everything is.
class Positions {
 public:
  explicit Positions(Device& device) : device_(device) {}

  /// Finds them in a graph.
  ///
  /// @retval Error::DelegateInvalidCompatibility What is read is no input of integers.
  runtime::Error find(const Graph& graph);

  /// Nothing is recorded yet.
  void begin();

  /// Takes over what the inputs say, whose sizes are known.
  ///
  /// @param is_changed Set where something that was recorded is another now.
  runtime::Error take(Graph& graph, runtime::Span<runtime::EValue*> args, bool& is_changed);

  /// Looks whether all are as what is recorded can have them, and writes them where shaders read.
  runtime::Error write(const Graph& graph);

  /// A value was recorded as it is.
  void fix(uint32_t value) { kinds_[value].is_fixed = true; }

  /// Where shaders read a value that may not be greater than `most`; null if it has to be recorded.
  Buffer* live(uint32_t value, int64_t most);

 private:
  struct Kind {
    bool is_given = false;
    bool is_fixed = false;
    int64_t most = INT64_MAX;
  };
  struct Item {
    uint32_t value;
    size_t input;
    int64_t index;
  };

  Device& device_;
  std::vector<Kind> kinds_;
  std::vector<Item> items_;
  std::map<uint32_t, std::unique_ptr<Buffer>> buffers_;
};

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
