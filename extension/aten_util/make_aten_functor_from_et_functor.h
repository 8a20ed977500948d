#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <ATen/Functions.h>
#include <torch/library.h>

#include <executorch/extension/aten_util/type_convert.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>

/// @file
/// A kernel of the runtime as a kernel of PyTorch, so that one source serves both:
///
///     Tensor& mul3_out(const Tensor& input, Tensor& out);
///
///     EXECUTORCH_LIBRARY(my_ops, "mul3.out", mul3_out);
///     TORCH_LIBRARY(my_ops, m) {
///       m.def("mul3.out(Tensor input, *, Tensor(a!) out) -> Tensor(a!)",
///             WRAP_TO_ATEN(mul3_out, 1));
///     }
///
/// The kernel may take what <executorch/runtime/kernel/boxing.h> allows. A leading
/// KernelRuntimeContext& is no argument of the operator; what the kernel reports through it becomes
/// an exception. Tensors that are neither contiguous nor channels-last are handed over as
/// contiguous copies. Outputs may get smaller, as in the runtime, but not hold more elements than
/// they came with.

/// A pointer to an ATen function that calls the kernel `func`. `out_index` counts the operator's
/// arguments (without the context) from 0 and names the output, which is what the function returns.
#define WRAP_TO_ATEN(func, out_index) \
  (&::executorch::extension::internal::aten_functor<decltype(&func), &func, out_index>::call)

namespace executorch {
namespace extension {
namespace internal {

/// What the ATen function returns for what a kernel returns.
template <class Result>
struct aten_result {
  static_assert(std::is_void_v<Result> || std::is_arithmetic_v<Result>,
                "a kernel returns Tensor&, a tuple of Tensor&, a number, or nothing");
  using type = Result;
};
template <>
struct aten_result<executorch::aten::Tensor&> {
  using type = at::Tensor&;
};
template <class... Outputs>
struct aten_result<std::tuple<Outputs...>> {
  static_assert((std::is_same_v<Outputs, executorch::aten::Tensor&> && ...),
                "a kernel with several outputs returns a tuple of Tensor&");
  using type = std::tuple<std::conditional_t<true, at::Tensor&, Outputs>...>;
};

/// Tensors are converted as they are referred to, everything else by value.
template <class EParameter>
using converter_t =
    std::conditional_t<is_et_tensor_v<EParameter>,
                       type_convert<aten_parameter_t<EParameter>, EParameter>,
                       type_convert<aten_parameter_t<EParameter>, remove_const_ref_t<EParameter>>>;

/// Reports what a kernel that has a context said through it.
inline void check_kernel_succeeded(const runtime::KernelRuntimeContext& context) {
  const runtime::Error error = context.failure_state();
  TORCH_CHECK(error == runtime::Error::Ok, "the kernel failed: ", runtime::to_string(error),
              "; the log says why");
}

/// Calls a kernel with the counterparts of ATen arguments.
template <class Result, int kOutIndex, class... Parameters>
struct aten_call final {
  static_assert(kOutIndex < static_cast<int>(sizeof...(Parameters)),
                "out_index counts the operator's arguments, without the context, from 0");

  using AtenResult = typename aten_result<Result>::type;
  using Arguments = std::tuple<aten_parameter_t<Parameters>&...>;

  /// Converts `arguments`, calls `kernel` with them and brings the outputs back.
  template <class Kernel>
  static AtenResult run(const Kernel& kernel, Arguments arguments) {
    return run(kernel, arguments, std::index_sequence_for<Parameters...>());
  }

 private:
  template <class Kernel, size_t... kIndex>
  static AtenResult run(const Kernel& kernel, Arguments& arguments,
                        std::index_sequence<kIndex...>) {
    std::tuple<converter_t<Parameters>...> converters(std::get<kIndex>(arguments)...);
    if constexpr (std::is_arithmetic_v<Result>) {
      const Result result = kernel(std::get<kIndex>(converters).call()...);
      (finish<kIndex, Parameters>(std::get<kIndex>(converters)), ...);
      return result;
    } else {
      kernel(std::get<kIndex>(converters).call()...);
      (finish<kIndex, Parameters>(std::get<kIndex>(converters)), ...);
      return outputs(arguments);
    }
  }

  template <size_t kIndex, class Parameter, class Converter>
  static void finish(Converter& converter) {
    if constexpr (std::is_same_v<Parameter, executorch::aten::Tensor&> ||
                  static_cast<int>(kIndex) == kOutIndex) {
      converter.finish();
    }
  }

  static AtenResult outputs(Arguments& arguments) {
    if constexpr (std::is_same_v<AtenResult, at::Tensor&>) {
      static_assert(kOutIndex >= 0, "which argument is the output?");
      return std::get<kOutIndex>(arguments);
    } else if constexpr (!std::is_void_v<AtenResult>) {
      return last(arguments, std::make_index_sequence<std::tuple_size_v<AtenResult>>());
    }
  }

  template <size_t... kIndex>
  static AtenResult last(Arguments& arguments, std::index_sequence<kIndex...>) {
    constexpr size_t kFirst = sizeof...(Parameters) - sizeof...(kIndex);
    return AtenResult(std::get<kFirst + kIndex>(arguments)...);
  }
};

/// The ATen function, as `call`.
template <class Function, Function kFunction, int kOutIndex>
struct aten_functor;

template <class Result, class... Parameters, Result (*kFunction)(Parameters...), int kOutIndex>
struct aten_functor<Result (*)(Parameters...), kFunction, kOutIndex> final {
  using Call = aten_call<Result, kOutIndex, Parameters...>;

  static typename Call::AtenResult call(aten_parameter_t<Parameters>... arguments) {
    return Call::run(kFunction, typename Call::Arguments(arguments...));
  }
};

/// A kernel with a context gets one for the call, with scratch memory from the heap.
template <class Result, class... Parameters,
          Result (*kFunction)(runtime::KernelRuntimeContext&, Parameters...), int kOutIndex>
struct aten_functor<Result (*)(runtime::KernelRuntimeContext&, Parameters...), kFunction, kOutIndex>
    final {
  using Call = aten_call<Result, kOutIndex, Parameters...>;

  static typename Call::AtenResult call(aten_parameter_t<Parameters>... arguments) {
    MallocMemoryAllocator scratch;
    runtime::KernelRuntimeContext context(/*event_tracer=*/nullptr, &scratch);
    const auto kernel = [&context](auto&&... converted) -> Result {
      if constexpr (std::is_void_v<Result>) {
        kFunction(context, static_cast<Parameters>(converted)...);
        check_kernel_succeeded(context);
      } else {
        Result result = kFunction(context, static_cast<Parameters>(converted)...);
        check_kernel_succeeded(context);
        return result;
      }
    };
    return Call::run(kernel, typename Call::Arguments(arguments...));
  }
};

}  // namespace internal
}  // namespace extension
}  // namespace executorch
