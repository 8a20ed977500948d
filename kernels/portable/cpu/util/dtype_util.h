/**
 * @file
 * Elements of tensors as values of one type to calculate in, whatever the tensors' dtypes.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor::native::utils {

/// The dtypes that an operator takes for one of its tensors.
enum class SupportedTensorDtypes : uint8_t {
  /// Integers, Float, Double, Half, Bool, BFloat16.
  REALHBBF16,
  /// The same without Bool.
  REALHBF16,
  /// Float, Double, Half, BFloat16.
  FLOATHBF16,
  /// Integers and Bool.
  INTB,
  /// Bool and Byte.
  BOOL_OR_BYTE,
  /// The dtype that is calculated in.
  SAME_AS_COMPUTE,
  /// The same, or Half or BFloat16 if that is Float.
  SAME_AS_COMMON,
};

namespace internal {

/// Reads a FROM as a TO.
template <typename TO, typename FROM>
TO load_and_convert(const void* from) {
  return executorch::runtime::convert<TO>(*static_cast<const FROM*>(from));
}

/// Writes a FROM as a TO.
template <typename TO, typename FROM>
void convert_and_store(FROM value, void* to) {
  *static_cast<TO*>(to) = executorch::runtime::convert<TO>(value);
}

template <typename CTYPE_COMPUTE>
using load_to_compute_fn = CTYPE_COMPUTE (*)(const void*);

template <typename CTYPE_COMPUTE>
using store_compute_to_tensor_fn = void (*)(CTYPE_COMPUTE, void*);

/// True if `t` is of one of the dtypes; logs otherwise.
bool check_tensor_dtype(const Tensor t, SupportedTensorDtypes dtypes,
                        const ScalarType compute_type);

/**
 * The function that reads elements of `t`.
 * @returns null if the tensor's dtype is none of `dtypes`; the context is then failed.
 */
template <typename CTYPE_COMPUTE, const char* op_name>
load_to_compute_fn<CTYPE_COMPUTE> get_load_to_compute_fn(KernelRuntimeContext& ctx, const Tensor& t,
                                                         SupportedTensorDtypes dtypes) {
  load_to_compute_fn<CTYPE_COMPUTE> result = nullptr;
  if (!check_tensor_dtype(t, dtypes,
                          executorch::runtime::CppTypeToScalarType<CTYPE_COMPUTE>::value)) {
    ctx.fail(Error::InvalidArgument);
    return result;
  }
  ET_SWITCH_REALHBBF16_TYPES(t.scalar_type(), ctx, op_name, CTYPE_FROM,
                             [&]() { result = load_and_convert<CTYPE_COMPUTE, CTYPE_FROM>; });
  return result;
}

/// The function that writes elements of `t`; null as for `get_load_to_compute_fn`.
template <typename CTYPE_COMPUTE, const char* op_name>
store_compute_to_tensor_fn<CTYPE_COMPUTE> get_store_compute_to_tensor_fn(
    KernelRuntimeContext& ctx, const Tensor& t, SupportedTensorDtypes dtypes) {
  store_compute_to_tensor_fn<CTYPE_COMPUTE> result = nullptr;
  if (!check_tensor_dtype(t, dtypes,
                          executorch::runtime::CppTypeToScalarType<CTYPE_COMPUTE>::value)) {
    ctx.fail(Error::InvalidArgument);
    return result;
  }
  ET_SWITCH_REALHBBF16_TYPES(t.scalar_type(), ctx, op_name, CTYPE_TO,
                             [&]() { result = convert_and_store<CTYPE_TO, CTYPE_COMPUTE>; });
  return result;
}

}  // namespace internal
}  // namespace torch::executor::native::utils
