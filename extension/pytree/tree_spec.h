/// @file
/// The text of a tree's shape, as programs carry it: `$` is a leaf; `L2#1#1($,$)` is a list of two
/// children with one leaf each; `T` is a tuple, `N` a named tuple and `D` a dict, whose children
/// have their keys in front: `D2#1#1('a':$,7:$)`. Include pytree.h, which includes this.
#pragma once

#include <string>
#include <string_view>

#include <executorch/extension/pytree/pytree.h>

namespace executorch {
namespace extension {
namespace pytree {
namespace internal {

/// The parsed shape; InvalidArgument for text that is none, with a log line that says where.
runtime::Result<TreeSpec<Empty>> parse(std::string_view text);

void append_key(const Key& key, std::string& text);
char kind_letter(Kind kind);

template <typename T, typename Aux>
void append(const ContainerHandle<T, Aux>& tree, std::string& text) {
  if (tree.isLeaf()) {
    text += '$';
    return;
  }
  text += kind_letter(tree.kind());
  text += std::to_string(tree.size());
  for (size_t i = 0; i < tree.size(); ++i) {
    text += '#';
    text += std::to_string(tree[i].leaves_num());
  }
  text += '(';
  for (size_t i = 0; i < tree.size(); ++i) {
    text += i == 0 ? "" : ",";
    if (tree.isDict()) {
      append_key(tree.key(i), text);
      text += ':';
    }
    append(tree[i], text);
  }
  text += ')';
}

}  // namespace internal

/// The shape that a text describes.
///
/// @retval Error::InvalidArgument The text describes none; the log says what is wrong where.
inline runtime::Result<TreeSpec<Empty>> try_from_str_tree_spec(std::string_view text) {
  return internal::parse(text);
}

/// The shape that a text describes. Ends the process if it describes none.
inline TreeSpec<Empty> from_str_tree_spec(std::string_view text) {
  runtime::Result<TreeSpec<Empty>> spec = internal::parse(text);
  ET_CHECK_MSG(spec.ok(), "not the text of a tree: %.*s", static_cast<int>(text.size()),
               text.data());
  return std::move(*spec);
}

/// The text of a tree's shape.
template <typename T, typename Aux>
std::string to_str_tree_spec(const ContainerHandle<T, Aux>& tree) {
  std::string text;
  internal::append(tree, text);
  return text;
}

/// As unflatten() of a spec, from its text. Ends the process if the text describes none.
template <typename Leaves>
auto unflatten(const std::string& spec, const Leaves& leaves) {
  return unflatten(from_str_tree_spec(spec), leaves);
}

}  // namespace pytree
}  // namespace extension
}  // namespace executorch
