/// @file
/// Span<T>: a view of contiguous, possibly mutable elements that somebody else owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

/// Like ArrayRef<T>, but the elements are writable unless T is const.
template <typename T>
class Span final {
 public:
  using value_type = std::remove_cv_t<T>;
  using element_type = T;
  using iterator = T*;
  using const_iterator = const T*;
  using size_type = size_t;

  /* implicit */ constexpr Span() noexcept : data_(nullptr), length_(0) {}

  /// The one element `element`.
  /* implicit */ constexpr Span(T& element) : data_(&element), length_(1) {}

  /// `length` elements at `data`, which may be null only if `length` is 0.
  /* implicit */ Span(T* data, size_t length) : data_(data), length_(length) {
    ET_DCHECK(data_ != nullptr || length_ == 0);
  }

  /// Elements of [begin, end).
  Span(T* begin, T* end) : data_(begin), length_(static_cast<size_t>(end - begin)) {}

  /// A C array.
  template <size_t N>
  /* implicit */ constexpr Span(T (&array)[N]) : data_(array), length_(N) {}

  /// Any container with data() and size() of convertible element type (vector, array, Span<T> to
  /// Span<const T>, ArrayRef to Span<const T>).
  template <typename Container,
            typename = std::enable_if_t<
                !std::is_same<std::remove_cv_t<std::remove_reference_t<Container>>, Span>::value &&
                std::is_convertible<
                    std::remove_pointer_t<decltype(std::declval<Container&>().data())> (*)[],
                    T (*)[]>::value &&
                std::is_convertible<decltype(std::declval<Container&>().size()), size_t>::value>>
  /* implicit */ constexpr Span(Container&& container)
      : data_(container.data()), length_(container.size()) {}

  constexpr iterator begin() const noexcept { return data_; }
  constexpr iterator end() const noexcept { return data_ + length_; }

  constexpr T* data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return length_; }
  constexpr bool empty() const noexcept { return length_ == 0; }

  /// Element `index`; unchecked in release builds.
  T& operator[](size_t index) const {
    ET_DCHECK(index < length_);
    return data_[index];
  }

 private:
  T* data_;
  size_t length_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Span;
}  // namespace executor
}  // namespace torch
