#include <cmath>

#include <executorch/kernels/portable/cpu/util/pointwise.h>

namespace torch::executor::native {
namespace {

struct NextAfter {
  template <typename C>
  C operator()(C a, C b) const {
    return std::nextafter(a, b);
  }
};

}  // namespace

Tensor& nextafter_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(ctx, common == ScalarType::Float || common == ScalarType::Double,
                     "nextafter is defined for Float and Double")) {
    return out;
  }
  return util::binary(ctx, a, b, common, out, util::kBinaryFloat<NextAfter>);
}

}  // namespace torch::executor::native
