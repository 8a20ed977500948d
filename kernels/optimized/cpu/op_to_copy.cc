#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/portable/NativeFunctions.h>

namespace torch::executor::native {
using executorch::aten::MemoryFormat;

namespace {

/// Whether the output has the dim order that the program asks for, if it asks for one.
bool has_dim_order(const Tensor& out, const OptionalArrayRef<int64_t>& dim_order) {
  if (!dim_order.has_value()) {
    return true;
  }
  const auto actual = out.dim_order();
  bool same = dim_order->size() == actual.size();
  for (size_t d = 0; same && d < actual.size(); ++d) {
    same = (*dim_order)[d] == static_cast<int64_t>(actual[d]);
  }
  return same;
}

}  // namespace

Tensor& opt_to_copy_out(KernelRuntimeContext& ctx, const Tensor& in, bool non_blocking,
                        optional<MemoryFormat> memory_format, Tensor& out) {
  return optimized::run_convert(ctx, in, out)
             ? out
             : to_copy_out(ctx, in, non_blocking, memory_format, out);
}

Tensor& opt__to_dim_order_copy_out(KernelRuntimeContext& ctx, const Tensor& in, bool non_blocking,
                                   OptionalArrayRef<int64_t> dim_order, Tensor& out) {
  // An output in another order is an error, which the portable kernel describes.
  return has_dim_order(out, dim_order) && optimized::run_convert(ctx, in, out)
             ? out
             : _to_dim_order_copy_out(ctx, in, non_blocking, dim_order, out);
}

}  // namespace torch::executor::native
