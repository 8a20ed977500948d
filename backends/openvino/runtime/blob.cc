#include <cstdint>
#include <cstring>

#include <executorch/backends/openvino/runtime/blob.h>
#include <executorch/runtime/core/little_endian.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace openvino {

using runtime::Error;
using runtime::Result;

namespace {

// The name, a version of 4 bytes, the length of the attributes in 8, the attributes, then three
// pairs of offset and size, counted from the first of these.
constexpr char kMagic[] = {'R', 'R', '_', 'U', 'P', 'C', 'V', 'O'};
constexpr size_t kAttributesLength = sizeof(kMagic) + 4;
constexpr size_t kAttributes = kAttributesLength + 8;
constexpr size_t kSections = 3;

}  // namespace

Result<std::string> read_header(const void* data, size_t size) {
  ET_CHECK_OR_RETURN_ERROR(data != nullptr && size > 0, DelegateInvalidCompatibility,
                           "OpenVINO: the delegate has no bytes");
  const char* const bytes = static_cast<const char*>(data);
  if (size < sizeof(kMagic) || std::memcmp(bytes, kMagic, sizeof(kMagic)) != 0) {
    return std::string();
  }
  ET_CHECK_OR_RETURN_ERROR(size >= kAttributes, DelegateInvalidCompatibility,
                           "OpenVINO: the delegate's bytes end in their header");
  const uint64_t length = runtime::read_little_endian<uint64_t>(bytes + kAttributesLength);
  ET_CHECK_OR_RETURN_ERROR(
      length <= size - kAttributes && size - kAttributes - length >= kSections * 16,
      DelegateInvalidCompatibility, "OpenVINO: the delegate's bytes end in their header");
  const char* const sections = bytes + kAttributes + length;
  const uint64_t room = size - kAttributes - length;
  for (size_t i = 0; i < kSections; ++i) {
    const uint64_t offset = runtime::read_little_endian<uint64_t>(sections + i * 16);
    const uint64_t bytes_in_section = runtime::read_little_endian<uint64_t>(sections + i * 16 + 8);
    ET_CHECK_OR_RETURN_ERROR(
        offset >= kSections * 16 && offset <= room && bytes_in_section <= room - offset,
        DelegateInvalidCompatibility, "OpenVINO: section %zu of the delegate's bytes leaves them",
        i);
  }
  return std::string(bytes + kAttributes, length);
}

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
