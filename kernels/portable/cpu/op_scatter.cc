#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>
#include <executorch/kernels/portable/cpu/internal/scatter.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& scatter_src_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                        const Tensor& index, const Tensor& src, Tensor& out) {
  if (!util::require_same_dtype(ctx, in, out) || !util::require_same_dtype(ctx, in, src) ||
      !util::check_scatter(ctx, in, dim, index, &src) || !util::resize_like(ctx, in, out)) {
    return out;
  }
  const util::View target(out);
  const util::View source(src);
  util::copy(util::View(in), target);
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(source.element_size);
  util::for_each_scattered(ctx, out, dim, index, source, [&](ptrdiff_t place, ptrdiff_t at) {
    util::copy_element(source.data + at * bytes, target.data + place * bytes, source.element_size);
  });
  return out;
}

Tensor& scatter_value_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                          const Tensor& index, const Scalar& value, Tensor& out) {
  if (!util::require_real(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require_representable(ctx, value, in) ||
      !util::check_scatter(ctx, in, dim, index, nullptr) || !util::resize_like(ctx, in, out)) {
    return out;
  }
  const util::View target(out);
  util::copy(util::View(in), target);
  alignas(8) char element[8];
  util::store_scalar(util::ScalarValue(value), out.scalar_type(), element);
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(target.element_size);
  util::for_each_scattered(
      ctx, out, dim, index, util::View(index), [&](ptrdiff_t place, ptrdiff_t) {
        util::copy_element(element, target.data + place * bytes, target.element_size);
      });
  return out;
}

}  // namespace torch::executor::native
