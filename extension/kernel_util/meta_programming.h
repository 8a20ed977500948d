#pragma once

#include <cstddef>
#include <type_traits>

#include <executorch/extension/kernel_util/type_list.h>

/// A function as a type, for templates that box kernels: `EXECUTORCH_FN(my_op_out)`.
#define EXECUTORCH_FN_TYPE(func)                                    \
  ::executorch::extension::kernel_util::CompileTimeFunctionPointer< \
      std::remove_pointer_t<decltype(&func)>, &func>
#define EXECUTORCH_FN(func) EXECUTORCH_FN_TYPE(func)()

namespace executorch {
namespace extension {
namespace kernel_util {

/// Carries the address of a function in its type.
template <class FuncType_, FuncType_* func_ptr_>
struct CompileTimeFunctionPointer final {
  static_assert(std::is_function<FuncType_>::value, "the first argument is a function type");
  static_assert(func_ptr_ != nullptr, "the function is null");

  using FuncType = FuncType_;

  static constexpr FuncType* func_ptr() { return func_ptr_; }
};

template <class T>
struct is_compile_time_function_pointer : std::false_type {};
template <class FuncType, FuncType* func_ptr>
struct is_compile_time_function_pointer<CompileTimeFunctionPointer<FuncType, func_ptr>>
    : std::true_type {};

/// Whether `T` is a function type, like `int(float)`.
template <class T>
using is_function_type = std::is_function<T>;

/// What a plain function takes and gives.
template <class Func>
struct function_traits {
  static_assert(!std::is_same<Func, Func>::value, "expected a function type");
};
template <class Result, class... Args>
struct function_traits<Result(Args...)> {
  using func_type = Result(Args...);
  using return_type = Result;
  using parameter_types = typelist::typelist<Args...>;
  static constexpr size_t number_of_parameters = sizeof...(Args);
};

/// The same for a function, a pointer to one, or a CompileTimeFunctionPointer.
template <class Func>
struct infer_function_traits {
  using type = function_traits<Func>;
};
template <class Result, class... Args>
struct infer_function_traits<Result (*)(Args...)> {
  using type = function_traits<Result(Args...)>;
};
template <class FuncType, FuncType* func_ptr>
struct infer_function_traits<CompileTimeFunctionPointer<FuncType, func_ptr>> {
  using type = function_traits<FuncType>;
};
template <class Func>
using infer_function_traits_t = typename infer_function_traits<Func>::type;

}  // namespace kernel_util
}  // namespace extension
}  // namespace executorch
