// Kernels of a library of a user's own.
#include <executorch/runtime/kernel/kernel_includes.h>

namespace my {
namespace native {

using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;

Tensor& scale_out(KernelRuntimeContext& ctx, const Tensor& x, double by, Tensor& out);
Tensor& negate_out(KernelRuntimeContext& ctx, const Tensor& x, Tensor& out);
Tensor& negate_out(const Tensor& x, Tensor& out);

Tensor& scale_out(KernelRuntimeContext& ctx, const Tensor& x, double by, Tensor& out) {
  ET_KERNEL_CHECK(ctx, executorch::runtime::resize_tensor(out, x.sizes()) == Error::Ok,
                  InvalidArgument, out);
  for (const auto i : c10::irange(x.numel())) {
    out.mutable_data_ptr<float>()[i] = x.const_data_ptr<float>()[i] * static_cast<float>(by);
  }
  return out;
}

Tensor& negate_out(KernelRuntimeContext& ctx, const Tensor& x, Tensor& out) {
  return scale_out(ctx, x, -1, out);
}

// The overload without a context is the user's as well: the generated one gives way.
Tensor& negate_out(const Tensor& x, Tensor& out) {
  KernelRuntimeContext ctx;
  negate_out(ctx, x, out);
  out.mutable_data_ptr<float>()[0] = 100;
  return out;
}

}  // namespace native
}  // namespace my
