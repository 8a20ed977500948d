#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace executorch {
namespace extension {
namespace kernel_util {

/// Lists of types, for the signatures of kernels.
namespace typelist {

/// The list itself; never has a value.
template <class... Items>
struct typelist final {
  typelist() = delete;
};

/// Whether `T` is a typelist.
template <class T>
struct is_typelist : std::false_type {};
template <class... Items>
struct is_typelist<typelist<Items...>> : std::true_type {};

/// The number of types in a list.
template <class List>
struct size;
template <class... Items>
struct size<typelist<Items...>> final {
  static constexpr size_t value = sizeof...(Items);
};

/// The type at an index.
template <size_t Index, class List>
struct element;
template <size_t Index, class... Items>
struct element<Index, typelist<Items...>> {
  static_assert(Index < sizeof...(Items), "the list is shorter than that");
  using type = std::tuple_element_t<Index, std::tuple<Items...>>;
};
template <size_t Index, class List>
using element_t = typename element<Index, List>::type;

/// The first type, or `Default` for an empty list.
template <class Default, class List>
struct head_with_default;
template <class Default>
struct head_with_default<Default, typelist<>> {
  using type = Default;
};
template <class Default, class Head, class... Tail>
struct head_with_default<Default, typelist<Head, Tail...>> {
  using type = Head;
};
template <class Default, class List>
using head_with_default_t = typename head_with_default<Default, List>::type;

/// The list without its first `Count` types; the empty list when there are not that many.
template <class List, size_t Count>
struct drop_if_nonempty {
  using type = List;
};
template <class Head, class... Tail, size_t Count>
struct drop_if_nonempty<typelist<Head, Tail...>, Count> {
  using type = typename drop_if_nonempty<typelist<Tail...>, Count - 1>::type;
};
template <class Head, class... Tail>
struct drop_if_nonempty<typelist<Head, Tail...>, 0> {
  using type = typelist<Head, Tail...>;
};
template <class List, size_t Count>
using drop_if_nonempty_t = typename drop_if_nonempty<List, Count>::type;

}  // namespace typelist
}  // namespace kernel_util
}  // namespace extension
}  // namespace executorch
