#include <cmath>

#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// The number of values from start to end; negative if there is no such number.
int64_t count_values(double start, double end, double step) {
  const double count = std::ceil((end - start) / step);
  return step != 0 && count >= 0 && count <= INT32_MAX ? static_cast<int64_t>(count) : -1;
}

Tensor& arange(KernelRuntimeContext& ctx, const util::ScalarValue& start,
               const util::ScalarValue& end, const util::ScalarValue& step, Tensor& out) {
  const int64_t count = count_values(start.d, end.d, step.d);
  if (!util::require_real(ctx, out) ||
      !util::require(ctx, count >= 0, "start, end and step do not describe a range") ||
      !util::resize(ctx, IntArrayRef(&count, 1), out)) {
    return out;
  }
  const bool floating = util::is_floating(out.scalar_type());
  const util::Compute c = floating ? util::Compute::kDouble : util::Compute::kInt64;
  const ptrdiff_t size = static_cast<ptrdiff_t>(out.element_size());
  char* target = static_cast<char*>(out.mutable_data_ptr());
  for (int64_t i = 0; i < count; ++i) {
    const double value = start.d + static_cast<double>(i) * step.d;
    const int64_t integer = util::wrapping_add(start.i, util::wrapping_mul(i, step.i));
    const void* from = floating ? static_cast<const void*>(&value) : &integer;
    util::store(c, out.scalar_type(), from, 1, target + i * size);
  }
  return out;
}

}  // namespace

Tensor& arange_out(KernelRuntimeContext& ctx, const Scalar& end, Tensor& out) {
  return arange(ctx, util::ScalarValue(int64_t{0}), util::ScalarValue(end),
                util::ScalarValue(int64_t{1}), out);
}

Tensor& arange_start_out(KernelRuntimeContext& ctx, const Scalar& start, const Scalar& end,
                         const Scalar& step, Tensor& out) {
  return arange(ctx, util::ScalarValue(start), util::ScalarValue(end), util::ScalarValue(step),
                out);
}

}  // namespace torch::executor::native
