/// @file
/// Tag: what an EValue holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/defines.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Calls `_(name)` for every tag, in the order of their numbers.
#define EXECUTORCH_FORALL_TAGS(_) \
  _(None)                         \
  _(Tensor)                       \
  _(String)                       \
  _(Double)                       \
  _(Int)                          \
  _(Bool)                         \
  _(ListBool)                     \
  _(ListDouble)                   \
  _(ListInt)                      \
  _(ListTensor)                   \
  _(ListScalar)                   \
  _(ListOptionalTensor)

/// Type of the value in an EValue.
enum class Tag : uint32_t {
#define ET_INTERNAL_TAG(name) name,
  EXECUTORCH_FORALL_TAGS(ET_INTERNAL_TAG)
#undef ET_INTERNAL_TAG
};

/// Room for the longest text of tag_to_string(), terminator included.
constexpr size_t kTagNameBufferSize = 32;

/// Writes the tag's name, or "Unknown(<number>)", zero-terminated and cut off if need be.
///
/// @return Characters of the whole text without terminator, as snprintf() counts.
size_t tag_to_string(Tag tag, char* buffer, size_t buffer_size);

/// The tag's name, or "Unknown". Never null.
const char* tag_name(Tag tag);

/// The same under the name that the other form has.
inline const char* tag_to_string(Tag tag) { return tag_name(tag); }

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::kTagNameBufferSize;
using ::executorch::runtime::Tag;
using ::executorch::runtime::tag_to_string;
}  // namespace executor
}  // namespace torch
