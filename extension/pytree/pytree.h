/// @file
/// Nested containers (lists, tuples, named tuples, dicts) over leaves of one type: taken apart into
/// an array of leaves and a spec, and put together again. The text of a spec is what programs carry
/// in their container metadata, see tree_spec.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace pytree {

/// What a node of a tree is.
enum class Kind : uint8_t { List, Tuple, NamedTuple, Dict, Leaf };

/// Nothing: the default of what a node can carry besides its children.
struct Empty {};

/// The key of a dict's entry, a string or an integer.
class Key {
 public:
  enum class Kind : uint8_t { None, Int, Str };

  Key() = default;
  /* implicit */ Key(int64_t value) : kind_(Kind::Int), int_(value) {}
  /* implicit */ Key(int value) : Key(static_cast<int64_t>(value)) {}
  /* implicit */ Key(std::string value) : kind_(Kind::Str), str_(std::move(value)) {}
  /* implicit */ Key(const char* value) : Key(std::string(value)) {}

  Kind kind() const { return kind_; }

  /// The integer. Ends the process if the key is none.
  int64_t as_int() const {
    ET_CHECK_MSG(kind_ == Kind::Int, "the key is no integer");
    return int_;
  }
  operator int64_t() const { return as_int(); }

  /// The string. Ends the process if the key is none.
  const std::string& as_str() const {
    ET_CHECK_MSG(kind_ == Kind::Str, "the key is no string");
    return str_;
  }
  operator const std::string&() const { return as_str(); }

  friend bool operator==(const Key& a, const Key& b) {
    return a.kind_ == b.kind_ && a.int_ == b.int_ && a.str_ == b.str_;
  }
  friend bool operator!=(const Key& a, const Key& b) { return !(a == b); }

 private:
  Kind kind_ = Kind::None;
  int64_t int_ = 0;
  std::string str_;
};

/// A fixed number of items that are owned.
template <typename T>
class arr {
 public:
  arr() = default;
  explicit arr(size_t size) : items_(size == 0 ? nullptr : new T[size]()), size_(size) {}
  arr(std::unique_ptr<T[]> items, size_t size) : items_(std::move(items)), size_(size) {}

  T& operator[](size_t index) { return items_[index]; }
  const T& operator[](size_t index) const { return items_[index]; }
  T* data() { return items_.get(); }
  const T* data() const { return items_.get(); }
  T* begin() { return data(); }
  const T* begin() const { return data(); }
  T* end() { return data() + size_; }
  const T* end() const { return data() + size_; }
  size_t size() const { return size_; }

 private:
  std::unique_ptr<T[]> items_;
  size_t size_ = 0;
};

/// A node of a tree with everything below it. T is the type of the leaves; a node can carry an Aux.
template <typename T, typename Aux = Empty>
class ContainerHandle {
 public:
  using Child = ContainerHandle<T, Aux>;

  /// A leaf.
  ContainerHandle() = default;
  /* implicit */ ContainerHandle(T leaf) : leaf_(std::move(leaf)) {}

  /// A container. A dict has as many keys as children, the others have none.
  ContainerHandle(Kind kind, std::vector<Child> children, std::vector<Key> keys = {})
      : kind_(kind), children_(std::move(children)), keys_(std::move(keys)) {
    ET_CHECK_MSG(kind != Kind::Leaf || children_.empty(), "a leaf has no children");
    const size_t expected = kind == Kind::Dict ? children_.size() : 0;
    ET_CHECK_MSG(keys_.size() == expected, "expected %zu keys for %zu children, found %zu",
                 expected, children_.size(), keys_.size());
  }

  Kind kind() const { return kind_; }
  bool isList() const { return kind_ == Kind::List; }
  bool isTuple() const { return kind_ == Kind::Tuple; }
  bool isNamedTuple() const { return kind_ == Kind::NamedTuple; }
  bool isDict() const { return kind_ == Kind::Dict; }
  bool isLeaf() const { return kind_ == Kind::Leaf; }

  /// The number of children; 0 for a leaf.
  size_t size() const { return children_.size(); }

  /// The number of leaves at or below this node.
  size_t leaves_num() const {
    size_t count = isLeaf() ? 1 : 0;
    for (const Child& child : children_) {
      count += child.leaves_num();
    }
    return count;
  }

  /// The child at a position. Ends the process if there is none.
  const Child& operator[](size_t index) const {
    ET_CHECK_MSG(index < size(), "there is no child %zu, the container has %zu", index, size());
    return children_[index];
  }
  Child& operator[](size_t index) {
    return const_cast<Child&>(static_cast<const ContainerHandle&>(*this)[index]);
  }

  /// The key of the dict's entry at a position. Ends the process if there is none.
  const Key& key(size_t index) const {
    ET_CHECK_MSG(index < keys_.size(), "there is no key %zu, the container has %zu", index,
                 keys_.size());
    return keys_[index];
  }

  bool contains(const Key& key) const { return find(key).has_value(); }

  /// The dict's entry with this key. Ends the process if there is none.
  const Child& at(const Key& key) const {
    const std::optional<size_t> index = find(key);
    ET_CHECK_MSG(index.has_value(), "the container has no such key among its %zu", keys_.size());
    return children_[*index];
  }

  /// The leaf. Ends the process if this is a container.
  const T& leaf() const {
    ET_CHECK_MSG(isLeaf(), "the node is a container, not a leaf");
    return leaf_;
  }
  T& leaf() { return const_cast<T&>(static_cast<const ContainerHandle&>(*this).leaf()); }
  operator const T&() const { return leaf(); }

  Aux& aux() { return aux_; }
  const Aux& aux() const { return aux_; }

 private:
  std::optional<size_t> find(const Key& key) const {
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i] == key) {
        return i;
      }
    }
    return std::nullopt;
  }

  Kind kind_ = Kind::Leaf;
  T leaf_{};
  std::vector<Child> children_;
  std::vector<Key> keys_;
  Aux aux_{};
};

/// The shape of a tree: the same nodes without their leaves.
template <typename Aux = Empty>
using TreeSpec = ContainerHandle<std::nullptr_t, Aux>;

/// Same kinds, keys and numbers of children all the way down.
template <typename T, typename U, typename Aux>
bool same_structure(const ContainerHandle<T, Aux>& a, const ContainerHandle<U, Aux>& b) {
  if (a.kind() != b.kind() || a.size() != b.size()) {
    return false;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if ((a.isDict() && a.key(i) != b.key(i)) || !same_structure(a[i], b[i])) {
      return false;
    }
  }
  return true;
}

/// The same tree with what `make_leaf` gives for each leaf, called from the first to the last.
template <typename To, typename From, typename Aux, typename MakeLeaf>
ContainerHandle<To, Aux> map_leaves(const ContainerHandle<From, Aux>& tree, MakeLeaf&& make_leaf) {
  ContainerHandle<To, Aux> made;
  if (tree.isLeaf()) {
    made = ContainerHandle<To, Aux>(make_leaf(tree.leaf()));
  } else {
    std::vector<ContainerHandle<To, Aux>> children;
    std::vector<Key> keys;
    children.reserve(tree.size());
    for (size_t i = 0; i < tree.size(); ++i) {
      children.push_back(map_leaves<To>(tree[i], make_leaf));
      if (tree.isDict()) {
        keys.push_back(tree.key(i));
      }
    }
    made = ContainerHandle<To, Aux>(tree.kind(), std::move(children), std::move(keys));
  }
  made.aux() = tree.aux();
  return made;
}

/// The leaves of a tree in order, which point into the tree, and its shape.
template <typename T, typename Aux>
std::pair<arr<const T*>, std::unique_ptr<TreeSpec<Aux>>> flatten(
    const ContainerHandle<T, Aux>& tree) {
  arr<const T*> leaves(tree.leaves_num());
  size_t next = 0;
  auto spec = std::make_unique<TreeSpec<Aux>>(map_leaves<std::nullptr_t>(tree, [&](const T& leaf) {
    leaves[next++] = &leaf;
    return nullptr;
  }));
  return {std::move(leaves), std::move(spec)};
}

/// A tree of the spec's shape with copies of `leaves[0]`, `leaves[1]` and so on, of which there
/// must be `spec.leaves_num()`.
template <typename Aux, typename Leaves>
auto unflatten(const TreeSpec<Aux>& spec, const Leaves& leaves) {
  using T = std::decay_t<decltype(leaves[0])>;
  size_t next = 0;
  return map_leaves<T>(spec, [&](std::nullptr_t) -> T { return leaves[next++]; });
}

}  // namespace pytree
}  // namespace extension
}  // namespace executorch

#include <executorch/extension/pytree/tree_spec.h>

namespace torch {
namespace executor {
namespace pytree {
using ::executorch::extension::pytree::arr;
using ::executorch::extension::pytree::ContainerHandle;
using ::executorch::extension::pytree::Empty;
using ::executorch::extension::pytree::flatten;
using ::executorch::extension::pytree::from_str_tree_spec;
using ::executorch::extension::pytree::Key;
using ::executorch::extension::pytree::Kind;
using ::executorch::extension::pytree::to_str_tree_spec;
using ::executorch::extension::pytree::TreeSpec;
using ::executorch::extension::pytree::unflatten;
}  // namespace pytree
}  // namespace executor
}  // namespace torch
