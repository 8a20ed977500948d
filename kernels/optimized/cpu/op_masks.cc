#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/optimized/cpu/masks.h>
#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/optimized/cpu/true_elements.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Elements of contiguous tensors that a mask selects, and the places of those that are not zero.

namespace torch::executor::native {
namespace {

using optimized::Element;
using optimized::kTruths;
using optimized::simd;

/// Truth values of a tensor, some at a time.
struct Truths {
  const char* data;
  size_t size;                     // of an element
  optimized::ConvertLoop convert;  // null for truth values

  explicit Truths(const Tensor& t)
      : data(static_cast<const char*>(t.const_data_ptr())),
        size(static_cast<size_t>(t.element_size())),
        convert(simd->elementwise.convert[static_cast<size_t>(
            optimized::element_of(t.scalar_type()))][static_cast<size_t>(Element::kBool)]) {}

  const uint8_t* read(size_t first, size_t n, uint8_t* buffer) const {
    const char* from = data + first * size;
    if (convert == nullptr) {
      return reinterpret_cast<const uint8_t*>(from);
    }
    convert(from, n, buffer);
    return buffer;
  }
};

bool run_nonzero(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (rank == 0 || in.numel() == 0 || !util::is_contiguous(in) ||
      out.scalar_type() != ScalarType::Long ||
      optimized::element_of(in.scalar_type()) == Element::kCount) {
    return false;
  }
  const Truths truths(in);
  const size_t total = static_cast<size_t>(in.numel());
  uint8_t buffer[kTruths];
  int64_t sizes[2] = {0, static_cast<int64_t>(rank)};
  for (size_t first = 0; first < total; first += kTruths) {
    const size_t n = total - first < kTruths ? total - first : kTruths;
    sizes[0] += static_cast<int64_t>(optimized::count_true(truths.read(first, n, buffer), n));
  }
  if (!util::resize(ctx, IntArrayRef(sizes, 2), out)) {
    return true;
  }
  // Columns may be contiguous, as eager's are.
  const ptrdiff_t row = out.strides()[0];
  const ptrdiff_t column = out.strides()[1];
  const size_t length = static_cast<size_t>(in.size(static_cast<ssize_t>(rank - 1)));
  int64_t* to = static_cast<int64_t*>(out.mutable_data_ptr());
  int64_t index[util::kMaxRank] = {};
  for (size_t line = 0; line < total; line += length) {
    for (size_t first = 0; first < length; first += kTruths) {
      const size_t n = length - first < kTruths ? length - first : kTruths;
      const uint8_t* truth = truths.read(line + first, n, buffer);
      const size_t found = optimized::count_true(truth, n);
      int64_t* last = to + static_cast<ptrdiff_t>(rank - 1) * column;
      optimized::for_each_true(truth, found, [=](size_t k, size_t i) {
        last[static_cast<ptrdiff_t>(k) * row] = static_cast<int64_t>(first + i);
      });
      for (size_t d = 0; d + 1 < rank; ++d) {
        int64_t* places = to + static_cast<ptrdiff_t>(d) * column;
        for (size_t k = 0; k < found; ++k) {
          places[static_cast<ptrdiff_t>(k) * row] = index[d];
        }
      }
      to += static_cast<ptrdiff_t>(found) * row;
    }
    for (size_t d = rank - 1; d-- > 0 && ++index[d] == in.size(static_cast<ssize_t>(d));) {
      index[d] = 0;
    }
  }
  return true;
}

}  // namespace

Tensor& opt_masked_select_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mask,
                              Tensor& out) {
  return optimized::run_masked_select(ctx, in, mask, out) ? out
                                                          : masked_select_out(ctx, in, mask, out);
}

Tensor& opt_nonzero_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return run_nonzero(ctx, in, out) ? out : nonzero_out(ctx, in, out);
}

}  // namespace torch::executor::native
