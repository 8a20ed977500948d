/// @file
/// Predicates, resizing and small helpers for tensors, as kernels use them.
///
/// The predicates log why they are false, so that a failing kernel says what it expected and what
/// came: `ET_KERNEL_CHECK(ctx, tensors_have_same_dtype(a, out), InvalidArgument, out)`.
#pragma once

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_check_macros.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/exec_aten/util/tensor_index.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

// --- Shape -------------------------------------------------------------------------------------

bool tensor_is_rank(::executorch::aten::Tensor t, size_t rank);
bool tensor_has_rank_greater_or_equal_to(::executorch::aten::Tensor t, size_t rank);
bool tensor_has_rank_smaller_or_equal_to(::executorch::aten::Tensor t, size_t rank);

/// `d` is in [-dim, dim); for a tensor of rank 0, in [-1, 1).
bool tensor_has_dim(::executorch::aten::Tensor t, int64_t d);

/// Dimension `d` exists and is not empty.
bool tensor_has_non_empty_dim(::executorch::aten::Tensor t, int64_t d);

/// `ix` is in [-size, size) of dimension `d` (0 <= d < dim).
bool tensor_dim_has_index(::executorch::aten::Tensor t, int64_t d, int64_t ix);

/// The sizes are exactly `expected`.
bool tensor_has_expected_size(::executorch::aten::Tensor t,
                              ::executorch::aten::ArrayRef<::executorch::aten::SizesType> expected);

/// Rank 0 with one element.
bool tensor_is_scalar(::executorch::aten::Tensor t);

bool tensors_have_same_rank(::executorch::aten::Tensor a, ::executorch::aten::Tensor b);
bool tensors_have_same_shape(::executorch::aten::Tensor a, ::executorch::aten::Tensor b);
bool tensors_have_same_shape(::executorch::aten::Tensor a, ::executorch::aten::Tensor b,
                             ::executorch::aten::Tensor c);
bool tensors_have_same_shape_and_dtype(::executorch::aten::Tensor a, ::executorch::aten::Tensor b);
bool tensors_have_same_shape_and_dtype(::executorch::aten::Tensor a, ::executorch::aten::Tensor b,
                                       ::executorch::aten::Tensor c);

/// Size of `a` at `dim_a` equals the size of `b` at `dim_b`; both dimensions exist.
bool tensors_have_same_size_at_dims(::executorch::aten::Tensor a, size_t dim_a,
                                    ::executorch::aten::Tensor b, size_t dim_b);

// --- Element type ------------------------------------------------------------------------------

bool tensors_have_same_dtype(::executorch::aten::Tensor a, ::executorch::aten::Tensor b);
bool tensors_have_same_dtype(::executorch::aten::Tensor a, ::executorch::aten::Tensor b,
                             ::executorch::aten::Tensor c);

/// The element type is one of those given.
bool tensor_is_type(::executorch::aten::Tensor t, ::executorch::aten::ScalarType dtype);
bool tensor_is_type(::executorch::aten::Tensor t, ::executorch::aten::ScalarType dtype,
                    ::executorch::aten::ScalarType dtype2);
bool tensor_is_type(::executorch::aten::Tensor t, ::executorch::aten::ScalarType dtype,
                    ::executorch::aten::ScalarType dtype2, ::executorch::aten::ScalarType dtype3);

bool tensor_is_bool_type(::executorch::aten::Tensor t);
bool tensor_is_integral_type(::executorch::aten::Tensor t, bool includeBool = false);
bool tensor_is_floating_type(::executorch::aten::Tensor t);
bool tensor_is_real_type(::executorch::aten::Tensor t);
bool tensor_is_realh_type(::executorch::aten::Tensor t);
bool tensor_is_realhb_type(::executorch::aten::Tensor t);
bool tensor_is_realhbf16_type(::executorch::aten::Tensor t);
bool tensor_is_realhbbf16_type(::executorch::aten::Tensor t);
bool tensor_is_complex_type(::executorch::aten::Tensor t);
bool tensor_is_bits_type(::executorch::aten::Tensor t);

/// Elements may be cast to `dtype`, see canCast().
bool tensor_can_cast_to(::executorch::aten::Tensor t, ::executorch::aten::ScalarType dtype);

// --- Memory layout -----------------------------------------------------------------------------

/// The strides are those of a contiguous tensor. Dimensions of size 1 may have any stride.
bool tensor_is_contiguous(::executorch::aten::Tensor t);

bool tensors_have_same_strides(::executorch::aten::Tensor a, ::executorch::aten::Tensor b);
bool tensors_have_same_strides(::executorch::aten::Tensor a, ::executorch::aten::Tensor b,
                               ::executorch::aten::Tensor c);

/// Contiguous dim order. A tensor without dim order counts as contiguous here and below.
bool tensor_is_default_dim_order(::executorch::aten::Tensor t);
/// The dim order names every dimension once.
bool tensor_has_valid_dim_order(::executorch::aten::Tensor t);
bool tensor_is_channels_last_dim_order(::executorch::aten::Tensor t);
bool tensor_is_default_or_channels_last_dim_order(::executorch::aten::Tensor t);

/// All tensors are contiguous, or all are channels last (whatever their ranks), or all have equal
/// dim orders.
bool tensors_have_same_dim_order(::executorch::aten::ArrayRef<::executorch::aten::Tensor> tensors);
bool tensors_have_same_dim_order(::executorch::aten::Tensor a, ::executorch::aten::Tensor b);
bool tensors_have_same_dim_order(::executorch::aten::Tensor a, ::executorch::aten::Tensor b,
                                 ::executorch::aten::Tensor c);
bool tensors_have_same_dim_order(::executorch::aten::Tensor a, ::executorch::aten::Tensor b,
                                 ::executorch::aten::Tensor c, ::executorch::aten::Tensor d);

/// Copies the dim order of `t` into `out_dim_order`.
///
/// @retval Error::InvalidArgument `out_dim_order_size` is not the rank of `t`.
ET_NODISCARD Error get_dim_order(const ::executorch::aten::Tensor& t,
                                 ::executorch::aten::DimOrderType* out_dim_order,
                                 size_t out_dim_order_size);

// --- Values ------------------------------------------------------------------------------------

namespace internal {
/// Element 0 as an integer (for integral and bool tensors) or a double. False for other types.
bool extract_scalar(::executorch::aten::Tensor t, bool* is_integer, int64_t* integer,
                    double* floating);
}  // namespace internal

/// Reads the only element of `t` as INT_T.
///
/// @retval false `t` has not one element, is no integer tensor, or the value does not fit.
template <typename INT_T,
          std::enable_if_t<std::is_integral<INT_T>::value && !std::is_same<INT_T, bool>::value,
                           bool> = true>
bool extract_scalar_tensor(::executorch::aten::Tensor t, INT_T* out) {
  bool is_integer = false;
  int64_t integer = 0;
  double floating = 0;
  if (!internal::extract_scalar(t, &is_integer, &integer, &floating) || !is_integer ||
      t.scalar_type() == ::executorch::aten::ScalarType::Bool) {
    return false;
  }
  if (integer < static_cast<int64_t>(std::numeric_limits<INT_T>::lowest()) ||
      (integer > 0 &&
       static_cast<uint64_t>(integer) > static_cast<uint64_t>(std::numeric_limits<INT_T>::max()))) {
    return false;
  }
  *out = static_cast<INT_T>(integer);
  return true;
}

/// Reads the only element of `t` as FLOAT_T. Infinity and NaN pass.
///
/// @retval false `t` has not one element, is no real tensor, or the value does not fit.
template <typename FLOAT_T, std::enable_if_t<std::is_floating_point<FLOAT_T>::value, bool> = true>
bool extract_scalar_tensor(::executorch::aten::Tensor t, FLOAT_T* out) {
  bool is_integer = false;
  int64_t integer = 0;
  double floating = 0;
  if (!internal::extract_scalar(t, &is_integer, &integer, &floating) ||
      t.scalar_type() == ::executorch::aten::ScalarType::Bool) {
    return false;
  }
  if (is_integer) {
    *out = static_cast<FLOAT_T>(integer);
    return true;
  }
  constexpr double max = static_cast<double>(std::numeric_limits<FLOAT_T>::max());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double magnitude = floating < 0 ? -floating : floating;
  if (magnitude > max && magnitude != infinity) {
    return false;
  }
  *out = static_cast<FLOAT_T>(floating);
  return true;
}

/// Reads the only element of a Bool tensor.
///
/// @retval false `t` has not one element or is not of type Bool.
template <typename BOOL_T, std::enable_if_t<std::is_same<BOOL_T, bool>::value, bool> = true>
bool extract_scalar_tensor(::executorch::aten::Tensor t, BOOL_T* out) {
  bool is_integer = false;
  int64_t integer = 0;
  double floating = 0;
  if (t.scalar_type() != ::executorch::aten::ScalarType::Bool ||
      !internal::extract_scalar(t, &is_integer, &integer, &floating)) {
    return false;
  }
  *out = integer != 0;
  return true;
}

// --- Data pointers and resizing ----------------------------------------------------------------

namespace internal {

/// Makes `t_dst` use the data of `t_src`, which must have as many bytes.
ET_NODISCARD Error share_tensor_data(const ::executorch::aten::Tensor& t_dst,
                                     const ::executorch::aten::Tensor& t_src);

/// Copies the bytes of `t_src` to `t_dst`, which must have as many. Both must have data unless
/// they are empty.
ET_NODISCARD Error copy_tensor_data(const ::executorch::aten::Tensor& t_dst,
                                    const ::executorch::aten::Tensor& t_src);

/// Makes `t` use `buffer`.
///
/// @retval Error::InvalidArgument The buffer is smaller than the tensor.
ET_NODISCARD Error set_tensor_data(const ::executorch::aten::Tensor& t, void* buffer,
                                   size_t buffer_size);

/// Takes the data pointer away.
void reset_data_ptr(const ::executorch::aten::Tensor& tensor);

/// Access to the resizing of TensorImpl for the functions below only.
class TensorResizerFriend final {
 public:
  static void use_dim_bounds(::executorch::aten::TensorImpl* impl) { impl->use_dim_bounds(); }
  ET_NODISCARD static Error resize_tensor_impl(
      ::executorch::aten::TensorImpl* impl,
      ::executorch::aten::ArrayRef<::executorch::aten::SizesType> new_sizes) {
    return impl->internal_resize_contiguous(new_sizes);
  }
};

ET_NODISCARD inline Error resize_tensor_impl(
    ::executorch::aten::TensorImpl* impl,
    ::executorch::aten::ArrayRef<::executorch::aten::SizesType> new_sizes) {
  return TensorResizerFriend::resize_tensor_impl(impl, new_sizes);
}

}  // namespace internal

/// Changes the shape of `t` within what its dynamism allows; keeps rank, dim order and data.
///
/// @retval Error::NotSupported    Another rank; another shape of a STATIC tensor; more elements
///                                than the initial shape had; of an input of a method, a dimension
///                                above its bound.
/// @retval Error::InvalidArgument A size or stride is out of range.
ET_NODISCARD inline Error resize_tensor(
    ::executorch::aten::Tensor t,
    ::executorch::aten::ArrayRef<::executorch::aten::SizesType> new_sizes) {
  return internal::resize_tensor_impl(t.unsafeGetTensorImpl(), new_sizes);
}

/// As above, for sizes of another integer type.
template <typename T,
          std::enable_if_t<!std::is_same<T, ::executorch::aten::SizesType>::value, int> = 0>
ET_NODISCARD inline Error resize_tensor(::executorch::aten::Tensor t,
                                        ::executorch::aten::ArrayRef<T> new_sizes) {
  using SizesType = ::executorch::aten::SizesType;
  SizesType sizes[kTensorDimensionLimit];
  ET_CHECK_OR_RETURN_ERROR(new_sizes.size() <= kTensorDimensionLimit, NotSupported,
                           "rank %zu is above the limit of %zu", new_sizes.size(),
                           kTensorDimensionLimit);
  for (size_t i = 0; i < new_sizes.size(); ++i) {
    sizes[i] = static_cast<SizesType>(new_sizes[i]);
    ET_CHECK_OR_RETURN_ERROR(
        static_cast<T>(sizes[i]) == new_sizes[i] && (sizes[i] < 0) == (new_sizes[i] < T(0)),
        InvalidArgument, "size of dimension %zu does not fit into 32 bits", i);
  }
  return internal::resize_tensor_impl(t.unsafeGetTensorImpl(), {sizes, new_sizes.size()});
}

/// As resize_tensor(), but aborts on failure. Use resize_tensor() in new code.
inline void resize(::executorch::aten::Tensor t,
                   ::executorch::aten::ArrayRef<::executorch::aten::SizesType> new_sizes) {
  const Error error = resize_tensor(t, new_sizes);
  ET_CHECK_MSG(error == Error::Ok, "resize of a tensor failed with 0x%" PRIx32,
               static_cast<uint32_t>(error));
}

}  // namespace runtime
}  // namespace executorch

#include <executorch/runtime/core/exec_aten/util/tensor_util_aliases.h>
