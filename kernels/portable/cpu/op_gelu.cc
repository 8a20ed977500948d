#include <string_view>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native {
namespace {

constexpr double kSqrtTwoOverPi = 0.79788456080286535588;

struct Gelu {
  template <typename C>
  C operator()(C x) const {
    return util::fast_gelu(x);
  }
};

struct GeluTanh {
  template <typename C>
  C operator()(C x) const {
    const C inner = C(kSqrtTwoOverPi) * (x + C(0.044715) * x * x * x);
    return C(0.5) * x * (C(1) + util::fast_tanh(inner));
  }
};

}  // namespace

Tensor& gelu_out(KernelRuntimeContext& ctx, const Tensor& in, std::string_view approximate,
                 Tensor& out) {
  if (approximate == "none") {
    return util::unary_float_only(ctx, in, out,
                                  util::kReplaceableFloat<Gelu, &util::FloatLoops::gelu>);
  }
  if (util::require(ctx, approximate == "tanh", "approximate must be 'none' or 'tanh'")) {
    util::unary_float_only(ctx, in, out, util::kUnaryFloat<GeluTanh>);
  }
  return out;
}

}  // namespace torch::executor::native
