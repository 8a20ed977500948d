#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct NextAfter {
  template <typename C>
  C operator()(C a, C b) const {
    return std::nextafter(a, b);
  }
};

/// Steps in a half type.
struct NextAfterHalf {
  ScalarType dtype;

  float operator()(float wide_a, float wide_b) const {
    uint16_t bits;
    const float b = rounded(wide_b, bits);
    const float a = rounded(wide_a, bits);
    if (a != a || b != b || a == b) {
      return a != a ? a : b;
    }
    constexpr uint16_t kSign = 0x8000;
    if (a == 0) {
      bits = static_cast<uint16_t>(b < 0 ? kSign | 1 : 1);
    } else {
      // The magnitude grows where the direction is the sign's.
      bits = static_cast<uint16_t>((a < b) == (a > 0) ? bits + 1 : bits - 1);
    }
    return number(bits);
  }

 private:
  /// A zero-dim operand may have been wider.
  float rounded(float x, uint16_t& bits) const {
    util::store(util::Compute::kFloat, dtype, &x, 1, &bits);
    return number(bits);
  }

  float number(uint16_t bits) const {
    float x;
    util::load(util::Compute::kFloat, dtype, &bits, 1, 1, &x);
    return x;
  }
};

}  // namespace

Tensor& nextafter_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (common == ScalarType::Half || common == ScalarType::BFloat16) {
    static constexpr util::Loops kLoops = {
        {nullptr, nullptr, util::binary_loop<NextAfterHalf, float, float>, nullptr}};
    const NextAfterHalf op = {common};
    return util::binary(ctx, a, b, common, out, kLoops, &op);
  }
  if (!util::require(ctx, common == ScalarType::Float || common == ScalarType::Double,
                     "nextafter is defined for floating dtypes")) {
    return out;
  }
  return util::binary(ctx, a, b, common, out, util::kBinaryFloat<NextAfter>);
}

}  // namespace torch::executor::native
