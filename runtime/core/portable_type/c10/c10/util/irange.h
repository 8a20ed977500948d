/// @file
/// `for (const auto i : c10::irange(n))`: integer ranges whose index has the type of the bound.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/irange.h>)
#include_next <c10/util/irange.h>
#else
#include <c10/util/irange.h>
#endif
#elif !defined(ET_C10_UTIL_IRANGE_H_)
#define ET_C10_UTIL_IRANGE_H_

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/TypeSafeSignMath.h>

namespace c10 {
namespace detail {

template <typename I>
struct integer_iterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = I;
  using difference_type = std::ptrdiff_t;
  using pointer = I*;
  using reference = I&;

  explicit constexpr integer_iterator(I start) : value(start) {}
  constexpr I operator*() const { return value; }
  constexpr const I* operator->() const { return &value; }
  constexpr integer_iterator& operator++() {
    ++value;
    return *this;
  }
  constexpr integer_iterator operator++(int) {
    const integer_iterator copy = *this;
    ++*this;
    return copy;
  }
  constexpr bool operator==(const integer_iterator& other) const { return value == other.value; }
  constexpr bool operator!=(const integer_iterator& other) const { return value != other.value; }

  I value;
};

}  // namespace detail

template <typename I>
struct integer_range {
  constexpr integer_range(I first, I last) : first_(first), last_(last) {}
  using iterator = detail::integer_iterator<I>;
  constexpr iterator begin() const { return first_; }
  constexpr iterator end() const { return last_; }

 private:
  iterator first_;
  iterator last_;
};

/// [begin, end); empty if end <= begin. The index has the type of `end`.
template <
    typename Begin, typename End,
    std::enable_if_t<std::is_integral<Begin>::value && std::is_integral<End>::value, bool> = true>
constexpr integer_range<End> irange(Begin begin, End end) {
  const End first = static_cast<End>(begin);
  return {first, first < end ? end : first};
}

/// [0, end); empty if end is negative.
template <typename End, std::enable_if_t<std::is_integral<End>::value, bool> = true>
constexpr integer_range<End> irange(End end) {
  return {End(0), is_negative(end) ? End(0) : end};
}

}  // namespace c10

#endif  // ET_C10_UTIL_IRANGE_H_
