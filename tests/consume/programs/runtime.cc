/// The runtime and nothing else: registers a kernel of its own, finds it by name and runs it.

#include <cstdio>

#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/boxing.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::get_op_function_from_registry;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::make_boxed_kernel;
using executorch::runtime::Program;
using executorch::runtime::register_kernel;

namespace {

Tensor& twice_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  ET_KERNEL_CHECK(ctx, executorch::runtime::tensors_have_same_dtype(in, out), InvalidArgument, out);
  for (ssize_t i = 0; i < in.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = 2 * in.const_data_ptr<float>()[i];
  }
  return out;
}

}  // namespace

int main() {
  executorch::runtime::runtime_init();
  if (register_kernel(make_boxed_kernel<twice_out>("my::twice.out")) != Error::Ok) {
    return 1;
  }
  const auto twice = get_op_function_from_registry("my::twice.out");
  if (!twice.ok()) {
    return 2;
  }
  TensorImpl::SizesType sizes[] = {3};
  TensorImpl::DimOrderType order[] = {0};
  float in_data[] = {1, 2, 3}, out_data[] = {0, 0, 0};
  TensorImpl in(ScalarType::Float, 1, sizes, in_data, order);
  TensorImpl out(ScalarType::Float, 1, sizes, out_data, order);
  EValue values[] = {Tensor(&in), Tensor(&out)};
  EValue* stack[] = {&values[0], &values[1], &values[1]};
  KernelRuntimeContext context;
  (*twice)(context, {stack, 3});
  const char nothing[Program::kMinHeadBytes] = {};
  std::printf("runtime: %g %s\n", out_data[2],
              Program::check_header(nothing, sizeof(nothing)) == Program::HeaderStatus::NotPresent
                  ? "no program"
                  : "?");
  return context.failure_state() == Error::Ok && out_data[2] == 6 ? 0 : 3;
}
