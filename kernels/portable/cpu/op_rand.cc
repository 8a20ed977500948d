#include <cmath>

#include <executorch/kernels/portable/cpu/internal/random.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& rand_out(KernelRuntimeContext& ctx, IntArrayRef size, Tensor& out) {
  if (!util::require_floating(ctx, out) || !util::resize(ctx, size, out)) {
    return out;
  }
  util::Random random;
  char* target = static_cast<char*>(out.mutable_data_ptr());
  for (ssize_t i = 0; i < out.numel(); ++i) {
    double value = random.uniform();
    // A half type may round up to the end that does not belong to the interval.
    if (out.scalar_type() != ScalarType::Double && out.scalar_type() != ScalarType::Float) {
      value = std::floor(value * 256) / 256;
    }
    util::store(util::Compute::kDouble, out.scalar_type(), &value, 1, target);
    target += out.element_size();
  }
  return out;
}

}  // namespace torch::executor::native
