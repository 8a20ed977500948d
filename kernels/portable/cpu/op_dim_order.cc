#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
namespace {

/// Whether the output has the dim order that the program asks for, if it asks for one.
bool check_dim_order(KernelRuntimeContext& ctx, const OptionalArrayRef<int64_t>& dim_order,
                     const Tensor& out) {
  if (!dim_order.has_value()) {
    return true;
  }
  const auto actual = out.dim_order();
  bool same = dim_order->size() == actual.size();
  for (size_t d = 0; same && d < actual.size(); ++d) {
    same = (*dim_order)[d] == static_cast<int64_t>(actual[d]);
  }
  return util::require(ctx, same, "the output does not have the dim order that is asked for");
}

}  // namespace

Tensor& _empty_dim_order_out(KernelRuntimeContext& ctx, IntArrayRef size,
                             OptionalArrayRef<int64_t> dim_order, Tensor& out) {
  if (check_dim_order(ctx, dim_order, out)) {
    util::resize(ctx, size, out);
  }
  return out;
}

Tensor& _to_dim_order_copy_out(KernelRuntimeContext& ctx, const Tensor& in, bool non_blocking,
                               OptionalArrayRef<int64_t> dim_order, Tensor& out) {
  (void)non_blocking;  // a copy that is done on return is allowed
  if (util::require_convertible(ctx, in, out) && check_dim_order(ctx, dim_order, out) &&
      util::resize_like(ctx, in, out)) {
    util::copy(util::View(in), util::View(out));
  }
  return out;
}

Tensor& _clone_dim_order_out(KernelRuntimeContext& ctx, const Tensor& in, bool non_blocking,
                             OptionalArrayRef<int64_t> dim_order, Tensor& out) {
  (void)non_blocking;  // a copy that is done on return is allowed
  if (util::require_same_dtype(ctx, in, out) && check_dim_order(ctx, dim_order, out) &&
      util::resize_like(ctx, in, out)) {
    util::copy(util::View(in), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
