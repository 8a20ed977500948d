#include <cinttypes>
#include <cstring>

#include <executorch/runtime/core/little_endian.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/schema/extended_header.h>

namespace executorch {
namespace runtime {
namespace {

// Offsets from the start of the header, not of the file.
constexpr size_t kLengthOffset = ExtendedHeader::kMagicSize;
constexpr size_t kProgramSizeOffset = 8;
constexpr size_t kSegmentBaseOffset = 16;
constexpr size_t kSegmentDataSizeOffset = 24;
constexpr uint32_t kLengthWithSegmentDataSize = 32;

static_assert(ExtendedHeader::kHeaderOffset + kLengthWithSegmentDataSize <=
                  ExtendedHeader::kNumHeadBytes,
              "every field must lie within the bytes that Parse asks for");

}  // namespace

/* static */ Result<ExtendedHeader> ExtendedHeader::Parse(const void* data, size_t size) {
  if (data == nullptr || size < kNumHeadBytes) {
    ET_LOG(Error, "Reading an extended header takes %zu bytes, got %zu", kNumHeadBytes, size);
    return Error::InvalidArgument;
  }
  const uint8_t* header = static_cast<const uint8_t*>(data) + kHeaderOffset;

  if (std::memcmp(header, kMagic, kMagicSize) != 0) {
    // Not worth a log line: programs without segments have no extended header.
    return Error::NotFound;
  }

  const uint32_t length = read_little_endian<uint32_t>(header + kLengthOffset);
  if (length < kMinLength) {
    ET_LOG(Error, "Extended header has length %" PRIu32 ", expected at least %" PRIu32, length,
           kMinLength);
    return Error::InvalidProgram;
  }

  ExtendedHeader result{};
  result.program_size = read_little_endian<uint64_t>(header + kProgramSizeOffset);
  result.segment_base_offset = read_little_endian<uint64_t>(header + kSegmentBaseOffset);
  if (length >= kLengthWithSegmentDataSize) {
    result.segment_data_size = read_little_endian<uint64_t>(header + kSegmentDataSizeOffset);
  }
  return result;
}

}  // namespace runtime
}  // namespace executorch
