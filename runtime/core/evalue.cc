#include <executorch/runtime/core/evalue.h>

namespace executorch {
namespace runtime {

namespace internal {

void log_wrong_tag(const char* expected, Tag actual) {
  ET_LOG(Error, "expected a value of type %s, got %s (tag %u)", expected, tag_name(actual),
         static_cast<unsigned>(actual));
}

Error fail_access(Tag expected, Tag actual) {
  if (expected == actual) {
    ET_LOG(Error, "the pointer of a value of type %s is null", tag_name(expected));
    return Error::InvalidState;
  }
  log_wrong_tag(tag_name(expected), actual);
  return Error::InvalidType;
}

void abort_access(const char* expected, Tag actual, bool is_null) {
  ET_LOG(Fatal,
         is_null ? "EValue is a %s whose pointer is null: tag %u" : "EValue is not a %s: tag %u",
         expected, static_cast<unsigned>(actual));
  runtime_abort();
}

}  // namespace internal

namespace {

/// Reads one element of a list. A missing optional element is a value, not an error.
template <typename T>
struct ListElement {
  static Error read(const EValue* element, T* out) {
    ET_CHECK_OR_RETURN_ERROR(element != nullptr, InvalidState, "a list element is missing");
    auto value = element->try_to<T>();
    if (!value.ok()) {
      return value.error();
    }
    *out = *value;
    return Error::Ok;
  }
};

template <typename T>
struct ListElement<std::optional<T>> {
  static Error read(const EValue* element, std::optional<T>* out) {
    if (element == nullptr || element->isNone()) {
      *out = std::nullopt;
      return Error::Ok;
    }
    auto value = element->try_to<T>();
    if (!value.ok()) {
      return value.error();
    }
    *out = *value;
    return Error::Ok;
  }
};

}  // namespace

template <typename T>
Result<::executorch::aten::ArrayRef<T>> BoxedEvalueList<T>::tryGet() const {
  for (int i = 0; i < size_; ++i) {
    const Error error = ListElement<T>::read(wrapped_vals_[i], &unwrapped_vals_[i]);
    ET_CHECK_OK_OR_RETURN_ERROR(error, "element %d of a list of %d", i, size_);
  }
  return ::executorch::aten::ArrayRef<T>(unwrapped_vals_, static_cast<size_t>(size_));
}

template <typename T>
::executorch::aten::ArrayRef<T> BoxedEvalueList<T>::get() const {
  return *tryGet();
}

template class BoxedEvalueList<int64_t>;
template class BoxedEvalueList<::executorch::aten::Tensor>;
template class BoxedEvalueList<std::optional<::executorch::aten::Tensor>>;

}  // namespace runtime
}  // namespace executorch
