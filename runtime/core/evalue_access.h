/// @file
/// Inline accessors of EValue; include evalue.h instead.
#pragma once

#include <executorch/runtime/core/evalue.h>

namespace executorch {
namespace runtime {
namespace internal {

template <typename T>
struct is_evalue_pointer<
    T,
    std::enable_if_t<!std::is_pointer<T>::value && !std::is_same<T, EValue>::value &&
                     std::is_constructible<bool, T&>::value &&
                     std::is_constructible<
                         EValue, decltype(*std::declval<std::add_lvalue_reference_t<T>>())>::value>>
    : std::true_type {};

}  // namespace internal

// The value is read directly, since these accessors are on the path of every kernel call. `valid`
// says whether there is something to read behind the pointers of strings and lists.
#define ET_INTERNAL_EVALUE_GETTER(type, suffix, expected, valid, read) \
  inline Result<type> EValue::tryTo##suffix() const {                  \
    if (ET_UNLIKELY(tag != Tag::expected || !(valid))) {               \
      return internal::fail_access(Tag::expected, tag);                \
    }                                                                  \
    return type(read);                                                 \
  }                                                                    \
  inline type EValue::to##suffix() const {                             \
    if (ET_UNLIKELY(tag != Tag::expected || !(valid))) {               \
      internal::abort_access(#suffix, tag, tag == Tag::expected);      \
    }                                                                  \
    return read;                                                       \
  }
#define ET_INTERNAL_EVALUE_POINTER_GETTER(type, suffix, expected, member, read) \
  ET_INTERNAL_EVALUE_GETTER(type, suffix, expected, payload.copyable_union.member != nullptr, read)

ET_INTERNAL_EVALUE_GETTER(int64_t, Int, Int, true, payload.copyable_union.as_int)
ET_INTERNAL_EVALUE_GETTER(double, Double, Double, true, payload.copyable_union.as_double)
ET_INTERNAL_EVALUE_GETTER(bool, Bool, Bool, true, payload.copyable_union.as_bool)
ET_INTERNAL_EVALUE_POINTER_GETTER(std::string_view, String, String, as_string_ptr,
                                  std::string_view(payload.copyable_union.as_string_ptr->data(),
                                                   payload.copyable_union.as_string_ptr->size()))
ET_INTERNAL_EVALUE_POINTER_GETTER(::executorch::aten::ArrayRef<bool>, BoolList, ListBool,
                                  as_bool_list_ptr, *payload.copyable_union.as_bool_list_ptr)
ET_INTERNAL_EVALUE_POINTER_GETTER(::executorch::aten::ArrayRef<double>, DoubleList, ListDouble,
                                  as_double_list_ptr, *payload.copyable_union.as_double_list_ptr)
#undef ET_INTERNAL_EVALUE_POINTER_GETTER
#undef ET_INTERNAL_EVALUE_GETTER

inline Result<::executorch::aten::Tensor> EValue::tryToTensor() const {
  if (ET_UNLIKELY(tag != Tag::Tensor)) {
    return internal::fail_access(Tag::Tensor, tag);
  }
  return payload.as_tensor;
}

inline ::executorch::aten::Tensor& EValue::toTensor() & {
  if (ET_UNLIKELY(tag != Tag::Tensor)) {
    internal::abort_access("Tensor", tag, false);
  }
  return payload.as_tensor;
}

inline const ::executorch::aten::Tensor& EValue::toTensor() const& {
  if (ET_UNLIKELY(tag != Tag::Tensor)) {
    internal::abort_access("Tensor", tag, false);
  }
  return payload.as_tensor;
}

inline ::executorch::aten::Tensor EValue::toTensor() && { return toTensor(); }

// Lists whose elements are EValues: the elements may have a wrong type too.
#define ET_INTERNAL_EVALUE_LIST_GETTER(type, suffix, expected, member)                   \
  inline Result<::executorch::aten::ArrayRef<type>> EValue::tryTo##suffix() const {      \
    if (ET_UNLIKELY(tag != Tag::expected || payload.copyable_union.member == nullptr)) { \
      return internal::fail_access(Tag::expected, tag);                                  \
    }                                                                                    \
    return payload.copyable_union.member->tryGet();                                      \
  }                                                                                      \
  inline ::executorch::aten::ArrayRef<type> EValue::to##suffix() const {                 \
    if (ET_UNLIKELY(tag != Tag::expected || payload.copyable_union.member == nullptr)) { \
      internal::abort_access(#suffix, tag, tag == Tag::expected);                        \
    }                                                                                    \
    return payload.copyable_union.member->get();                                         \
  }

ET_INTERNAL_EVALUE_LIST_GETTER(int64_t, IntList, ListInt, as_int_list_ptr)
ET_INTERNAL_EVALUE_LIST_GETTER(::executorch::aten::Tensor, TensorList, ListTensor,
                               as_tensor_list_ptr)
ET_INTERNAL_EVALUE_LIST_GETTER(std::optional<::executorch::aten::Tensor>, ListOptionalTensor,
                               ListOptionalTensor, as_list_optional_tensor_ptr)
#undef ET_INTERNAL_EVALUE_LIST_GETTER

inline Result<::executorch::aten::Scalar> EValue::tryToScalar() const {
  switch (tag) {
    case Tag::Int:
      return ::executorch::aten::Scalar(payload.copyable_union.as_int);
    case Tag::Double:
      return ::executorch::aten::Scalar(payload.copyable_union.as_double);
    case Tag::Bool:
      return ::executorch::aten::Scalar(payload.copyable_union.as_bool);
    default:
      internal::log_wrong_tag("Scalar", tag);
      return Error::InvalidType;
  }
}

inline ::executorch::aten::Scalar EValue::toScalar() const {
  ET_CHECK_MSG(isScalar(), "EValue is not a Scalar: tag %u", static_cast<unsigned>(tag));
  return *tryToScalar();
}

// Enumerations travel as Int. Numbers from a program are checked before they become enumerators.
#define ET_INTERNAL_EVALUE_ENUM_GETTER(type, suffix, condition)                \
  inline Result<::executorch::aten::type> EValue::tryTo##suffix() const {      \
    if (ET_UNLIKELY(tag != Tag::Int)) {                                        \
      internal::log_wrong_tag(#suffix, tag);                                   \
      return Error::InvalidType;                                               \
    }                                                                          \
    const int64_t number = payload.copyable_union.as_int;                      \
    if (ET_UNLIKELY(!(condition))) {                                           \
      ET_LOG(Error, "%lld is not a " #suffix, static_cast<long long>(number)); \
      return Error::InvalidType;                                               \
    }                                                                          \
    return static_cast<::executorch::aten::type>(number);                      \
  }                                                                            \
  inline ::executorch::aten::type EValue::to##suffix() const { return *tryTo##suffix(); }

ET_INTERNAL_EVALUE_ENUM_GETTER(
    ScalarType, ScalarType,
    number >= 0 && number <= static_cast<int64_t>(::executorch::aten::ScalarType::Undefined))
ET_INTERNAL_EVALUE_ENUM_GETTER(
    MemoryFormat, MemoryFormat,
    number >= 0 && number <= static_cast<int64_t>(::executorch::aten::MemoryFormat::Preserve))
ET_INTERNAL_EVALUE_ENUM_GETTER(Layout, Layout, number == 0)
#undef ET_INTERNAL_EVALUE_ENUM_GETTER

inline Result<::executorch::aten::Device> EValue::tryToDevice() const {
  if (tag != Tag::Int) {
    internal::log_wrong_tag("Device", tag);
    return Error::InvalidType;
  }
  const int64_t number = payload.copyable_union.as_int;
  if (number < 0 || number >= ::executorch::runtime::etensor::kNumDeviceTypes) {
    ET_LOG(Error, "%lld is not a DeviceType", static_cast<long long>(number));
    return Error::InvalidType;
  }
  // The value says the kind only.
  return ::executorch::aten::Device(static_cast<::executorch::aten::DeviceType>(number), -1);
}

inline ::executorch::aten::Device EValue::toDevice() const { return *tryToDevice(); }

namespace internal {

#define ET_INTERNAL_EVALUE_ACCESS(type, suffix)                                       \
  template <>                                                                         \
  struct EValueAccess<type> {                                                         \
    static type to(const EValue& value) { return value.to##suffix(); }                \
    static Result<type> try_to(const EValue& value) { return value.tryTo##suffix(); } \
  };

ET_INTERNAL_EVALUE_ACCESS(int64_t, Int)
ET_INTERNAL_EVALUE_ACCESS(double, Double)
ET_INTERNAL_EVALUE_ACCESS(bool, Bool)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::Scalar, Scalar)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::Tensor, Tensor)
ET_INTERNAL_EVALUE_ACCESS(std::string_view, String)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::ArrayRef<int64_t>, IntList)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::ArrayRef<bool>, BoolList)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::ArrayRef<double>, DoubleList)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::ArrayRef<::executorch::aten::Tensor>, TensorList)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::ArrayRef<std::optional<::executorch::aten::Tensor>>,
                          ListOptionalTensor)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::ScalarType, ScalarType)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::MemoryFormat, MemoryFormat)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::Layout, Layout)
ET_INTERNAL_EVALUE_ACCESS(::executorch::aten::Device, Device)
#undef ET_INTERNAL_EVALUE_ACCESS

template <typename T>
struct EValueAccess<std::optional<T>> {
  static std::optional<T> to(const EValue& value) { return value.toOptional<T>(); }
  static Result<std::optional<T>> try_to(const EValue& value) {
    if (value.isNone()) {
      return std::optional<T>(std::nullopt);
    }
    auto result = EValueAccess<T>::try_to(value);
    if (!result.ok()) {
      return result.error();
    }
    return std::optional<T>(*result);
  }
};

}  // namespace internal

template <typename T>
T EValue::to() && {
  return to<T>();  // this has a name, so it is the overload below
}

template <typename T>
typename internal::EValueReference<T>::of_const EValue::to() const& {
  using Value = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (std::is_same<Value, ::executorch::aten::Tensor>::value) {
    return toTensor();
  } else {
    return internal::EValueAccess<Value>::to(*this);
  }
}

template <typename T>
typename internal::EValueReference<T>::of_mutable EValue::to() & {
  if constexpr (std::is_same<std::remove_cv_t<std::remove_reference_t<T>>,
                             ::executorch::aten::Tensor>::value) {
    return toTensor();
  } else {
    return static_cast<const EValue&>(*this).to<T>();
  }
}

template <typename T>
Result<T> EValue::try_to() const {
  return internal::EValueAccess<T>::try_to(*this);
}

}  // namespace runtime
}  // namespace executorch
