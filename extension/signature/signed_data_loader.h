/// @file
/// SignedDataLoader: a file that was checked as a whole before any of it is handed out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/signature/signature.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace extension {

/// Reads a file once, checks its signature, and keeps the bytes that it has checked: nobody can
/// change them between the check and their use. That is memory of the file's size. The signature
/// itself is not handed out, as if the file ended before it.
///
/// ```
/// auto loader = SignedDataLoader::load(file, {&key, 1});
/// if (loader.ok()) Module module(std::move(*loader));
/// ```
class SignedDataLoader final : public runtime::DataLoader {
 public:
  /// @param source Not used afterwards.
  /// @param trusted Keys of which one must have signed the file.
  /// Errors are those of check_signature() and of `source`; MemoryAllocationFailed.
  [[nodiscard]] static runtime::Result<std::unique_ptr<SignedDataLoader>> load(
      const runtime::DataLoader& source, runtime::Span<const PublicKey> trusted);

  /// The same of a file with a digest; see check_digest().
  [[nodiscard]] static runtime::Result<std::unique_ptr<SignedDataLoader>> load_with_digest(
      const runtime::DataLoader& source,
      const std::optional<ProgramDigest>& expected = std::nullopt);

  [[nodiscard]] runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const SegmentInfo& segment_info) const override {
    return bytes_.load(offset, size, segment_info);
  }
  [[nodiscard]] runtime::Result<size_t> size() const override { return bytes_.size(); }
  [[nodiscard]] runtime::Error load_into(size_t offset, size_t size,
                                         const SegmentInfo& segment_info,
                                         void* buffer) const override {
    return bytes_.load_into(offset, size, segment_info, buffer);
  }

 private:
  struct Free {
    void operator()(uint8_t* memory) const;
  };
  using Memory = std::unique_ptr<uint8_t[], Free>;

  SignedDataLoader(Memory memory, size_t size)
      : memory_(std::move(memory)), bytes_(memory_.get(), size) {}

  static runtime::Error read(const runtime::DataLoader& source, Memory& memory, size_t& size);

  Memory memory_;
  BufferDataLoader bytes_;
};

}  // namespace extension
}  // namespace executorch
