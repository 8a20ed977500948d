/// The portable kernels by name, without a program: adds two tensors with `aten::add.out`.

#include <cstdio>

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
using executorch::runtime::registry_has_op_function;

int main() {
  executorch::runtime::runtime_init();
  for (const char* name :
       {"aten::add.out", "executorch_prim::add.Scalar", "quantized_decomposed::add.out"}) {
    if (!registry_has_op_function(name)) {
      std::printf("kernels: %s is not registered\n", name);
      return 1;
    }
  }
  const auto add = get_op_function_from_registry("aten::add.out");
  TensorImpl::SizesType sizes[] = {2};
  TensorImpl::DimOrderType order[] = {0};
  TensorImpl::StridesType strides[] = {1};
  float a_data[] = {1, 2}, b_data[] = {10, 20}, out_data[] = {0, 0};
  TensorImpl a(ScalarType::Float, 1, sizes, a_data, order, strides);
  TensorImpl b(ScalarType::Float, 1, sizes, b_data, order, strides);
  TensorImpl out(ScalarType::Float, 1, sizes, out_data, order, strides);
  EValue values[] = {Tensor(&a), Tensor(&b), executorch::aten::Scalar(2.0), Tensor(&out)};
  EValue* stack[] = {&values[0], &values[1], &values[2], &values[3], &values[3]};
  KernelRuntimeContext context;
  (*add)(context, {stack, 5});
  std::printf("kernels: %g %g\n", out_data[0], out_data[1]);
  return context.failure_state() == Error::Ok && out_data[0] == 21 && out_data[1] == 42 ? 0 : 2;
}
