/// Says which of the operators that it is asked for are registered, and what aten::add.out makes of
/// 1 and 20 if it is there:
///
///     PROGRAM OPERATOR...

#include <cstdio>

#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::EValue;
using executorch::runtime::KernelRuntimeContext;

namespace {

float added() {
  const auto add = executorch::runtime::get_op_function_from_registry("aten::add.out");
  if (!add.ok()) {
    return 0;
  }
  TensorImpl::SizesType sizes[] = {1};
  TensorImpl::DimOrderType order[] = {0};
  TensorImpl::StridesType strides[] = {1};
  float a_data[] = {1}, b_data[] = {20}, out_data[] = {0};
  TensorImpl a(ScalarType::Float, 1, sizes, a_data, order, strides);
  TensorImpl b(ScalarType::Float, 1, sizes, b_data, order, strides);
  TensorImpl out(ScalarType::Float, 1, sizes, out_data, order, strides);
  EValue values[] = {Tensor(&a), Tensor(&b), executorch::aten::Scalar(1.0), Tensor(&out)};
  EValue* stack[] = {&values[0], &values[1], &values[2], &values[3], &values[3]};
  KernelRuntimeContext context;
  (*add)(context, {stack, 5});
  return out_data[0];
}

}  // namespace

int main(int argc, char** argv) {
  executorch::runtime::runtime_init();
  for (int i = 1; i < argc; ++i) {
    if (executorch::runtime::registry_has_op_function(argv[i])) {
      std::printf("%s\n", argv[i]);
    }
  }
  std::printf("add %g\n", static_cast<double>(added()));
  return 0;
}
