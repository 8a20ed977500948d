/**
 * @file
 * What the kernels check, and where they find memory to work in.
 */
#pragma once

#include <executorch/backends/cortex_m/kernels/products.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace cortex_m::native {

using executorch::aten::ArrayRef;
using executorch::aten::IntArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using torch::executor::native::util::is_contiguous;
using torch::executor::native::util::require;
using torch::executor::native::util::resize;
using torch::executor::native::util::resize_like;
using torch::executor::native::util::same_layout;
using torch::executor::native::util::same_shape;
using torch::executor::native::util::Shape;
template <typename T>
using optional = std::optional<T>;

/// A batch of images, channels last in memory.
struct Images {
  int32_t batch = 0;
  int32_t height = 0;
  int32_t width = 0;
  int32_t channels = 0;
  const int8_t* data = nullptr;  // of int16 as bytes
};

/// How an operator writes the sizes of images.
enum class Layout : uint8_t {
  kChannelsLast,  // [n, c, h, w] in the memory format channels_last
  kNhwc,          // [n, h, w, c], contiguous
};

/// Checks type, rank and order in memory. @returns false after failing the kernel.
bool read_images(KernelRuntimeContext& ctx, const Tensor& tensor, Layout layout, Images& images,
                 ScalarType type = ScalarType::Char);

/// Gives `out` its sizes and checks its order. @returns false after failing the kernel.
bool write_images(KernelRuntimeContext& ctx, const Images& like, Layout layout, Tensor& out,
                  int8_t*& data, ScalarType type = ScalarType::Char);

/// Requires int8.
bool require_int8(KernelRuntimeContext& ctx, const Tensor& tensor);

/// The type of tensors of T, which is int8_t or int16_t.
template <typename T>
constexpr ScalarType kType = sizeof(T) == 1 ? ScalarType::Char : ScalarType::Short;

/// The largest integer of Char or Short.
constexpr int64_t most_of(ScalarType type) {
  return type == ScalarType::Short ? INT16_MAX : INT8_MAX;
}

/// Calls `work` with a null pointer to what kernels calculate on: int16 if `tensor` is that, else
/// int8.
template <typename Work>
void for_type(const Tensor& tensor, const Work& work) {
  if (tensor.scalar_type() == ScalarType::Short) {
    work(static_cast<int16_t*>(nullptr));
  } else {
    work(static_cast<int8_t*>(nullptr));
  }
}

/// Requires integers of T.
template <typename T>
bool require_integers(KernelRuntimeContext& ctx, const Tensor& tensor) {
  return require(ctx, tensor.scalar_type() == kType<T>,
                 "the tensors must be all Char, or all Short");
}

/// Two numbers, or one for both. @returns false after failing the kernel.
bool read_pair(KernelRuntimeContext& ctx, IntArrayRef list, int32_t least, int32_t (&pair)[2]);

/// Requires that arithmetic in 32 bits holds: the offset of int8, bounds within int8; of Short, no
/// offset, bounds within int16.
bool read_output(KernelRuntimeContext& ctx, int64_t offset, int64_t min, int64_t max,
                 Output& output, ScalarType type = ScalarType::Char);

/// Requires a multiplier and a shift that `requantize` takes.
bool read_factor(KernelRuntimeContext& ctx, int64_t multiplier, int64_t shift, Factor& factor);

/// Requires one of each channel, int32.
bool read_factors(KernelRuntimeContext& ctx, const Tensor& multipliers, const Tensor& shifts,
                  size_t channels, Factors& factors);

/// Requires what `finish_wide` takes, for outputs of int16.
bool require_wide(KernelRuntimeContext& ctx, const Factors& factors, size_t channels);

/// Requires int32, one for each channel; null if there is no bias.
bool read_bias(KernelRuntimeContext& ctx, const optional<Tensor>& bias, size_t channels,
               const int32_t*& values);

/// Requires a zero point of int8, or its negation; of Short, none.
bool require_offset(KernelRuntimeContext& ctx, int64_t offset, ScalarType type = ScalarType::Char);

/**
 * Memory to work in, aligned to eight bytes: the planned tensor, or the context's if that is too
 * small.
 * @returns null after failing the kernel.
 */
uint8_t* scratch_memory(KernelRuntimeContext& ctx, const Tensor* planned, size_t bytes);

/// Parts of one piece of memory, one after the other, each aligned to eight bytes.
class Scratch {
 public:
  explicit Scratch(uint8_t* memory) : next_(memory) {}

  template <typename T>
  T* take(size_t count) {
    T* const part = reinterpret_cast<T*>(next_);
    next_ += bytes(count * sizeof(T));
    return part;
  }

  static constexpr size_t bytes(size_t size) { return (size + 7) / 8 * 8; }

 private:
  uint8_t* next_;
};

}  // namespace cortex_m::native
