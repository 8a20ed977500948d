#include <cinttypes>
#include <cstring>
#include <limits>

#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/runtime/core/little_endian.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::Result;

namespace {

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
  const auto length = runtime::read_little_endian<uint32_t>(header + 4);
  if (length < kHeaderExpectedLength) {
    ET_LOG(Error, "The .ptd header should have at least %" PRIu32 " bytes, but says %" PRIu32,
           kHeaderExpectedLength, length);
    return Error::InvalidExternalData;
  }
  FlatTensorHeader result;
  result.flatbuffer_offset = runtime::read_little_endian<uint64_t>(header + 8);
  result.flatbuffer_size = runtime::read_little_endian<uint64_t>(header + 16);
  result.segment_base_offset = runtime::read_little_endian<uint64_t>(header + 24);
  result.segment_data_size = runtime::read_little_endian<uint64_t>(header + 32);

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
