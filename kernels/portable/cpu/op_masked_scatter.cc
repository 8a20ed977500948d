#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& masked_scatter_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mask,
                           const Tensor& src, Tensor& out) {
  if (!util::require_same_dtype(ctx, in, out) || !util::require_same_dtype(ctx, in, src) ||
      !util::require(ctx, mask.scalar_type() == ScalarType::Bool, "the mask must be Bool") ||
      !util::resize_broadcast(ctx, in, mask, out) || out.numel() == 0) {
    return out;
  }
  const util::View target(out);
  const util::View mask_view = util::View(mask).expand(target);
  util::copy(util::View(in).expand(target), target);
  // The source's elements in index order, one for each true element of the mask.
  const util::View source(src);
  util::Lines<2> lines(target);
  util::Lines<1> from(source);
  lines.set(0, target);
  lines.set(1, mask_view);
  from.set(0, source);
  size_t taken = 0;
  bool exhausted = from.empty();
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(source.element_size);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      if (mask_view.data[lines.offset(1) + at * lines.step(1)] == 0) {
        continue;
      }
      if (!util::require(ctx, !exhausted, "the source has too few elements")) {
        return out;
      }
      const ptrdiff_t offset = from.offset(0) + static_cast<ptrdiff_t>(taken) * from.step(0);
      util::copy_element(source.data + offset * bytes,
                         target.data + (lines.offset(0) + at * lines.step(0)) * bytes,
                         source.element_size);
      if (++taken == from.length()) {
        taken = 0;
        exhausted = !from.next();
      }
    }
  } while (lines.next());
  return out;
}

}  // namespace torch::executor::native
