// The one header that a kernel's source includes.
#include <executorch/runtime/kernel/kernel_includes.h>

namespace {

using executorch::aten::Tensor;
using executorch::runtime::KernelRuntimeContext;

C10_DIAGNOSTIC_PUSH_AND_IGNORED_IF_DEFINED("-Wunused-macros")
struct Sum {
  Sum() = default;
  C10_DISABLE_COPY_AND_ASSIGN(Sum);
  double value = 0;
};
C10_DIAGNOSTIC_POP()

}  // namespace

double sum_in_kernel(KernelRuntimeContext& ctx, const Tensor& in);

double sum_in_kernel(KernelRuntimeContext& ctx, const Tensor& in) {
  ET_DEFINE_OPERATOR_NAME(op_name, "my::sum.out");
  static_assert(executorch::runtime::internal::event_tracer_enabled(), "tests report");
  ET_DEBUG_ONLY const ssize_t count = in.numel();
  ET_DCHECK(count >= 0);
  Sum sum;
  ET_SWITCH_REALHBF16_TYPES(in.scalar_type(), ctx, op_name, CTYPE, [&]() {
    for (const auto i : c10::irange(in.numel())) {
      sum.value += static_cast<double>(in.const_data_ptr<CTYPE>()[i]);
    }
  });
  CUDA_KERNEL_ASSERT(std::isfinite(sum.value));
  return std::max(sum.value, 0.0);
}
