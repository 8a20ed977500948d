#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Atan2 {
  template <typename C>
  C operator()(C a, C b) const {
    return std::atan2(a, b);
  }
};

}  // namespace

Tensor& atan2_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::binary(ctx, a, b, util::to_floating(util::result_dtype(a, b)), out,
                      util::kBinaryFloat<Atan2>);
}

}  // namespace torch::executor::native
