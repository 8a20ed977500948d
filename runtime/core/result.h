/// @file
/// Result<T>: a value or the Error that prevented it.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Holds either a T or an Error other than Ok.
///
///   Result<Program> program = Program::load(&loader);
///   if (!program.ok()) return program.error();
///   use(*program);
template <typename T>
class ET_NODISCARD Result final {
 public:
  using value_type = T;

  Result() = delete;

  /// A failed result. Error::Ok is not a failure; passing it is a bug in the caller, which must not
  /// make a result without a value look fine, so it becomes Error::Internal.
  /* implicit */ Result(Error error)
      : error_(error == Error::Ok ? Error::Internal : error), has_value_(false) {}

  /* implicit */ Result(const T& value) : has_value_(true) { new (&value_) Stored(value); }
  /* implicit */ Result(T&& value) : has_value_(true) {
    new (&value_) Stored(std::forward<T>(value));
  }

  Result(Result&& other) noexcept : has_value_(other.has_value_) {
    if (has_value_) {
      new (&value_) Stored(std::move(other.value_));
    } else {
      error_ = other.error_;
    }
  }

  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;

  ~Result() {
    if (has_value_) {
      value_.~Stored();
    }
  }

  /// True if there is a value.
  ET_NODISCARD bool ok() const { return has_value_; }

  /// Error::Ok if there is a value, otherwise the reason why not.
  ET_NODISCARD Error error() const { return has_value_ ? Error::Ok : error_; }

  /// The value; aborts if there is none.
  T& get() {
    check_value();
    return value_;
  }
  const T& get() const {
    check_value();
    return value_;
  }

  T& operator*() & { return get(); }
  const T& operator*() const& { return get(); }
  T&& operator*() && { return std::move(get()); }

  T* operator->() { return &get(); }
  const T* operator->() const { return &get(); }

 private:
  // Result<const T> is documented API (NamedDataMap); storage itself must be movable.
  using Stored = std::remove_const_t<T>;

  void check_value() const {
    ET_CHECK_MSG(has_value_, "Result has no value but error 0x%x (%s)",
                 static_cast<unsigned>(error_), to_string(error_));
  }

  union {
    Stored value_;
    Error error_;
  };
  bool has_value_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Result;
}  // namespace executor
}  // namespace torch

/// Evaluates to the value of a Result; if it failed, returns its error from the enclosing function.
/// With further arguments, logs them first as a printf-style message.
///
///   auto sizes = ET_UNWRAP(read_sizes(tensor), "tensor %zu", i);
#define ET_UNWRAP(...)                                                                           \
  ET_INTERNAL_UNWRAP_SELECT(__VA_ARGS__, MSG, MSG, MSG, MSG, MSG, MSG, MSG, MSG, MSG, MSG, BARE, \
                            unused)                                                              \
  (__VA_ARGS__)

#define ET_INTERNAL_UNWRAP_SELECT(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, KIND, ...) \
  ET_INTERNAL_UNWRAP_##KIND

#define ET_INTERNAL_UNWRAP_BARE(result__) \
  ({                                      \
    auto et_result__ = (result__);        \
    if (ET_UNLIKELY(!et_result__.ok())) { \
      return et_result__.error();         \
    }                                     \
    std::move(*et_result__);              \
  })

#define ET_INTERNAL_UNWRAP_MSG(result__, message__, ...) \
  ({                                                     \
    auto et_result__ = (result__);                       \
    if (ET_UNLIKELY(!et_result__.ok())) {                \
      ET_LOG(Error, message__, ##__VA_ARGS__);           \
      return et_result__.error();                        \
    }                                                    \
    std::move(*et_result__);                             \
  })

/// Declares `name__` as the value of a Result; if it failed, returns its error from the enclosing
/// function. With further arguments, logs them first as a printf-style message. Unlike ET_UNWRAP
/// it is a statement, so every compiler takes it and a scope has each name once.
///
///   ET_ASSIGN_OR_RETURN(sizes, read_sizes(tensor), "tensor %zu", i);
#define ET_ASSIGN_OR_RETURN(name__, ...)                                                           \
  auto et_assign_##name__ = ET_INTERNAL_FIRST(__VA_ARGS__, unused);                                \
  if (ET_UNLIKELY(!et_assign_##name__.ok())) {                                                     \
    ET_INTERNAL_ASSIGN_SELECT(__VA_ARGS__, MSG, MSG, MSG, MSG, MSG, MSG, MSG, MSG, MSG, MSG, BARE, \
                              unused)                                                              \
    (__VA_ARGS__) return et_assign_##name__.error();                                               \
  }                                                                                                \
  auto name__ = std::move(*et_assign_##name__)

#define ET_INTERNAL_FIRST(first__, ...) first__
#define ET_INTERNAL_ASSIGN_SELECT(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, KIND, ...) \
  ET_INTERNAL_ASSIGN_##KIND
#define ET_INTERNAL_ASSIGN_BARE(result__)
#define ET_INTERNAL_ASSIGN_MSG(result__, message__, ...) ET_LOG(Error, message__, ##__VA_ARGS__);
