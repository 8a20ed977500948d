#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <executorch/backends/xnnpack/serialization/schema_generated.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// Bytes that the blob or the program's named data hold.
struct Bytes {
  const void* data = nullptr;
  size_t size = 0;
  /// Their name in the named data; null for what is in the blob. Lives as long as the blob.
  const char* key = nullptr;
};

/// A delegate's blob, checked to be a well-formed flatbuffer. The bytes have to outlive it.
class Blob {
 public:
  /// @retval Error::DelegateInvalidCompatibility Damaged, or of an unknown version; the log says
  /// why.
  static runtime::Result<Blob> parse(const void* data, size_t size);

  const fb_xnnpack::XNNGraph& graph() const { return *graph_; }

  /// Constant number `index`, out of the blob or out of `named`, at an address that is a multiple
  /// of `alignment` and with a margin (`has_margin`): elsewhere it is copied. What comes from
  /// `named`, and copies, are kept alive in `held`, whose owner has to outlive the use.
  runtime::Result<Bytes> constant(uint32_t index, size_t alignment,
                                  const runtime::NamedDataMap* named,
                                  std::vector<runtime::FreeableBuffer>& held) const;

 private:
  runtime::Result<Bytes> stored_constant(uint32_t index, const runtime::NamedDataMap* named,
                                         std::vector<runtime::FreeableBuffer>& held) const;

  /// The flatbuffer, if the file has it where its numbers would not be aligned.
  std::vector<uint64_t> copy_;
  const fb_xnnpack::XNNGraph* graph_ = nullptr;
  runtime::Span<const uint8_t> constants_;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
