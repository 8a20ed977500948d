#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/special/gamma.h>

namespace torch::executor::native {
namespace {

struct Polygamma {
  double order;

  template <typename C>
  C operator()(C x) const {
    return static_cast<C>(util::polygamma(order, static_cast<double>(x)));
  }
};

}  // namespace

Tensor& polygamma_out(KernelRuntimeContext& ctx, int64_t order, const Tensor& in, Tensor& out) {
  if (!util::require(ctx, order >= 0, "the order of a derivative must not be negative")) {
    return out;
  }
  const Polygamma op{static_cast<double>(order)};
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Polygamma>, &op);
}

}  // namespace torch::executor::native
