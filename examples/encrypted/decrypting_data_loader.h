/// @file
/// DecryptingDataLoader: a sample of a loader of one's own. A program lies encrypted on disk; what
/// the runtime asks for is decrypted when it asks, into memory that goes with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace examples {

using Key = std::array<uint8_t, 32>;

/// How `encrypt.py` lays out a file; all numbers are little-endian.
///
/// A header, then the chunks of the program one after another, each encrypted and authenticated by
/// itself (XChaCha20-Poly1305, with 16 bytes of tag behind it), so that a segment is read without
/// those before it. A chunk's nonce is the file's and the chunk's index; every chunk is bound to
/// the header, so chunks cannot be moved, mixed or left out.
struct Header {
  char magic[8];  // "ETENCRY1"
  uint8_t nonce[16];
  uint32_t chunk_size;
  uint32_t reserved;
  uint64_t program_size;
};
static_assert(sizeof(Header) == 40, "as encrypt.py packs it");

class DecryptingDataLoader final : public runtime::DataLoader {
 public:
  /// @param source Where the encrypted file is read: any loader. It is read under way, too.
  /// @param key The one that the file was encrypted with; an application gets it from its
  /// platform's key store.
  ///
  /// @retval Error::InvalidExternalData The file is no such file, or shorter than its header says.
  [[nodiscard]] static runtime::Result<std::unique_ptr<DecryptingDataLoader>> open(
      std::unique_ptr<runtime::DataLoader> source, const Key& key);

  ~DecryptingDataLoader() override;

  /// @retval Error::InvalidArgument The range is not inside the program.
  /// @retval Error::InvalidExternalData A chunk was changed, or is of another key.
  [[nodiscard]] runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const SegmentInfo& segment_info) const override;
  [[nodiscard]] runtime::Error load_into(size_t offset, size_t size,
                                         const SegmentInfo& segment_info,
                                         void* buffer) const override;

  /// Of the program, decrypted.
  [[nodiscard]] runtime::Result<size_t> size() const override;

 private:
  DecryptingDataLoader(std::unique_ptr<runtime::DataLoader> source, const Header& header,
                       const Key& key)
      : source_(std::move(source)), header_(header), key_(key) {}

  runtime::Error check_range(size_t offset, size_t size) const;
  runtime::Error read_chunk(size_t index, const SegmentInfo& segment_info, uint8_t* plain) const;

  std::unique_ptr<runtime::DataLoader> source_;
  Header header_;
  Key key_;
};

}  // namespace examples
}  // namespace executorch
