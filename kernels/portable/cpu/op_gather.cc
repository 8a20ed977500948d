#include <executorch/kernels/portable/cpu/internal/scatter.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& gather_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, const Tensor& index,
                   bool sparse_grad, Tensor& out) {
  (void)sparse_grad;
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::check_scatter(ctx, in, dim, index, nullptr) || !util::resize_like(ctx, index, out)) {
    return out;
  }
  const util::View target(out);
  const util::View source(in);
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(source.element_size);
  util::for_each_scattered(ctx, in, dim, index, target, [&](ptrdiff_t place, ptrdiff_t at) {
    util::copy_element(source.data + place * bytes, target.data + at * bytes, source.element_size);
  });
  return out;
}

}  // namespace torch::executor::native
