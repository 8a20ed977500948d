#include <executorch/kernels/portable/cpu/internal/integer_division.h>
#include <executorch/kernels/portable/cpu/internal/math.h>

namespace torch::executor::native {
namespace {

struct Fmod {
  template <typename C>
  C operator()(C a, C b) const {
    return util::mod_trunc(a, b);
  }
};

template <typename B>
Tensor& run(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out) {
  return util::divide_integers<Fmod>(ctx, a, b, out, "fmod is not defined for Bool", util::binary);
}

}  // namespace

Tensor& fmod_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return run(ctx, a, b, out);
}

Tensor& fmod_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  return run(ctx, a, b, out);
}

}  // namespace torch::executor::native
