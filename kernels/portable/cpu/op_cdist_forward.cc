#include <executorch/kernels/portable/cpu/internal/distance.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// The output's shape: the batch dimensions broadcast, then the rows of both.
bool make_shape(KernelRuntimeContext& ctx, const Tensor& x1, const Tensor& x2, util::Shape& shape) {
  const ssize_t rank = x1.dim() > x2.dim() ? x1.dim() : x2.dim();
  for (ssize_t d = 0; d + 2 < rank; ++d) {
    const ssize_t d1 = d - (rank - x1.dim());
    const ssize_t d2 = d - (rank - x2.dim());
    const ssize_t size1 = d1 < 0 ? 1 : x1.size(d1);
    const ssize_t size2 = d2 < 0 ? 1 : x2.size(d2);
    if (!util::require(ctx, size1 == size2 || size1 == 1 || size2 == 1,
                       "the batch dimensions do not broadcast")) {
      return false;
    }
    shape.push(size1 == 1 ? size2 : size1);
  }
  shape.push(x1.size(x1.dim() - 2));
  shape.push(x2.size(x2.dim() - 2));
  return true;
}

/// The batch dimensions of `t`, expanded to those of `batch`; its data are matrices.
util::View batches(const Tensor& t, const util::View& batch) {
  util::View view(t);
  view.rank -= 2;
  return view.expand(batch);
}

}  // namespace

Tensor& _cdist_forward_out(KernelRuntimeContext& ctx, const Tensor& x1, const Tensor& x2, double p,
                           optional<int64_t> compute_mode, Tensor& out) {
  (void)compute_mode;  // chooses between ways to the same result
  util::Shape shape;
  if (!util::require_floating(ctx, x1) || !util::require_same_dtype(ctx, x1, x2) ||
      !util::require_same_dtype(ctx, x1, out) ||
      !util::require(ctx,
                     x1.dim() >= 2 && x2.dim() >= 2 &&
                         x1.size(x1.dim() - 1) == x2.size(x2.dim() - 1) &&
                         util::is_contiguous(x1) && util::is_contiguous(x2),
                     "cdist needs contiguous matrices with rows of one size") ||
      !util::require(ctx, p >= 0, "p must not be negative") || !make_shape(ctx, x1, x2, shape) ||
      !util::resize(ctx, shape, out) ||
      !util::require(ctx, util::is_contiguous(out), "cdist needs a contiguous output") ||
      out.numel() == 0) {
    return out;
  }
  util::View batch(out);
  batch.rank -= 2;
  util::Lines<2> lines(batch);
  lines.set(0, batches(x1, batch));
  lines.set(1, batches(x2, batch));
  const ptrdiff_t size = static_cast<ptrdiff_t>(out.element_size());
  const size_t rows1 = static_cast<size_t>(x1.size(x1.dim() - 2));
  const size_t rows2 = static_cast<size_t>(x2.size(x2.dim() - 2));
  const size_t m = static_cast<size_t>(x1.size(x1.dim() - 1));
  const size_t row_bytes = m * static_cast<size_t>(size);
  char* target = static_cast<char*>(out.mutable_data_ptr());
  do {
    for (size_t l = 0; l < lines.length(); ++l) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(l);
      const char* a = static_cast<const char*>(x1.const_data_ptr()) +
                      (lines.offset(0) + at * lines.step(0)) * size;
      const char* b = static_cast<const char*>(x2.const_data_ptr()) +
                      (lines.offset(1) + at * lines.step(1)) * size;
      for (size_t i = 0; i < rows1; ++i) {
        for (size_t j = 0; j < rows2; ++j) {
          const double d =
              util::distance(x1.scalar_type(), a + i * row_bytes, b + j * row_bytes, m, p);
          util::store(util::Compute::kDouble, out.scalar_type(), &d, 1, target);
          target += size;
        }
      }
    }
  } while (lines.next());
  return out;
}

}  // namespace torch::executor::native
