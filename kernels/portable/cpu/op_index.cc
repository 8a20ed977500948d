#include <executorch/kernels/portable/cpu/internal/advanced_index.h>

namespace torch::executor::native {
Tensor& index_Tensor_out(KernelRuntimeContext& ctx, const Tensor& in,
                         ArrayRef<optional<Tensor>> indices, Tensor& out) {
  util::AdvancedIndex index;
  if (!util::require_same_dtype(ctx, in, out) || !index.init(ctx, in, indices) ||
      !util::resize(ctx, index.result_shape(), out) || out.numel() == 0) {
    return out;
  }
  const util::View source(in);
  const util::View target(out);
  const util::CopyPlan plan(index.place(in), index.result_place(target));
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(source.element_size);
  index.for_each(ctx, source, target, [&](ptrdiff_t from, ptrdiff_t to) {
    plan.run(source.data + from * bytes, target.data + to * bytes);
  });
  return out;
}

}  // namespace torch::executor::native
