#include <algorithm>
#include <cstring>

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace executorch {
namespace runtime {

using ::executorch::aten::ArrayRef;
using ::executorch::aten::DimOrderType;
using ::executorch::aten::ScalarType;
using ::executorch::aten::SizesType;
using ::executorch::aten::StridesType;
using ::executorch::aten::Tensor;

namespace {

bool equal_sizes(ArrayRef<SizesType> a, ArrayRef<SizesType> b) { return a.equals(b); }

/// Dim order with the default filled in for tensors that carry none.
bool is_contiguous(const Tensor& t) {
  return is_contiguous_dim_order(t.dim_order().data(), t.dim_order().size());
}

bool is_channels_last(const Tensor& t) {
  return is_channels_last_dim_order(t.dim_order().data(), t.dim_order().size());
}

}  // namespace

// --- Shape ---

bool tensor_is_rank(Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(static_cast<size_t>(t.dim()) == rank,
                           "expected a tensor of rank %zu, got rank %zd", rank, t.dim());
  return true;
}

bool tensor_has_rank_greater_or_equal_to(Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(static_cast<size_t>(t.dim()) >= rank,
                           "expected a tensor of rank >= %zu, got rank %zd", rank, t.dim());
  return true;
}

bool tensor_has_rank_smaller_or_equal_to(Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(static_cast<size_t>(t.dim()) <= rank,
                           "expected a tensor of rank <= %zu, got rank %zd", rank, t.dim());
  return true;
}

bool tensor_has_dim(Tensor t, int64_t d) {
  ET_CHECK_OR_RETURN_FALSE(dim_is_valid(d, nonzero_dim(t)),
                           "dim %" PRId64 " of a tensor of rank %zd", d, t.dim());
  return true;
}

bool tensor_has_non_empty_dim(Tensor t, int64_t d) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(t, d));
  const ssize_t dim = static_cast<ssize_t>(d < 0 ? d + nonzero_dim(t) : d);
  ET_CHECK_OR_RETURN_FALSE(nonempty_size(t, dim) != 0, "dim %zd is empty", dim);
  return true;
}

bool tensor_dim_has_index(Tensor t, int64_t d, int64_t ix) {
  ET_CHECK_OR_RETURN_FALSE(d >= 0 && d < nonzero_dim(t), "dim %" PRId64 " of a tensor of rank %zd",
                           d, t.dim());
  const int64_t size = nonempty_size(t, static_cast<ssize_t>(d));
  ET_CHECK_OR_RETURN_FALSE(dim_is_valid(ix, size),
                           "index %" PRId64 " of dim %" PRId64 " of size %" PRId64, ix, d, size);
  return true;
}

bool tensor_has_expected_size(Tensor t, ArrayRef<SizesType> expected) {
  ET_CHECK_OR_RETURN_FALSE(equal_sizes(t.sizes(), expected), "expected shape %s, got %s",
                           tensor_shape_to_c_string(expected).data(),
                           tensor_shape_to_c_string(t.sizes()).data());
  return true;
}

bool tensor_is_scalar(Tensor t) { return t.dim() == 0 && t.numel() == 1; }

bool tensors_have_same_rank(Tensor a, Tensor b) {
  ET_CHECK_OR_RETURN_FALSE(a.dim() == b.dim(), "ranks %zd and %zd differ", a.dim(), b.dim());
  return true;
}

bool tensors_have_same_shape(Tensor a, Tensor b) {
  // One element is one element: scalars of different rank are interchangeable for kernels.
  if (a.numel() == 1 && b.numel() == 1) {
    return true;
  }
  ET_CHECK_OR_RETURN_FALSE(equal_sizes(a.sizes(), b.sizes()), "shapes %s and %s differ",
                           tensor_shape_to_c_string(a.sizes()).data(),
                           tensor_shape_to_c_string(b.sizes()).data());
  return true;
}

bool tensors_have_same_shape(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_shape(a, b) && tensors_have_same_shape(b, c);
}

bool tensors_have_same_shape_and_dtype(Tensor a, Tensor b) {
  return tensors_have_same_shape(a, b) && tensors_have_same_dtype(a, b);
}

bool tensors_have_same_shape_and_dtype(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_shape(a, b, c) && tensors_have_same_dtype(a, b, c);
}

bool tensors_have_same_size_at_dims(Tensor a, size_t dim_a, Tensor b, size_t dim_b) {
  ET_CHECK_OR_RETURN_FALSE(dim_a < static_cast<size_t>(a.dim()), "dim %zu of a tensor of rank %zd",
                           dim_a, a.dim());
  ET_CHECK_OR_RETURN_FALSE(dim_b < static_cast<size_t>(b.dim()), "dim %zu of a tensor of rank %zd",
                           dim_b, b.dim());
  const ssize_t size_a = a.size(static_cast<ssize_t>(dim_a));
  const ssize_t size_b = b.size(static_cast<ssize_t>(dim_b));
  ET_CHECK_OR_RETURN_FALSE(size_a == size_b, "sizes %zd at dim %zu and %zd at dim %zu differ",
                           size_a, dim_a, size_b, dim_b);
  return true;
}

// --- Element type ---

bool tensors_have_same_dtype(Tensor a, Tensor b) {
  ET_CHECK_OR_RETURN_FALSE(a.scalar_type() == b.scalar_type(), "dtypes %s and %s differ",
                           toString(a.scalar_type()), toString(b.scalar_type()));
  return true;
}

bool tensors_have_same_dtype(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_dtype(a, b) && tensors_have_same_dtype(b, c);
}

bool tensor_is_type(Tensor t, ScalarType dtype) {
  ET_CHECK_OR_RETURN_FALSE(t.scalar_type() == dtype, "expected dtype %s, got %s", toString(dtype),
                           toString(t.scalar_type()));
  return true;
}

bool tensor_is_type(Tensor t, ScalarType dtype, ScalarType dtype2) {
  ET_CHECK_OR_RETURN_FALSE(t.scalar_type() == dtype || t.scalar_type() == dtype2,
                           "expected dtype %s or %s, got %s", toString(dtype), toString(dtype2),
                           toString(t.scalar_type()));
  return true;
}

bool tensor_is_type(Tensor t, ScalarType dtype, ScalarType dtype2, ScalarType dtype3) {
  ET_CHECK_OR_RETURN_FALSE(
      t.scalar_type() == dtype || t.scalar_type() == dtype2 || t.scalar_type() == dtype3,
      "expected dtype %s, %s or %s, got %s", toString(dtype), toString(dtype2), toString(dtype3),
      toString(t.scalar_type()));
  return true;
}

#define ET_INTERNAL_CATEGORY(function, predicate, what)                               \
  bool function(Tensor t) {                                                           \
    ET_CHECK_OR_RETURN_FALSE(predicate(t.scalar_type()), "expected " what ", got %s", \
                             toString(t.scalar_type()));                              \
    return true;                                                                      \
  }
ET_INTERNAL_CATEGORY(tensor_is_floating_type, isFloatingType, "a floating-point dtype")
ET_INTERNAL_CATEGORY(tensor_is_real_type, isRealType, "a real dtype")
ET_INTERNAL_CATEGORY(tensor_is_realh_type, isRealHType, "a real dtype or Half")
ET_INTERNAL_CATEGORY(tensor_is_realhb_type, isRealHBType, "a real dtype, Half or Bool")
ET_INTERNAL_CATEGORY(tensor_is_realhbf16_type, isRealHBF16Type, "a real dtype, Half or BFloat16")
ET_INTERNAL_CATEGORY(tensor_is_realhbbf16_type, isRealHBBF16Type,
                     "a real dtype, Half, BFloat16 or Bool")
ET_INTERNAL_CATEGORY(tensor_is_complex_type, isComplexType, "a complex dtype")
ET_INTERNAL_CATEGORY(tensor_is_bits_type, isBitsType, "a bits dtype")
#undef ET_INTERNAL_CATEGORY

bool tensor_is_bool_type(Tensor t) { return tensor_is_type(t, ScalarType::Bool); }

bool tensor_is_integral_type(Tensor t, bool includeBool) {
  ET_CHECK_OR_RETURN_FALSE(isIntegralType(t.scalar_type(), includeBool),
                           "expected an integer dtype%s, got %s", includeBool ? " or Bool" : "",
                           toString(t.scalar_type()));
  return true;
}

bool tensor_can_cast_to(Tensor t, ScalarType dtype) {
  ET_CHECK_OR_RETURN_FALSE(canCast(t.scalar_type(), dtype), "dtype %s cannot be cast to %s",
                           toString(t.scalar_type()), toString(dtype));
  return true;
}

// --- Memory layout ---

bool tensor_is_contiguous(Tensor t) {
  const auto strides = t.strides();
  const auto sizes = t.sizes();
  if (strides.empty() || t.numel() == 0) {
    return is_contiguous(t);
  }
  int64_t expected = 1;
  for (size_t d = strides.size(); d-- > 0;) {
    ET_CHECK_OR_RETURN_FALSE(sizes[d] == 1 || strides[d] == expected,
                             "stride of dim %zu is %" PRId32 ", contiguous would be %" PRId64, d,
                             static_cast<int32_t>(strides[d]), expected);
    expected *= sizes[d];
  }
  return true;
}

bool tensors_have_same_strides(Tensor a, Tensor b) {
  if (a.strides().equals(b.strides())) {
    return true;
  }
  ET_LOG(Error, "strides %s and %s differ", tensor_shape_to_c_string(a.strides()).data(),
         tensor_shape_to_c_string(b.strides()).data());
  return false;
}

bool tensors_have_same_strides(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_strides(a, b) && tensors_have_same_strides(b, c);
}

bool tensor_is_default_dim_order(Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_contiguous(t), "expected a contiguous dim order");
  return true;
}

bool tensor_has_valid_dim_order(Tensor t) {
  const auto dim_order = t.dim_order();
  // A tensor without dim order counts as contiguous.
  ET_CHECK_OR_RETURN_FALSE(
      dim_order.empty() || validate_dim_order(dim_order.data(), dim_order.size()),
      "the dim order is no permutation of the dimensions");
  return true;
}

bool tensor_is_channels_last_dim_order(Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_channels_last(t), "expected a channels-last dim order");
  return true;
}

bool tensor_is_default_or_channels_last_dim_order(Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_contiguous(t) || is_channels_last(t),
                           "expected a contiguous or channels-last dim order");
  return true;
}

bool tensors_have_same_dim_order(ArrayRef<Tensor> tensors) {
  bool all_contiguous = true;
  bool all_channels_last = true;
  bool all_equal = true;
  for (const Tensor& t : tensors) {
    all_contiguous = all_contiguous && is_contiguous(t);
    all_channels_last = all_channels_last && is_channels_last(t);
    all_equal = all_equal && t.dim_order().equals(tensors[0].dim_order());
  }
  ET_CHECK_OR_RETURN_FALSE(all_contiguous || all_channels_last || all_equal,
                           "%zu tensors must all have the same dim order", tensors.size());
  return true;
}

bool tensors_have_same_dim_order(Tensor a, Tensor b) {
  const Tensor tensors[] = {a, b};
  return tensors_have_same_dim_order(ArrayRef<Tensor>(tensors));
}

bool tensors_have_same_dim_order(Tensor a, Tensor b, Tensor c) {
  const Tensor tensors[] = {a, b, c};
  return tensors_have_same_dim_order(ArrayRef<Tensor>(tensors));
}

bool tensors_have_same_dim_order(Tensor a, Tensor b, Tensor c, Tensor d) {
  const Tensor tensors[] = {a, b, c, d};
  return tensors_have_same_dim_order(ArrayRef<Tensor>(tensors));
}

Error get_dim_order(const Tensor& t, DimOrderType* out_dim_order, size_t out_dim_order_size) {
  ET_CHECK_OR_RETURN_ERROR(out_dim_order_size == static_cast<size_t>(t.dim()), InvalidArgument,
                           "room for %zu entries of the dim order of a tensor of rank %zd",
                           out_dim_order_size, t.dim());
  const auto dim_order = t.dim_order();
  for (size_t i = 0; i < out_dim_order_size; ++i) {
    out_dim_order[i] = dim_order.empty() ? static_cast<DimOrderType>(i) : dim_order[i];
  }
  return Error::Ok;
}

namespace internal {

bool extract_scalar(Tensor t, bool* is_integer, int64_t* integer, double* floating) {
  ET_CHECK_OR_RETURN_FALSE(t.numel() == 1 && t.const_data_ptr() != nullptr,
                           "expected a tensor of one element, got %zd", t.numel());
  const ScalarType type = t.scalar_type();
  *is_integer = isIntegralType(type, /*includeBool=*/true);
  switch (type) {
#define ET_INTERNAL_READ_INTEGER(ctype, name)                    \
  case ScalarType::name:                                         \
    *integer = static_cast<int64_t>(*t.const_data_ptr<ctype>()); \
    return true;
    ET_FORALL_INT_TYPES_AND(Bool, ET_INTERNAL_READ_INTEGER)
    ET_INTERNAL_READ_INTEGER(uint16_t, UInt16)
    ET_INTERNAL_READ_INTEGER(uint32_t, UInt32)
#undef ET_INTERNAL_READ_INTEGER
#define ET_INTERNAL_READ_FLOAT(ctype, name)                      \
  case ScalarType::name:                                         \
    *floating = static_cast<double>(*t.const_data_ptr<ctype>()); \
    return true;
    ET_FORALL_FLOATHBF16_TYPES(ET_INTERNAL_READ_FLOAT)
#undef ET_INTERNAL_READ_FLOAT
    default:
      ET_LOG(Error, "expected a tensor of a number, got dtype %s", toString(type));
      return false;
  }
}

Error share_tensor_data(const Tensor& t_dst, const Tensor& t_src) {
  ET_CHECK_OR_RETURN_ERROR(t_dst.nbytes() == t_src.nbytes(), InvalidArgument,
                           "a tensor of %zu bytes cannot use the data of one of %zu",
                           t_dst.nbytes(), t_src.nbytes());
  ET_CHECK_OR_RETURN_ERROR(t_src.const_data_ptr() != nullptr || t_src.nbytes() == 0,
                           InvalidArgument, "the source tensor has no data");
  t_dst.unsafeGetTensorImpl()->set_data(t_src.mutable_data_ptr());
  return Error::Ok;
}

Error copy_tensor_data(const Tensor& t_dst, const Tensor& t_src) {
  ET_CHECK_OR_RETURN_ERROR(t_dst.nbytes() == t_src.nbytes(), InvalidArgument,
                           "%zu bytes cannot be copied to a tensor of %zu bytes", t_src.nbytes(),
                           t_dst.nbytes());
  if (t_dst.nbytes() == 0) {
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(t_src.const_data_ptr() != nullptr, InvalidArgument,
                           "the source tensor has no data");
  ET_CHECK_OR_RETURN_ERROR(t_dst.mutable_data_ptr() != nullptr, InvalidArgument,
                           "the destination tensor has no data");
  // The two may be the same memory when a caller feeds an output back.
  std::memmove(t_dst.mutable_data_ptr(), t_src.const_data_ptr(), t_src.nbytes());
  return Error::Ok;
}

Error set_tensor_data(const Tensor& t, void* buffer, size_t buffer_size) {
  ET_CHECK_OR_RETURN_ERROR(buffer_size >= t.nbytes(), InvalidArgument,
                           "a buffer of %zu bytes for a tensor of %zu", buffer_size, t.nbytes());
  t.unsafeGetTensorImpl()->set_data(buffer);
  return Error::Ok;
}

void reset_data_ptr(const Tensor& tensor) { tensor.unsafeGetTensorImpl()->set_data(nullptr); }

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
