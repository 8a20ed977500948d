#include <executorch/kernels/portable/cpu/internal/integer_division.h>
#include <executorch/kernels/portable/cpu/internal/math.h>

namespace torch::executor::native {
namespace {

struct Remainder {
  template <typename C>
  C operator()(C a, C b) const {
    return util::mod_floor(a, b);
  }
};

template <typename B>
Tensor& run(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out) {
  return util::divide_integers<Remainder>(ctx, a, b, out, "remainder is not defined for Bool",
                                          util::binary);
}

}  // namespace

Tensor& remainder_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                             Tensor& out) {
  return run(ctx, a, b, out);
}

Tensor& remainder_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                             Tensor& out) {
  return run(ctx, a, b, out);
}

}  // namespace torch::executor::native
