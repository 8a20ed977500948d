#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include <sodium/crypto_aead_xchacha20poly1305.h>

#include <executorch/examples/encrypted/decrypting_data_loader.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace examples {

using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

constexpr size_t kTag = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(crypto_aead_xchacha20poly1305_ietf_KEYBYTES == sizeof(Key));
static_assert(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES ==
              sizeof(Header::nonce) + sizeof(uint64_t));

/// Programs and their segments are aligned relative to the start of the file.
constexpr std::align_val_t kAlignment{128};

/// Not left to an optimizer, which sees that nobody reads it afterwards.
void wipe(void* memory, size_t size) {
  volatile auto* bytes = static_cast<volatile uint8_t*>(memory);
  std::fill(bytes, bytes + size, uint8_t{0});
}

void wipe_and_free(void* /*context*/, void* data, size_t size) {
  wipe(data, size);
  ::operator delete(data, kAlignment);
}

size_t num_chunks(const Header& header) {
  return static_cast<size_t>(header.program_size / header.chunk_size) +
         (header.program_size % header.chunk_size != 0 ? 1 : 0);
}

/// That of the file behind the header, or nothing where the header cannot be true.
Error check_header(const Header& header, size_t file_size) {
  ET_CHECK_OR_RETURN_ERROR(std::memcmp(header.magic, "ETENCRY1", sizeof(header.magic)) == 0,
                           InvalidExternalData, "No encrypted program: it begins otherwise");
  ET_CHECK_OR_RETURN_ERROR(header.chunk_size > 0 && header.program_size <= file_size,
                           InvalidExternalData,
                           "The header of an encrypted program says %llu bytes in chunks of %lu",
                           static_cast<unsigned long long>(header.program_size),
                           static_cast<unsigned long>(header.chunk_size));
  const size_t expected = sizeof(Header) + static_cast<size_t>(header.program_size);
  const size_t tags = num_chunks(header);
  ET_CHECK_OR_RETURN_ERROR(tags <= file_size / kTag && expected + tags * kTag == file_size,
                           InvalidExternalData,
                           "An encrypted program of %zu bytes, whose header says %zu and %zu tags",
                           file_size, expected, tags);
  return Error::Ok;
}

}  // namespace

Result<std::unique_ptr<DecryptingDataLoader>> DecryptingDataLoader::open(
    std::unique_ptr<DataLoader> source, const Key& key) {
  const Result<size_t> file_size = source->size();
  if (!file_size.ok()) {
    return file_size.error();
  }
  ET_CHECK_OR_RETURN_ERROR(*file_size >= sizeof(Header), InvalidExternalData,
                           "No encrypted program: it has only %zu bytes", *file_size);
  Header header;
  Error error = source->load_into(0, sizeof(header), SegmentInfo(), &header);
  if (error == Error::Ok) {
    error = check_header(header, *file_size);
  }
  if (error != Error::Ok) {
    return error;
  }
  return std::unique_ptr<DecryptingDataLoader>(
      new DecryptingDataLoader(std::move(source), header, key));
}

DecryptingDataLoader::~DecryptingDataLoader() { wipe(key_.data(), key_.size()); }

Error DecryptingDataLoader::check_range(size_t offset, size_t size) const {
  const auto whole = static_cast<size_t>(header_.program_size);
  ET_CHECK_OR_RETURN_ERROR(offset <= whole && size <= whole - offset, InvalidArgument,
                           "%zu bytes from offset %zu asked for, but the program has only %zu",
                           size, offset, whole);
  return Error::Ok;
}

/// Decrypts a chunk to `plain`, which has room for it.
Error DecryptingDataLoader::read_chunk(size_t index, const SegmentInfo& segment_info,
                                       uint8_t* plain) const {
  const size_t start = index * header_.chunk_size;
  const size_t size =
      std::min<size_t>(header_.chunk_size, static_cast<size_t>(header_.program_size) - start);
  std::vector<uint8_t> cipher(size + kTag);
  const Error error = source_->load_into(sizeof(Header) + start + index * kTag, cipher.size(),
                                         segment_info, cipher.data());
  if (error != Error::Ok) {
    return error;
  }
  uint8_t nonce[crypto_aead_xchacha20poly1305_ietf_NPUBBYTES];
  std::memcpy(nonce, header_.nonce, sizeof(header_.nonce));
  const uint64_t number = index;
  std::memcpy(nonce + sizeof(header_.nonce), &number, sizeof(number));
  const int refused = crypto_aead_xchacha20poly1305_ietf_decrypt(
      plain, nullptr, nullptr, cipher.data(), cipher.size(),
      reinterpret_cast<const uint8_t*>(&header_), sizeof(header_), nonce, key_.data());
  ET_CHECK_OR_RETURN_ERROR(refused == 0, InvalidExternalData,
                           "Chunk %zu of an encrypted program was changed, or is of another key",
                           index);
  return Error::Ok;
}

Error DecryptingDataLoader::load_into(size_t offset, size_t size, const SegmentInfo& segment_info,
                                      void* buffer) const {
  Error error = check_range(offset, size);
  if (error != Error::Ok) {
    return error;
  }
  // No more than there is: nothing has vouched for the header's number before a chunk is decrypted.
  const auto whole = static_cast<size_t>(header_.program_size);
  std::vector<uint8_t> chunk(size == 0 ? 0 : std::min<size_t>(header_.chunk_size, whole));
  auto* out = static_cast<uint8_t*>(buffer);
  const size_t end = offset + size;
  while (error == Error::Ok && offset < end) {
    const size_t index = offset / header_.chunk_size;
    const size_t skipped = offset - index * header_.chunk_size;
    const size_t taken = std::min(end - offset, header_.chunk_size - skipped);
    error = read_chunk(index, segment_info, chunk.data());
    if (error == Error::Ok) {
      std::memcpy(out, chunk.data() + skipped, taken);
      out += taken;
      offset += taken;
    }
  }
  wipe(chunk.data(), chunk.size());
  return error;
}

Result<FreeableBuffer> DecryptingDataLoader::load(size_t offset, size_t size,
                                                  const SegmentInfo& segment_info) const {
  Error error = check_range(offset, size);
  if (error != Error::Ok) {
    return error;
  }
  void* memory = ::operator new(size + 1, kAlignment, std::nothrow);
  ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed, "No memory for %zu bytes",
                           size);
  error = load_into(offset, size, segment_info, memory);
  if (error != Error::Ok) {
    wipe_and_free(nullptr, memory, size);
    return error;
  }
  return FreeableBuffer(memory, size, wipe_and_free);
}

Result<size_t> DecryptingDataLoader::size() const {
  return static_cast<size_t>(header_.program_size);
}

}  // namespace examples
}  // namespace executorch
