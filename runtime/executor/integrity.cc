#include <cinttypes>
#include <cstring>

#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/executor/integrity.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace {

constexpr char kMagic[] = {'E', 'T', 'I', 'G'};
constexpr uint32_t kVersion = 1;
// What is read at a time, so that a loader that copies needs no second copy of the whole file.
constexpr size_t kChunk = 256 * 1024;

// Remainders of four bits: 64 bytes of table instead of the usual kilobyte, and two steps a byte.
constexpr uint32_t kRemainders[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

struct Record {
  char magic[4];
  uint32_t version;
  uint64_t size;
  uint64_t crc;
};
static_assert(sizeof(Record) == kIntegrityRecordSize, "the trailer is read as it lies in the file");

Result<FreeableBuffer> load(DataLoader* loader, size_t offset, size_t size) {
  Result<FreeableBuffer> buffer =
      loader->load(offset, size, DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Program));
  ET_CHECK_OR_RETURN_ERROR(!buffer.ok() || buffer->size() >= size, AccessFailed,
                           "Data loader gave %zu of %zu bytes", buffer->size(), size);
  return buffer;
}

// Whether the magic, or as much of it as is left, stands at `offset` of `size` bytes.
bool is_magic(const uint8_t* data, size_t offset, size_t size) {
  const size_t length = size - offset < sizeof(kMagic) ? size - offset : sizeof(kMagic);
  return std::memcmp(data + offset, kMagic, length) == 0;
}

// Whether the magic stands in the last bytes of the file, as it does wherever a trailer is cut off.
bool ends_with_magic(const uint8_t* data, size_t size) {
  constexpr size_t kLast = kIntegrityRecordSize + 2 * sizeof(kMagic);
  for (size_t i = size < kLast ? 0 : size - kLast; i + sizeof(kMagic) <= size; ++i) {
    if (is_magic(data, i, size)) {
      return true;
    }
  }
  return false;
}

// What a record says; `size` and `crc` of the file before the trailer are what it should say.
bool looks_like(const Record& record, size_t size) {
  return std::memcmp(record.magic, kMagic, sizeof(kMagic)) == 0 || record.size == size;
}
bool is_right(const Record& record, size_t size, uint32_t crc) {
  return std::memcmp(record.magic, kMagic, sizeof(kMagic)) == 0 && record.version == kVersion &&
         record.size == size && record.crc == crc;
}

Result<uint32_t> crc_of(DataLoader* loader, size_t size) {
  uint32_t crc = 0;
  for (size_t offset = 0; offset < size; offset += kChunk) {
    const size_t length = size - offset < kChunk ? size - offset : kChunk;
    Result<FreeableBuffer> bytes = load(loader, offset, length);
    if (!bytes.ok()) {
      return bytes.error();
    }
    crc = crc32(crc, bytes->data(), length);
  }
  return crc;
}

}  // namespace

uint32_t crc32(uint32_t crc, const void* data, size_t size) {
  crc = ~crc;
  for (size_t i = 0; i < size; ++i) {
    crc ^= static_cast<const uint8_t*>(data)[i];
    crc = (crc >> 4) ^ kRemainders[crc & 15];
    crc = (crc >> 4) ^ kRemainders[crc & 15];
  }
  return ~crc;
}

Error check_integrity(DataLoader* loader, size_t data_end) {
  const Result<size_t> file_size = loader->size();
  if (!file_size.ok()) {
    return file_size.error();
  }
  const size_t tail_size = *file_size < kIntegrityTrailerSize ? *file_size : kIntegrityTrailerSize;
  const size_t size = *file_size - tail_size;
  bool expected = false;
  Record records[2] = {};
  {
    Result<FreeableBuffer> bytes = load(loader, size, tail_size);
    if (!bytes.ok()) {
      return bytes.error();
    }
    const auto* tail = static_cast<const uint8_t*>(bytes->data());
    // Each sign means that there was a trailer; damage to some of them must not hide it.
    expected = ends_with_magic(tail, tail_size);
    if (data_end >= size && data_end != 0 && data_end < *file_size) {
      expected = expected || is_magic(tail, data_end - size, tail_size);
    }
    if (tail_size == kIntegrityTrailerSize) {
      std::memcpy(&records[0], tail + tail_size / 2 - sizeof(Record), sizeof(Record));
      std::memcpy(&records[1], tail + tail_size - sizeof(Record), sizeof(Record));
      expected = expected || looks_like(records[0], size) || looks_like(records[1], size);
    }
  }
  if (!expected) {
    return Error::Ok;
  }
  const Result<uint32_t> crc = crc_of(loader, size);
  if (!crc.ok()) {
    return crc.error();
  }
  ET_CHECK_OR_RETURN_ERROR(is_right(records[0], size, *crc) && is_right(records[1], size, *crc),
                           InvalidProgram,
                           "The file is damaged: CRC-32 0x%08" PRIx32
                           " of %zu bytes, but its trailer says 0x%08" PRIx64 " of %" PRIu64,
                           *crc, size, records[1].crc, records[1].size);
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
