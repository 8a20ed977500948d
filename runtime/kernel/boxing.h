/// @file
/// Turns a kernel written as an ordinary function into the boxed form that the registry stores.
///
/// ```
/// Tensor& add_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
///                 const Scalar& alpha, Tensor& out);
///
/// static const Error registered = register_kernel(make_boxed_kernel<add_out>("aten::add.out"));
/// ```
///
/// The function's C++ type says everything. The first parameter may be the context; the others are
/// the operator's arguments in schema order: `Tensor`, `Scalar`, `int64_t`, `double`, `bool`,
/// `ScalarType`, `MemoryFormat`, `Layout`, `Device`, `std::string_view`, `ArrayRef` of `int64_t`,
/// `double`, `bool`, `Tensor` or `std::optional<Tensor>`, and `std::optional` of any of these, by
/// value or const reference. `Tensor&`, and an `ArrayRef<Tensor>` in the last place, are outputs.
///
/// The arguments of a call come from a file, so the boxed form checks them: their number, their
/// types, that tensors have memory and that the kernel may write its outputs. What is wrong goes
/// into the log and into `context.fail`, and the kernel is not called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {
namespace internal {

// The ways in which a call can be wrong, out of line to keep the boxed kernels small.
void fail_boxed_arity(KernelRuntimeContext& context, size_t expected, size_t actual);
void fail_boxed_type(KernelRuntimeContext& context, size_t index, Tag actual, Error error);
void fail_boxed_memory(KernelRuntimeContext& context, size_t index);
void fail_boxed_access(KernelRuntimeContext& context, size_t index);

enum class TensorRole { kInput, kOutput };

/// Whether the kernel can work on this tensor: it has memory and, as an output, may be written.
template <TensorRole kRole>
bool check_tensors(KernelRuntimeContext& context, const executorch::aten::Tensor& tensor,
                   size_t index) {
  if (ET_UNLIKELY(tensor.const_data_ptr() == nullptr) &&
      // Without memory only a tensor that is empty, and stays so, is of any use.
      (tensor.numel() != 0 ||
       (kRole == TensorRole::kOutput && tensor.shape_dynamism() != TensorShapeDynamism::STATIC))) {
    fail_boxed_memory(context, index);
    return false;
  }
  if (kRole == TensorRole::kOutput && ET_UNLIKELY(!context.may_write(tensor))) {
    fail_boxed_access(context, index);
    return false;
  }
  return true;
}

template <TensorRole kRole>
bool check_tensors(KernelRuntimeContext& context,
                   const std::optional<executorch::aten::Tensor>& tensor, size_t index) {
  return !tensor.has_value() || check_tensors<kRole>(context, *tensor, index);
}

template <TensorRole kRole, typename T>
bool check_tensors(KernelRuntimeContext& context, executorch::aten::ArrayRef<T> list,
                   size_t index) {
  if constexpr (!std::is_arithmetic_v<T>) {
    for (const T& element : list) {
      if (!check_tensors<kRole>(context, element, index)) {
        return false;
      }
    }
  }
  return true;
}

template <TensorRole kRole, typename T>
bool check_tensors(KernelRuntimeContext& context,
                   const std::optional<executorch::aten::ArrayRef<T>>& list, size_t index) {
  return !list.has_value() || check_tensors<kRole>(context, *list, index);
}

template <typename T>
struct holds_tensors : std::is_same<T, executorch::aten::Tensor> {};
template <typename T>
struct holds_tensors<std::optional<T>> : holds_tensors<T> {};
template <typename T>
struct holds_tensors<executorch::aten::ArrayRef<T>> : holds_tensors<T> {};

/// Holds one argument, unpacked, during a call. `T` is the parameter's type without reference and
/// const.
template <typename T, TensorRole kRole>
class BoxedArgument {
 public:
  bool load(KernelRuntimeContext& context, EValue& value, size_t index) {
    Result<T> unboxed = value.try_to<T>();
    if (ET_UNLIKELY(!unboxed.ok())) {
      fail_boxed_type(context, index, value.tag, unboxed.error());
      return false;
    }
    value_ = *unboxed;
    if constexpr (holds_tensors<T>::value) {
      return check_tensors<kRole>(context, value_, index);
    }
    return true;
  }
  T& get() { return value_; }

 private:
  T value_{};
};

// A tensor has no default value, and kernels may as well work on the one inside the EValue.
template <TensorRole kRole>
class BoxedArgument<executorch::aten::Tensor, kRole> {
 public:
  bool load(KernelRuntimeContext& context, EValue& value, size_t index) {
    if (ET_UNLIKELY(!value.isTensor())) {
      fail_boxed_type(context, index, value.tag, Error::InvalidType);
      return false;
    }
    tensor_ = &value.payload.as_tensor;
    return check_tensors<kRole>(context, *tensor_, index);
  }
  executorch::aten::Tensor& get() { return *tensor_; }

 private:
  executorch::aten::Tensor* tensor_ = nullptr;
};

/// What a parameter of this type is to the kernel.
template <typename Param, bool kIsLast>
constexpr TensorRole role_of() {
  using Tensor = executorch::aten::Tensor;
  constexpr bool is_output =
      std::is_same_v<Param, Tensor&> ||
      (kIsLast && std::is_same_v<std::decay_t<Param>, executorch::aten::ArrayRef<Tensor>>);
  return is_output ? TensorRole::kOutput : TensorRole::kInput;
}

template <auto kCall, typename Ret, typename... Params>
struct BoxedCall {
  static constexpr size_t kNumParams = sizeof...(Params);

  template <size_t... kIndex>
  static constexpr WrittenArguments written(std::index_sequence<kIndex...>) {
    WrittenArguments places = WrittenArguments::none();
    ((places = role_of<Params, kIndex + 1 == kNumParams>() == TensorRole::kOutput
                   ? places.with(kIndex)
                   : places),
     ...);
    return holds_tensors<Ret>::value ? places.with_new_result() : places;
  }
  static constexpr WrittenArguments written() {
    return written(std::make_index_sequence<kNumParams>());
  }

  template <size_t... kIndex>
  static void run(KernelRuntimeContext& context, Span<EValue*> stack,
                  std::index_sequence<kIndex...>) {
    std::tuple<BoxedArgument<std::decay_t<Params>, role_of<Params, kIndex + 1 == kNumParams>()>...>
        arguments;
    if (!(std::get<kIndex>(arguments).load(context, *stack[kIndex], kIndex) && ...)) {
      return;
    }
    if constexpr (std::is_constructible_v<EValue, Ret> && !std::is_reference_v<Ret>) {
      // Not an out variant: its result goes where the caller will look for it.
      *stack[kNumParams] = EValue(kCall(context, std::get<kIndex>(arguments).get()...));
    } else {
      (void)kCall(context, std::get<kIndex>(arguments).get()...);
    }
  }

  static void call(KernelRuntimeContext& context, Span<EValue*> stack) {
    if (ET_UNLIKELY(stack.size() != kNumParams + 1)) {
      fail_boxed_arity(context, kNumParams + 1, stack.size());
      return;
    }
    run(context, stack, std::make_index_sequence<kNumParams>());
  }
};

/// Picks a function's type apart, with or without a context in front.
template <auto kFunction, typename Type>
struct BoxedFunction;

template <auto kFunction, typename Ret, typename... Params>
struct BoxedFunction<kFunction, Ret (*)(KernelRuntimeContext&, Params...)> {
  using Call = BoxedCall<kFunction, Ret, Params...>;
  static constexpr OpFunction value = &Call::call;
};

template <auto kFunction, typename Ret, typename... Params>
struct BoxedFunction<kFunction, Ret (*)(Params...)> {
  static Ret with_context(KernelRuntimeContext&, Params... params) {
    return kFunction(std::forward<Params>(params)...);
  }
  using Call = BoxedCall<&with_context, Ret, Params...>;
  static constexpr OpFunction value = &Call::call;
};

template <auto kFunction, typename Ret, typename... Params>
struct BoxedFunction<kFunction, Ret (*)(Params...) noexcept>
    : BoxedFunction<static_cast<Ret (*)(Params...)>(kFunction), Ret (*)(Params...)> {};

}  // namespace internal

/// The boxed form of `kFunction`, see the top of this file.
///
/// @tparam kFunction A function, not an overload set: `static_cast` picks one of several.
template <auto kFunction>
inline constexpr OpFunction boxed_kernel =
    internal::BoxedFunction<kFunction, decltype(kFunction)>::value;

/// The arguments that `kFunction` writes.
template <auto kFunction>
constexpr WrittenArguments written_arguments() {
  return internal::BoxedFunction<kFunction, decltype(kFunction)>::Call::written();
}

/// Boxes `kFunction` for the operator `name`, such as `aten::add.out`, ready for `register_kernel`.
///
/// @param name Not copied; must stay valid as long as the process.
/// @param key The tensors that the kernel is specialized on; without one it takes all that no
///     specialized kernel takes.
template <auto kFunction>
constexpr Kernel make_boxed_kernel(const char* name, KernelKey key = KernelKey()) {
  return Kernel(name, key, boxed_kernel<kFunction>, written_arguments<kFunction>());
}

}  // namespace runtime
}  // namespace executorch
