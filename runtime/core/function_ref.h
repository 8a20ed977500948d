/// @file
/// FunctionRef: a callable borrowed for the duration of a call, without allocation.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace executorch {
namespace runtime {

template <typename Fn>
class FunctionRef;

/// Two words that refer to any callable with the given signature. The callable must outlive it:
/// use as a parameter type, not as a member.
template <typename Ret, typename... Params>
class FunctionRef<Ret(Params...)> {
 public:
  FunctionRef() = default;
  /* implicit */ FunctionRef(std::nullptr_t) {}

  template <
      typename Callable,
      std::enable_if_t<
          !std::is_same<std::remove_cv_t<std::remove_reference_t<Callable>>, FunctionRef>::value &&
          (std::is_void<Ret>::value ||
           std::is_convertible<decltype(std::declval<Callable>()(std::declval<Params>()...)),
                               Ret>::value)>* = nullptr>
  /* implicit */ FunctionRef(Callable&& callable)
      : callback_(&invoke<std::remove_reference_t<Callable>>), target_(to_target(callable)) {}

  Ret operator()(Params... params) const {
    return callback_(target_, std::forward<Params>(params)...);
  }

  explicit operator bool() const { return callback_ != nullptr; }

  /// Whether both refer to the same callable (or to none), not whether the callables are equal.
  bool operator==(const FunctionRef& other) const {
    return callback_ == other.callback_ && target_.object == other.target_.object;
  }
  bool operator!=(const FunctionRef& other) const { return !(*this == other); }

 private:
  // Function pointers and object pointers may differ in size, hence a union and not void*.
  union Target {
    void* object;
    void (*function)();
  };

  template <typename Callable>
  static Target to_target(Callable& callable) {
    Target target;
    if constexpr (std::is_function<Callable>::value) {
      target.function = reinterpret_cast<void (*)()>(&callable);
    } else {
      target.object = const_cast<void*>(static_cast<const void*>(&callable));
    }
    return target;
  }

  template <typename Callable>
  static Ret invoke(Target target, Params... params) {
    if constexpr (std::is_function<Callable>::value) {
      return (*reinterpret_cast<Callable*>(target.function))(std::forward<Params>(params)...);
    } else {
      return static_cast<Ret>(
          (*static_cast<Callable*>(target.object))(std::forward<Params>(params)...));
    }
  }

  Ret (*callback_)(Target target, Params... params) = nullptr;
  Target target_ = {nullptr};
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::FunctionRef;
}  // namespace executor
}  // namespace torch
