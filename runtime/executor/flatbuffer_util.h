/// @file
/// Reading a program's flatbuffer safely, beyond what the flatbuffers verifier guarantees.
///
/// After verification every offset stays within the buffer, but any field may still be absent (a
/// null pointer here), any number may have any value, and vectors of eight-byte elements may start
/// at an address that is only a multiple of four. Internal to the executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <executorch/schema/program_generated.h>

namespace executorch {
namespace runtime {
namespace internal {

/// How the text begins that says how a planned buffer is laid out, see sized_arena.h.
inline constexpr std::string_view kArenaPrefix = "executorch.arena:";

/// Number of elements, 0 if the vector is absent.
template <typename T>
size_t size_of(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

/// Whether the elements may be read through a `T*`, as the flatbuffers accessors do. True for an
/// absent vector, and for an empty one, which writers need not align.
template <typename T>
bool is_aligned(const flatbuffers::Vector<T>* vector) {
  return size_of(vector) == 0 || reinterpret_cast<uintptr_t>(vector->Data()) % alignof(T) == 0;
}

/// The text, empty if it is absent. Zero-terminated if not empty.
inline std::string_view view_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : std::string_view(text->c_str(), text->size());
}

/// What follows `prefix` in `text`; `otherwise` for texts that begin with something else.
inline std::string_view after_prefix(std::string_view prefix, std::string_view text,
                                     std::string_view otherwise) {
  if (text.size() < prefix.size() || std::memcmp(text.data(), prefix.data(), prefix.size()) != 0) {
    return otherwise;
  }
  // Not substr(), which can throw.
  return {text.data() + prefix.size(), text.size() - prefix.size()};
}

/// The text for a log message, never null.
inline const char* c_str(const flatbuffers::String* text) {
  return text == nullptr ? "(missing)" : text->c_str();
}

/// Whether a text is present, not empty and without zeros inside, so that its `c_str()` is all of
/// it.
inline bool is_name(const flatbuffers::String* text) {
  const std::string_view view = view_of(text);
  return !view.empty() && view.find('\0') == std::string_view::npos;
}

/// The bytes from `offset` on that lie within `size`, without overflow.
inline bool in_bounds(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
