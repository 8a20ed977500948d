#include <cmath>
#include <cstring>

#include <executorch/extension/llm/custom_ops/op_fast_hadamard_transform.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

using util::Compute;

constexpr size_t kOddOrder = 28;

/// The matrix of order 28 that models were rotated with: a row a number, its first entry the
/// highest bit; set is -1.
constexpr uint32_t kSigns[kOddOrder] = {
    133720396, 201069734, 233712147, 250025289, 258181860, 262268210, 265343641,
    63953362,  33025193,  150730324, 209574698, 238996885, 253716170, 127906597,
    95625118,  180989839, 90503111,  179469283, 223952369, 111984376, 189169468,
    107704511, 188069983, 227204207, 114642551, 58361723,  162350077, 215392766};

/// Columns that are transformed at a time.
constexpr size_t kColumns = 32;

/// In place; n is a power of two.
template <typename C>
void transform_power(C* x, size_t n) {
  for (size_t half = 1; half < n; half *= 2) {
    for (size_t i = 0; i < n; i += 2 * half) {
      for (size_t j = i; j < i + half; ++j) {
        const C low = x[j];
        const C high = x[j + half];
        x[j] = low + high;
        x[j + half] = low - high;
      }
    }
  }
  const C factor = C(1) / std::sqrt(static_cast<C>(n));
  for (size_t i = 0; i < n; ++i) {
    x[i] *= factor;
  }
}

/// In place, each column of the 28 x n matrix.
template <typename C>
void transform_odd(C* x, size_t n) {
  C given[kOddOrder][kColumns];
  for (size_t first = 0; first < n; first += kColumns) {
    const size_t columns = n - first < kColumns ? n - first : kColumns;
    for (size_t i = 0; i < kOddOrder; ++i) {
      std::memcpy(given[i], x + i * n + first, columns * sizeof(C));
    }
    for (size_t j = 0; j < kOddOrder; ++j) {
      C sum[kColumns] = {};
      for (size_t i = 0; i < kOddOrder; ++i) {
        const C sign = (kSigns[i] >> (kOddOrder - 1 - j) & 1u) != 0 ? C(-1) : C(1);
        for (size_t p = 0; p < columns; ++p) {
          sum[p] += sign * given[i][p];
        }
      }
      std::memcpy(x + j * n + first, sum, columns * sizeof(C));
    }
  }
}

template <typename C>
void transform_line(C* x, size_t odd, size_t power) {
  for (size_t i = 0; i < odd; ++i) {
    transform_power(x + i * power, power);
  }
  if (odd == kOddOrder) {
    transform_odd(x, power);
  }
}

/// Lines of floats or doubles, in the output's memory.
template <typename C>
void transform_lines(const Tensor& mat, size_t size, size_t odd, Tensor& out) {
  constexpr size_t kGrain = 16384;
  const C* const from = static_cast<const C*>(mat.const_data_ptr());
  C* const to = static_cast<C*>(out.mutable_data_ptr());
  const size_t lines = static_cast<size_t>(mat.numel()) / size;
  util::parallel_for(lines, 1 + kGrain / size, [&](size_t begin, size_t end) {
    for (size_t line = begin; line < end; ++line) {
      std::memcpy(to + line * size, from + line * size, size * sizeof(C));
      transform_line(to + line * size, odd, size / odd);
    }
  });
}

/// Lines of other elements, by way of floats.
void convert_lines(KernelRuntimeContext& ctx, const Tensor& mat, size_t size, size_t odd,
                   Tensor& out) {
  constexpr size_t kShort = 1024;
  float short_line[kShort];
  float* buffer = short_line;
  if (size > kShort) {
    const auto allocated = ctx.allocate_temp(size * sizeof(float), alignof(float));
    ET_KERNEL_CHECK_MSG(ctx, allocated.ok(), MemoryAllocationFailed, ,
                        "lines of %zu elements need temporary memory: give the method an allocator",
                        size);
    buffer = static_cast<float*>(*allocated);
  }
  const size_t element_size = mat.element_size();
  const char* from = static_cast<const char*>(mat.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  const size_t lines = static_cast<size_t>(mat.numel()) / size;
  for (size_t line = 0; line < lines; ++line) {
    const size_t at = line * size * element_size;
    util::load(Compute::kFloat, mat.scalar_type(), from + at, 1, size, buffer);
    transform_line(buffer, odd, size / odd);
    util::store(Compute::kFloat, mat.scalar_type(), buffer, size, to + at);
  }
}

}  // namespace

Tensor& fast_hadamard_transform_out(KernelRuntimeContext& ctx, const Tensor& mat, Tensor& out) {
  const size_t size = mat.dim() > 0 ? static_cast<size_t>(mat.size(mat.dim() - 1)) : 0;
  const size_t odd = size > 0 && size % kOddOrder == 0 ? kOddOrder : 1;
  const size_t power = size / odd;
  ET_KERNEL_CHECK_MSG(ctx, power > 0 && (power & (power - 1)) == 0, InvalidArgument, out,
                      "the last dimension must be a power of two, or 28 times one; it is %zu",
                      size);
  if (!util::require_floating(ctx, mat) || !util::require_same_dtype(ctx, mat, out) ||
      !util::resize_like(ctx, mat, out) ||
      !util::require(ctx, util::is_contiguous(mat) && util::is_contiguous(out),
                     "the matrices must be contiguous")) {
    return out;
  }
  if (mat.scalar_type() == ScalarType::Double) {
    transform_lines<double>(mat, size, odd, out);
  } else if (mat.scalar_type() == ScalarType::Float) {
    transform_lines<float>(mat, size, odd, out);
  } else {
    convert_lines(ctx, mat, size, odd, out);
  }
  return out;
}

}  // namespace torch::executor::native
