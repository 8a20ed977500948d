#include <executorch/kernels/portable/cpu/util/pointwise.h>

namespace torch::executor::native {
namespace {

struct Hardtanh {
  util::ScalarValue low;
  util::ScalarValue high;

  template <typename C>
  C operator()(C x) const {
    const C lo = low.as<C>();
    const C hi = high.as<C>();
    const C y = x < lo ? lo : x;
    return y > hi ? hi : y;
  }
};

}  // namespace

Tensor& hardtanh_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& min_val,
                     const Scalar& max_val, Tensor& out) {
  const Hardtanh op{util::ScalarValue(min_val), util::ScalarValue(max_val)};
  return util::unary_same(ctx, in, out, util::kUnaryArithmetic<Hardtanh>, &op);
}

}  // namespace torch::executor::native
