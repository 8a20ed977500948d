#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <variant>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {

/// Bytes of an option's key, with the terminating zero.
static constexpr size_t kMaxOptionKeyLength = 64;
/// Bytes of an option's text value, with the terminating zero.
static constexpr size_t kMaxOptionValueLength = 256;

/// What an option can hold. Texts are stored inside the option, so no option owns memory.
using OptionValue = std::variant<bool, int, std::array<char, kMaxOptionValueLength>>;

/// A named setting of a backend.
struct BackendOption {
  char key[kMaxOptionKeyLength]{};
  OptionValue value;
};

namespace internal {

/// Copies `text`, as much as fits, always zero-terminated; reports whether all of it fitted.
inline bool copy_option_text(char* to, size_t capacity, const char* text) {
  size_t length = 0;
  while (length + 1 < capacity && text[length] != '\0') {
    to[length] = text[length];
    ++length;
  }
  to[length] = '\0';
  return text[length] == '\0';
}

/// Reads a value of type T out of an option.
///
/// @tparam T bool, int, const char* or std::array<char, kMaxOptionValueLength>.
/// @param out A `const char*` points into `option` afterwards.
/// @retval Error::InvalidArgument The option holds a value of another type.
template <typename T>
Error read_option_value(const BackendOption& option, T& out) {
  using Text = std::array<char, kMaxOptionValueLength>;
  if constexpr (std::is_same_v<T, const char*>) {
    if (const Text* text = std::get_if<Text>(&option.value)) {
      out = text->data();
      return Error::Ok;
    }
  } else {
    static_assert(std::is_same_v<T, bool> || std::is_same_v<T, int> || std::is_same_v<T, Text>,
                  "a backend option is a bool, an int or a text (const char*)");
    if (const T* value = std::get_if<T>(&option.value)) {
      out = *value;
      return Error::Ok;
    }
  }
  ET_LOG(Error, "Backend option %.*s holds a value of another type",
         static_cast<int>(kMaxOptionKeyLength), option.key);
  return Error::InvalidArgument;
}

/// Whether the zero-terminated `key` names `option`.
inline bool is_option(const BackendOption& option, const char* key) {
  return key != nullptr && std::strncmp(option.key, key, kMaxOptionKeyLength) == 0;
}

}  // namespace internal

/// A list of backend options of fixed capacity.
///
/// ```
/// BackendOptions<2> options;
/// options.set_option("num_threads", 4);
/// set_option("XnnpackBackend", options.view());
/// ```
///
/// @tparam MaxCapacity How many different keys fit.
template <size_t MaxCapacity>
class BackendOptions {
 public:
  BackendOptions() = default;
  BackendOptions(const BackendOptions&) = default;
  BackendOptions& operator=(const BackendOptions&) = default;
  virtual ~BackendOptions() = default;

  /// The options set so far, in the order of their first setting. Valid as long as this object.
  Span<BackendOption> view() { return {options_.data(), size_}; }
  Span<const BackendOption> view() const { return {options_.data(), size_}; }

  /// Sets a key, or replaces its value.
  ///
  /// @retval Error::InvalidArgument No room for another key.
  template <size_t N>
  Error set_option(const char (&key)[N], bool value) noexcept {
    static_assert(N <= kMaxOptionKeyLength, "the option's key is too long");
    return set(key, value);
  }

  /// See the overload for bool.
  template <size_t N>
  Error set_option(const char (&key)[N], int value) noexcept {
    static_assert(N <= kMaxOptionKeyLength, "the option's key is too long");
    return set(key, value);
  }

  /// Copies the text; see the overload for bool. A text of more than `kMaxOptionValueLength - 1`
  /// characters is cut, and the log says so.
  ///
  /// @retval Error::InvalidArgument Also if the text is null.
  template <size_t N>
  Error set_option(const char (&key)[N], const char* value) noexcept {
    static_assert(N <= kMaxOptionKeyLength, "the option's key is too long");
    if (value == nullptr) {
      ET_LOG(Error, "Value of backend option %s is null", key);
      return Error::InvalidArgument;
    }
    std::array<char, kMaxOptionValueLength> text{};
    if (!internal::copy_option_text(text.data(), text.size(), value)) {
      ET_LOG(Error, "Value of backend option %s is cut to %zu characters", key,
             kMaxOptionValueLength - 1);
    }
    return set(key, text);
  }

  /// Reads an option back.
  ///
  /// @tparam T bool, int or const char*; the latter points into this object.
  /// @retval Error::NotFound The key was never set.
  /// @retval Error::InvalidArgument The key holds a value of another type.
  template <typename T, size_t KeyLength>
  Error get_option(const char (&key)[KeyLength], T& out_value) const {
    static_assert(KeyLength <= kMaxOptionKeyLength, "the option's key is too long");
    for (size_t i = 0; i < size_; ++i) {
      if (internal::is_option(options_[i], key)) {
        return internal::read_option_value(options_[i], out_value);
      }
    }
    return Error::NotFound;
  }

 private:
  template <typename T>
  Error set(const char* key, const T& value) noexcept {
    for (size_t i = 0; i < size_; ++i) {
      if (internal::is_option(options_[i], key)) {
        options_[i].value = value;
        return Error::Ok;
      }
    }
    if (size_ == MaxCapacity) {
      ET_LOG(Error, "No room for backend option %s: there are %zu already", key, MaxCapacity);
      return Error::InvalidArgument;
    }
    BackendOption& option = options_[size_];
    internal::copy_option_text(option.key, sizeof(option.key), key);
    option.value = value;
    ++size_;
    return Error::Ok;
  }

  std::array<BackendOption, MaxCapacity> options_{};
  size_t size_ = 0;
};

}  // namespace runtime
}  // namespace executorch
