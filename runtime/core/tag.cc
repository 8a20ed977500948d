#include <cinttypes>
#include <cstdio>

#include <executorch/runtime/core/defines.h>
#include <executorch/runtime/core/tag.h>

namespace executorch {
namespace runtime {
namespace {

/// Null for numbers that are no tag.
const char* find_tag_name(Tag tag) {
#if ET_ENABLE_ENUM_STRINGS
  switch (tag) {
#define ET_INTERNAL_TAG_NAME(name) \
  case Tag::name:                  \
    return #name;
    EXECUTORCH_FORALL_TAGS(ET_INTERNAL_TAG_NAME)
#undef ET_INTERNAL_TAG_NAME
  }
#else
  (void)tag;
#endif
  return nullptr;
}

}  // namespace

const char* tag_name(Tag tag) {
  const char* name = find_tag_name(tag);
  return name == nullptr ? "Unknown" : name;
}

size_t tag_to_string(Tag tag, char* buffer, size_t buffer_size) {
  const char* name = find_tag_name(tag);
  const int length = name != nullptr ? std::snprintf(buffer, buffer_size, "%s", name)
                                     : std::snprintf(buffer, buffer_size, "Unknown(%" PRIu32 ")",
                                                     static_cast<uint32_t>(tag));
  return length < 0 ? 0 : static_cast<size_t>(length);
}

}  // namespace runtime
}  // namespace executorch
