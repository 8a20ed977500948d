#include <executorch/kernels/portable/cpu/util/pointwise.h>
#include <executorch/kernels/portable/cpu/util/scalar_cast.h>

namespace torch::executor::native {
using executorch::aten::MemoryFormat;

Tensor& full_like_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& fill_value,
                      optional<MemoryFormat> memory_format, Tensor& out) {
  (void)memory_format;  // the output's dim order says it
  if (util::require_real(ctx, out) && util::require_representable(ctx, fill_value, out) &&
      util::resize_like(ctx, in, out)) {
    util::fill(util::ScalarValue(fill_value), out);
  }
  return out;
}

}  // namespace torch::executor::native
