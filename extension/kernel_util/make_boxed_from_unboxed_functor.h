#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <type_traits>

#include <executorch/extension/kernel_util/meta_programming.h>
#include <executorch/extension/kernel_util/type_list.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/boxing.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

/// @file
/// Registers kernels that are written as plain C++ functions:
///
///     Tensor& my_op_out(KernelRuntimeContext& context, const Tensor& a, int64_t n, Tensor& out);
///     EXECUTORCH_LIBRARY(my_ns, "my_op.out", my_op_out);
///
/// <executorch/runtime/kernel/boxing.h> says which parameters a kernel may have and does the work.

namespace executorch {
namespace extension {
namespace kernel_util {

/// The boxed form of a function given by EXECUTORCH_FN_TYPE.
template <class FuncType>
struct WrapUnboxedIntoFunctor {
  static_assert(is_compile_time_function_pointer<FuncType>::value,
                "expected EXECUTORCH_FN_TYPE(function)");

  using TrueType = typename FuncType::FuncType;
  using Traits = infer_function_traits_t<FuncType>;
  static constexpr bool kTakesContext =
      std::is_same<typelist::head_with_default_t<void, typename Traits::parameter_types>,
                   runtime::KernelRuntimeContext&>::value;
  /// Arguments of the operator, outputs included.
  static constexpr size_t kNumArguments = Traits::number_of_parameters - (kTakesContext ? 1 : 0);

  /// Unpacks `stack` and calls the function. The stack has one value for each argument and, when
  /// the executor calls, one more for the result.
  static void call(runtime::KernelRuntimeContext& context, runtime::Span<runtime::EValue*> stack) {
    constexpr runtime::OpFunction kBoxed = runtime::boxed_kernel<FuncType::func_ptr()>;
    if (stack.size() != kNumArguments) {
      return kBoxed(context, stack);
    }
    runtime::EValue result;
    runtime::EValue* completed[kNumArguments + 1];
    for (size_t i = 0; i < kNumArguments; ++i) {
      completed[i] = stack[i];
    }
    completed[kNumArguments] = &result;
    kBoxed(context, runtime::Span<runtime::EValue*>(completed, kNumArguments + 1));
  }
};

/// A kernel for register_kernel(): `make_boxed_kernel("my_ns::my_op.out",
/// EXECUTORCH_FN(my_op_out))`. `name` has to live as long as the process.
template <class FuncType>
runtime::Kernel make_boxed_kernel(const char* name, FuncType /*function*/) {
  return runtime::Kernel(
      name, &WrapUnboxedIntoFunctor<FuncType>::call,
      runtime::written_arguments<FuncType::func_ptr()>().with_whole_event_name());
}

}  // namespace kernel_util

using kernel_util::make_boxed_kernel;
using kernel_util::WrapUnboxedIntoFunctor;

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::extension::make_boxed_kernel;
using ::executorch::extension::WrapUnboxedIntoFunctor;
}  // namespace executor
}  // namespace torch

// A name that no other use of the macro in the same file has.
#define EXECUTORCH_INTERNAL_CONCAT_(a, b) a##b
#define EXECUTORCH_INTERNAL_CONCAT(a, b) EXECUTORCH_INTERNAL_CONCAT_(a, b)

/// Registers `func` for the operator `ns::op_name` before main() runs. In a static library the file
/// has to be linked as a whole (alwayslink). Registering an operator twice ends the process.
#define EXECUTORCH_LIBRARY(ns, op_name, func)                                            \
  [[maybe_unused]] static const ::executorch::runtime::Error EXECUTORCH_INTERNAL_CONCAT( \
      executorch_registered_##ns##_, __COUNTER__) =                                      \
      ::executorch::runtime::register_kernel(                                            \
          ::executorch::extension::kernel_util::make_boxed_kernel(#ns "::" op_name,      \
                                                                  EXECUTORCH_FN(func)))
