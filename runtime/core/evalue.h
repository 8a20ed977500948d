/// @file
/// EValue: one value of a program, of a type known at run time only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <executorch/runtime/core/boxed_evalue_list.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

namespace internal {

template <typename T>
struct EValueAccess;

/// What `to<T>()` gives of an EValue that stays: a T, and of a Tensor the handle inside.
template <typename T>
struct EValueReference {
  using of_mutable = T;
  using of_const = T;
};
template <>
struct EValueReference<::executorch::aten::Tensor> {
  using of_mutable = ::executorch::aten::Tensor&;
  using of_const = const ::executorch::aten::Tensor&;
};

/// `T` can be dereferenced to something an EValue can be made of, and is not a raw pointer: smart
/// pointers and optionals.
template <typename T, typename = void>
struct is_evalue_pointer : std::false_type {};

// How an access goes wrong, out of line to keep the accessors small.

/// Logs what was expected and what the EValue holds.
void log_wrong_tag(const char* expected, Tag actual);

/// For an EValue that holds another type, or the expected one with a null pointer: logs which.
///
/// @retval Error::InvalidType  Another type.
/// @retval Error::InvalidState A null pointer.
Error fail_access(Tag expected, Tag actual);

/// The same for accessors that abort.
ET_NORETURN void abort_access(const char* expected, Tag actual, bool is_null);

}  // namespace internal

/// A tagged union of the types of the program format: None, Tensor, String, Double, Int, Bool and
/// lists.
///
/// Owns nothing: tensors are handles; strings and lists point at memory that must outlive the
/// value.
///
/// Three ways to read it. `isX()` asks. `toX()` aborts if the type is another: for code that knows.
/// `tryToX()` and `try_to<T>()` return Error::InvalidType: for values from programs and users. A
/// string or list whose pointer is null aborts likewise, or returns Error::InvalidState.
struct EValue {
  union Payload {
    /// Members whose bytes may be copied. Tensor is kept apart since it has no default value.
    union TriviallyCopyablePayload {
      TriviallyCopyablePayload() : as_int(0) {}
      int64_t as_int;
      double as_double;
      bool as_bool;
      const ::executorch::aten::ArrayRef<char>* as_string_ptr;
      const ::executorch::aten::ArrayRef<double>* as_double_list_ptr;
      const ::executorch::aten::ArrayRef<bool>* as_bool_list_ptr;
      BoxedEvalueList<int64_t>* as_int_list_ptr;
      BoxedEvalueList<::executorch::aten::Tensor>* as_tensor_list_ptr;
      BoxedEvalueList<std::optional<::executorch::aten::Tensor>>* as_list_optional_tensor_ptr;
    } copyable_union;
    ::executorch::aten::Tensor as_tensor;

    Payload() {}
    ~Payload() {}
  };

  Payload payload;
  Tag tag;

  // --- Construction ---

  /// None.
  EValue() : tag(Tag::None) {}

  /* implicit */ EValue(bool value) : tag(Tag::Bool) { payload.copyable_union.as_bool = value; }

  /// Any integer type but bool.
  template <typename T,
            std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value, int> = 0>
  /* implicit */ EValue(T value) : tag(Tag::Int) {
    payload.copyable_union.as_int = static_cast<int64_t>(value);
  }

  /// float or double.
  template <typename T, std::enable_if_t<std::is_floating_point<T>::value, long> = 0>
  /* implicit */ EValue(T value) : tag(Tag::Double) {
    payload.copyable_union.as_double = static_cast<double>(value);
  }

  /// Bool, Int or Double.
  /* implicit */ EValue(::executorch::aten::Scalar value) {
    if (value.isBoolean()) {
      tag = Tag::Bool;
      payload.copyable_union.as_bool = value.to<bool>();
    } else if (value.isIntegral(/*includeBool=*/false)) {
      tag = Tag::Int;
      payload.copyable_union.as_int = value.to<int64_t>();
    } else {
      tag = Tag::Double;
      payload.copyable_union.as_double = value.to<double>();
    }
  }

  /* implicit */ EValue(::executorch::aten::Tensor value) : tag(Tag::Tensor) {
    new (&payload.as_tensor)::executorch::aten::Tensor(value);
  }

  /* implicit */ EValue(::executorch::aten::ScalarType value)
      : EValue(static_cast<int64_t>(value)) {}
  /* implicit */ EValue(::executorch::aten::MemoryFormat value)
      : EValue(static_cast<int64_t>(value)) {}
  /* implicit */ EValue(::executorch::aten::Layout value) : EValue(static_cast<int64_t>(value)) {}

  // Strings and lists: the pointed-to object is not copied and must outlive the EValue. A null
  // pointer is a bug of the caller and aborts.

  /* implicit */ EValue(const ::executorch::aten::ArrayRef<char>* value) : tag(Tag::String) {
    ET_CHECK_MSG(value != nullptr, "null pointer to a string");
    payload.copyable_union.as_string_ptr = value;
  }
  /* implicit */ EValue(const ::executorch::aten::ArrayRef<bool>* value) : tag(Tag::ListBool) {
    ET_CHECK_MSG(value != nullptr, "null pointer to a bool list");
    payload.copyable_union.as_bool_list_ptr = value;
  }
  /* implicit */ EValue(const ::executorch::aten::ArrayRef<double>* value) : tag(Tag::ListDouble) {
    ET_CHECK_MSG(value != nullptr, "null pointer to a double list");
    payload.copyable_union.as_double_list_ptr = value;
  }
  /* implicit */ EValue(BoxedEvalueList<int64_t>* value) : tag(Tag::ListInt) {
    ET_CHECK_MSG(value != nullptr, "null pointer to an int list");
    payload.copyable_union.as_int_list_ptr = value;
  }
  /* implicit */ EValue(BoxedEvalueList<::executorch::aten::Tensor>* value) : tag(Tag::ListTensor) {
    ET_CHECK_MSG(value != nullptr, "null pointer to a tensor list");
    payload.copyable_union.as_tensor_list_ptr = value;
  }
  /* implicit */ EValue(BoxedEvalueList<std::optional<::executorch::aten::Tensor>>* value)
      : tag(Tag::ListOptionalTensor) {
    ET_CHECK_MSG(value != nullptr, "null pointer to an optional tensor list");
    payload.copyable_union.as_list_optional_tensor_ptr = value;
  }

  /// What a smart pointer points at (e.g. a TensorPtr, std::unique_ptr<EValue>). Aborts on null.
  template <typename P,
            std::enable_if_t<internal::is_evalue_pointer<std::decay_t<P>>::value, short> = 0>
  /* implicit */ EValue(P&& pointer) : tag(Tag::None) {
    ET_CHECK_MSG(static_cast<bool>(pointer), "null smart pointer where a value is needed");
    *this = EValue(*pointer);
  }

  EValue(const EValue& other) : tag(other.tag) { copy_payload(other); }
  EValue(EValue&& other) noexcept : tag(other.tag) {
    copy_payload(other);
    other.clear();
  }
  EValue& operator=(const EValue& other) {
    tag = other.tag;
    copy_payload(other);
    return *this;
  }
  EValue& operator=(EValue&& other) noexcept {
    if (this != &other) {
      tag = other.tag;
      copy_payload(other);
      other.clear();
    }
    return *this;
  }
  ~EValue() = default;

  // --- Types ---

  bool isNone() const { return tag == Tag::None; }
  bool isInt() const { return tag == Tag::Int; }
  bool isDouble() const { return tag == Tag::Double; }
  bool isBool() const { return tag == Tag::Bool; }
  bool isScalar() const { return tag == Tag::Int || tag == Tag::Double || tag == Tag::Bool; }
  bool isTensor() const { return tag == Tag::Tensor; }
  bool isString() const { return tag == Tag::String; }
  bool isIntList() const { return tag == Tag::ListInt; }
  bool isBoolList() const { return tag == Tag::ListBool; }
  bool isDoubleList() const { return tag == Tag::ListDouble; }
  bool isTensorList() const { return tag == Tag::ListTensor; }
  bool isListOptionalTensor() const { return tag == Tag::ListOptionalTensor; }

  // --- Access that aborts on another type ---

  int64_t toInt() const;
  double toDouble() const;
  bool toBool() const;
  ::executorch::aten::Scalar toScalar() const;
  /// The handle itself, which shares the tensor's data and metadata.
  ::executorch::aten::Tensor& toTensor() &;
  const ::executorch::aten::Tensor& toTensor() const&;
  ::executorch::aten::Tensor toTensor() &&;
  std::string_view toString() const;
  ::executorch::aten::ArrayRef<int64_t> toIntList() const;
  ::executorch::aten::ArrayRef<bool> toBoolList() const;
  ::executorch::aten::ArrayRef<double> toDoubleList() const;
  ::executorch::aten::ArrayRef<::executorch::aten::Tensor> toTensorList() const;
  ::executorch::aten::ArrayRef<std::optional<::executorch::aten::Tensor>> toListOptionalTensor()
      const;
  /// From an Int; also aborts if the number is no enumerator.
  ::executorch::aten::ScalarType toScalarType() const;
  ::executorch::aten::MemoryFormat toMemoryFormat() const;
  ::executorch::aten::Layout toLayout() const;
  ::executorch::aten::Device toDevice() const;

  /// Gives a value for other than None.
  template <typename T>
  std::optional<T> toOptional() const {
    if (isNone()) {
      return std::nullopt;
    }
    return to<T>();
  }

  /// The value as a T: int64_t, double, bool, Scalar, Tensor, std::string_view, ArrayRef of these
  /// as far as lists exist, ScalarType, MemoryFormat, Layout, Device, or std::optional of any.
  /// Aborts on another type. Of a value that stays, a Tensor is the handle itself, as with
  /// toTensor().
  template <typename T>
  T to() &&;
  template <typename T>
  typename internal::EValueReference<T>::of_const to() const&;
  template <typename T>
  typename internal::EValueReference<T>::of_mutable to() &;

  // --- Access that returns Error::InvalidType on another type ---

  Result<int64_t> tryToInt() const;
  Result<double> tryToDouble() const;
  Result<bool> tryToBool() const;
  Result<::executorch::aten::Scalar> tryToScalar() const;
  Result<::executorch::aten::Tensor> tryToTensor() const;
  Result<std::string_view> tryToString() const;
  Result<::executorch::aten::ArrayRef<int64_t>> tryToIntList() const;
  Result<::executorch::aten::ArrayRef<bool>> tryToBoolList() const;
  Result<::executorch::aten::ArrayRef<double>> tryToDoubleList() const;
  Result<::executorch::aten::ArrayRef<::executorch::aten::Tensor>> tryToTensorList() const;
  Result<::executorch::aten::ArrayRef<std::optional<::executorch::aten::Tensor>>>
  tryToListOptionalTensor() const;
  Result<::executorch::aten::ScalarType> tryToScalarType() const;
  Result<::executorch::aten::MemoryFormat> tryToMemoryFormat() const;
  Result<::executorch::aten::Layout> tryToLayout() const;
  Result<::executorch::aten::Device> tryToDevice() const;

  /// to<T>() that returns an error instead of aborting.
  template <typename T>
  Result<T> try_to() const;
  /// The same, spelled like its siblings.
  template <typename T>
  Result<T> tryTo() const {
    return try_to<T>();
  }

  /// toOptional<T>() that returns an error instead of aborting.
  template <typename T>
  Result<std::optional<T>> tryToOptional() const {
    return try_to<std::optional<T>>();
  }

 private:
  void copy_payload(const EValue& other) {
    if (tag == Tag::Tensor) {
      new (&payload.as_tensor)::executorch::aten::Tensor(other.payload.as_tensor);
    } else {
      payload.copyable_union = other.payload.copyable_union;
    }
  }

  void clear() {
    tag = Tag::None;
    payload.copyable_union.as_int = 0;
  }
};

}  // namespace runtime
}  // namespace executorch

#include <executorch/runtime/core/evalue_access.h>

namespace torch {
namespace executor {
using ::executorch::runtime::BoxedEvalueList;
using ::executorch::runtime::EValue;
}  // namespace executor
}  // namespace torch
