#include <executorch/kernels/portable/cpu/internal/distance.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& _pdist_forward_out(KernelRuntimeContext& ctx, const Tensor& in, double p, Tensor& out) {
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, in.dim() == 2 && util::is_contiguous(in),
                     "pdist needs a contiguous matrix") ||
      !util::require(ctx, p >= 0, "p must not be negative")) {
    return out;
  }
  const size_t n = static_cast<size_t>(in.size(0));
  const size_t m = static_cast<size_t>(in.size(1));
  const int64_t pairs = n < 2 ? 0 : static_cast<int64_t>(n * (n - 1) / 2);
  if (!util::resize(ctx, IntArrayRef(&pairs, 1), out)) {
    return out;
  }
  const size_t size = static_cast<size_t>(in.element_size());
  const char* rows = static_cast<const char*>(in.const_data_ptr());
  char* target = static_cast<char*>(out.mutable_data_ptr());
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      const double d =
          util::distance(in.scalar_type(), rows + i * m * size, rows + j * m * size, m, p);
      util::store(util::Compute::kDouble, out.scalar_type(), &d, 1, target);
      target += size;
    }
  }
  return out;
}

}  // namespace torch::executor::native
