#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_meta.h>

namespace executorch {
namespace extension {

/// Owns the memory behind prepared inputs; releases it when it goes out of scope.
class BufferCleanup final {
 public:
  /// Takes over `buffers`, an array from malloc() of pointers from malloc().
  explicit BufferCleanup(runtime::Span<void*> buffers) : buffers_(buffers) {}

  BufferCleanup(BufferCleanup&& other) noexcept : buffers_(other.buffers_) {
    other.buffers_ = runtime::Span<void*>();
  }
  BufferCleanup(const BufferCleanup&) = delete;
  BufferCleanup& operator=(const BufferCleanup&) = delete;
  BufferCleanup& operator=(BufferCleanup&&) = delete;

  ~BufferCleanup() {
    for (void* buffer : buffers_) {
      std::free(buffer);
    }
    std::free(buffers_.data());
  }

 private:
  runtime::Span<void*> buffers_;
};

/// Limits on what prepare_input_tensors() allocates: the sizes come out of a program, which may be
/// wrong.
struct PrepareInputTensorsOptions {
  /// Bytes for all inputs together.
  size_t max_total_allocation_size = size_t{1024} * 1024 * 1024;
  /// Number of inputs.
  size_t max_inputs = 1024;
};

/// Gives every tensor input of `method` memory of its own, full of ones, or, where `input_buffers`
/// has an entry for it, a copy of the caller's raw bytes in the input's dtype and dim order.
///
/// `input_buffers` counts tensor inputs only, in their order; when it is not empty it has to cover
/// all of them. Inputs of other kinds are left as they are.
///
/// @returns What to keep alive as long as the method runs with these inputs. InvalidArgument when
/// sizes
///     or counts do not fit, InvalidProgram when the program asks for more than `options` allow,
///     MemoryAllocationFailed, or what Method::set_input() says.
runtime::Result<BufferCleanup> prepare_input_tensors(
    runtime::Method& method, PrepareInputTensorsOptions options = {},
    const std::vector<std::pair<char*, size_t>>& input_buffers = {});

namespace internal {

/// Sets input `input_index` to a tensor over `data`, which has `tensor_meta.nbytes()` bytes in the
/// input's dtype and dim order.
runtime::Error set_input_data(runtime::Method& method, const runtime::TensorInfo& tensor_meta,
                              size_t input_index, void* data);

/// The same with other sizes than `tensor_meta`'s, which are an input's largest, but as many:
/// `data` has the bytes of these. InvalidArgument if there are not as many.
runtime::Error set_input_data(runtime::Method& method, const runtime::TensorInfo& tensor_meta,
                              size_t input_index, void* data, runtime::Span<const int32_t> sizes);

/// Fills `data` with `tensor_meta.nbytes()` bytes of ones. InvalidArgument for a dtype without a
/// one.
runtime::Error fill_with_ones(const runtime::TensorInfo& tensor_meta, void* data);

}  // namespace internal
}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::BufferCleanup;
using ::executorch::extension::prepare_input_tensors;
using ::executorch::extension::PrepareInputTensorsOptions;
inline ::executorch::runtime::Result<BufferCleanup> PrepareInputTensors(
    ::executorch::runtime::Method& method) {
  return prepare_input_tensors(method);
}
}  // namespace util
}  // namespace executor
}  // namespace torch
