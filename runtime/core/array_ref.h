/// @file
/// ArrayRef<T>: a read-only view of contiguous elements that somebody else owns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

#include <executorch/runtime/core/portable_type/c10/c10/util/irange.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/safe_numerics.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

/// Two words, passed by value. Has PyTorch's ArrayRef interface, as far as it needs no heap.
///
/// A view of a temporary (an initializer list, a returned vector) is valid only until the end of
/// the full expression: pass it as an argument, do not keep it.
template <typename T>
class ArrayRef final {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using size_type = size_t;

  /* implicit */ constexpr ArrayRef() noexcept : data_(nullptr), length_(0) {}

  /// The one element `element`.
  /* implicit */ constexpr ArrayRef(const T& element) : data_(&element), length_(1) {}

  /// `length` elements at `data`, which may be null only if `length` is 0.
  constexpr ArrayRef(const T* data, size_t length) : data_(data), length_(length) {
    ET_DCHECK(data_ != nullptr || length_ == 0);
  }

  /// Elements of [begin, end).
  constexpr ArrayRef(const T* begin, const T* end)
      : data_(begin), length_(static_cast<size_t>(end - begin)) {}

  /// Any container with data() and size() over T: std::vector, Span, ...
  template <typename Container,
            typename = std::enable_if_t<
                std::is_same<std::remove_const_t<std::remove_pointer_t<
                                 decltype(std::declval<Container&>().data())>>,
                             T>::value &&
                std::is_convertible<decltype(std::declval<Container&>().size()), size_t>::value>>
  /* implicit */ constexpr ArrayRef(const Container& container)
      : data_(container.data()), length_(container.size()) {}

  template <size_t N>
  /* implicit */ constexpr ArrayRef(const std::array<T, N>& array)
      : data_(array.data()), length_(N) {}

  template <size_t N>
  /* implicit */ constexpr ArrayRef(const T (&array)[N]) : data_(array), length_(N) {}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
// Deliberate: the view is meant to be used within the full expression that made the list.
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  /* implicit */ constexpr ArrayRef(const std::initializer_list<T>& list)
      : data_(list.begin() == list.end() ? nullptr : list.begin()), length_(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + length_; }
  constexpr const_iterator cbegin() const { return begin(); }
  constexpr const_iterator cend() const { return end(); }
  reverse_iterator rbegin() const { return reverse_iterator(end()); }
  reverse_iterator rend() const { return reverse_iterator(begin()); }

  constexpr bool empty() const { return length_ == 0; }
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return length_; }

  /// First element; aborts if empty.
  const T& front() const {
    ET_CHECK_MSG(!empty(), "front() of an empty ArrayRef");
    return data_[0];
  }

  /// Last element; aborts if empty.
  const T& back() const {
    ET_CHECK_MSG(!empty(), "back() of an empty ArrayRef");
    return data_[length_ - 1];
  }

  /// Same length and equal elements.
  bool equals(ArrayRef other) const {
    if (length_ != other.length_) {
      return false;
    }
    for (size_t i = 0; i < length_; ++i) {
      if (!(data_[i] == other.data_[i])) {
        return false;
      }
    }
    return true;
  }

  /// `count` elements from `start` on; aborts if that is out of range.
  ArrayRef<T> slice(size_t start, size_t count) const {
    ET_CHECK_MSG(start <= length_ && count <= length_ - start,
                 "slice [%zu, +%zu) of an ArrayRef of %zu elements", start, count, length_);
    return ArrayRef<T>(data_ + start, count);
  }

  /// All but the first `start` elements; aborts if there are fewer.
  ArrayRef<T> slice(size_t start) const {
    ET_CHECK_MSG(start <= length_, "slice from %zu of an ArrayRef of %zu elements", start, length_);
    return ArrayRef<T>(data_ + start, length_ - start);
  }

  /// Element `index`; unchecked in release builds.
  constexpr const T& operator[](size_t index) const {
    ET_DCHECK(index < length_);
    return data_[index];
  }

  /// Element `index`; aborts if out of range.
  const T& at(size_t index) const {
    ET_CHECK_MSG(index < length_, "index %zu of an ArrayRef of %zu elements", index, length_);
    return data_[index];
  }

  /// Assigning a temporary would leave a dangling view, so it does not compile.
  template <typename U>
  std::enable_if_t<std::is_same<U, T>::value, ArrayRef<T>>& operator=(U&& temporary) = delete;
  template <typename U>
  std::enable_if_t<std::is_same<U, T>::value, ArrayRef<T>>& operator=(std::initializer_list<U>) =
      delete;

 private:
  const T* data_;
  size_t length_;
};

template <typename T>
ArrayRef<T> makeArrayRef(const T& element) {
  return element;
}
template <typename T>
ArrayRef<T> makeArrayRef(const T* data, size_t length) {
  return ArrayRef<T>(data, length);
}
template <typename T>
ArrayRef<T> makeArrayRef(const T* begin, const T* end) {
  return ArrayRef<T>(begin, end);
}
template <typename T>
ArrayRef<T> makeArrayRef(const ArrayRef<T>& view) {
  return view;
}
template <typename T, size_t N>
ArrayRef<T> makeArrayRef(const std::array<T, N>& array) {
  return ArrayRef<T>(array);
}
template <typename T, size_t N>
ArrayRef<T> makeArrayRef(const T (&array)[N]) {
  return ArrayRef<T>(array);
}

template <typename T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
  return !a.equals(b);
}

using IntArrayRef = ArrayRef<int64_t>;

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::ArrayRef;
using ::executorch::runtime::IntArrayRef;
using ::executorch::runtime::makeArrayRef;
}  // namespace executor
}  // namespace torch
