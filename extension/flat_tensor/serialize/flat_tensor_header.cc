#include <cinttypes>
#include <cstring>
#include <limits>

#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::Result;

namespace {

uint64_t read_little_endian(const uint8_t* bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

bool add_overflows(uint64_t a, uint64_t b) { return a > std::numeric_limits<uint64_t>::max() - b; }

}  // namespace

Result<FlatTensorHeader> FlatTensorHeader::Parse(const void* data, size_t size) {
  if (data == nullptr || size < kNumHeadBytes) {
    ET_LOG(Error, "A .ptd header needs %zu bytes, found %zu", kNumHeadBytes, size);
    return Error::InvalidArgument;
  }
  const uint8_t* header = static_cast<const uint8_t*>(data) + kHeaderOffset;
  if (std::memcmp(header, kMagic, kMagicSize) != 0) {
    ET_LOG(Error, "Not a .ptd file: expected %s at byte %zu", kMagic, kHeaderOffset);
    return Error::NotFound;
  }
  const auto length = static_cast<uint32_t>(read_little_endian(header + 4, 4));
  if (length < kHeaderExpectedLength) {
    ET_LOG(Error, "The .ptd header should have at least %" PRIu32 " bytes, but says %" PRIu32,
           kHeaderExpectedLength, length);
    return Error::InvalidExternalData;
  }
  FlatTensorHeader result;
  result.flatbuffer_offset = read_little_endian(header + 8, 8);
  result.flatbuffer_size = read_little_endian(header + 16, 8);
  result.segment_base_offset = read_little_endian(header + 24, 8);
  result.segment_data_size = read_little_endian(header + 32, 8);

  if (add_overflows(result.flatbuffer_offset, result.flatbuffer_size) ||
      add_overflows(result.segment_base_offset, result.segment_data_size)) {
    ET_LOG(Error, "The numbers in the .ptd header overflow");
    return Error::InvalidExternalData;
  }
  const uint64_t flatbuffer_end = result.flatbuffer_offset + result.flatbuffer_size;
  if (result.segment_data_size > 0 && result.segment_base_offset < flatbuffer_end) {
    ET_LOG(Error,
           "The segments at byte %" PRIu64 " overlap the flatbuffer that ends at byte %" PRIu64,
           result.segment_base_offset, flatbuffer_end);
    return Error::InvalidExternalData;
  }
  return result;
}

}  // namespace extension
}  // namespace executorch
