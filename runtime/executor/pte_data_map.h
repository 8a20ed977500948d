#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

// Only names, so that the flatbuffer headers stay out of this one.
namespace executorch_flatbuffer {
struct NamedData;
struct DataSegment;
}  // namespace executorch_flatbuffer
namespace flatbuffers {
template <typename T>
struct Offset;
template <typename T, typename SizeT>
class Vector;
}  // namespace flatbuffers

namespace executorch {
namespace runtime {
namespace internal {

/// The named data inside a `.pte` file: blobs in segments, without a tensor layout.
///
/// Immutable and safe to share between threads. Refers to the program's flatbuffer and to its
/// loader, both must outlive it.
///
/// All virtual functions are inline: one that is not would tie the class's type information to this
/// library, which is built without any.
class PteDataMap final : public NamedDataMap {
 public:
  using NamedDataVector =
      flatbuffers::Vector<flatbuffers::Offset<executorch_flatbuffer::NamedData>, uint32_t>;
  using SegmentVector =
      flatbuffers::Vector<flatbuffers::Offset<executorch_flatbuffer::DataSegment>, uint32_t>;

  /// @param loader Loads the segments.
  /// @param segment_base_offset Where segments start in the file.
  /// @param named_data `Program.named_data`.
  /// @param segments `Program.segments`.
  /// @retval Error::InvalidArgument An argument is null.
  /// @retval Error::InvalidProgram An entry has no key or refers to no segment.
  static Result<PteDataMap> create(DataLoader* loader, size_t segment_base_offset,
                                   const NamedDataVector* named_data,
                                   const SegmentVector* segments);

  PteDataMap(PteDataMap&& other) noexcept
      : PteDataMap(other.loader_, other.segment_base_offset_, other.named_data_, other.segments_,
                   other.num_keys_) {}
  PteDataMap(const PteDataMap&) = delete;
  PteDataMap& operator=(const PteDataMap&) = delete;
  PteDataMap& operator=(PteDataMap&&) = delete;
  ~PteDataMap() override = default;

  /// @retval Error::NotImplemented Named data in a `.pte` has no layout.
  ET_NODISCARD Result<const TensorLayout> get_tensor_layout(std::string_view key) const override {
    return find(key) < num_keys_ ? Error::NotImplemented : Error::NotFound;
  }

  /// Loads the blob with this key.
  ///
  /// @retval Error::NotFound There is none.
  /// @retval Error::InvalidProgram Its segment lies outside of the file.
  ET_NODISCARD Result<FreeableBuffer> get_data(std::string_view key) const override {
    return load(key);
  }

  /// @retval Error::NotImplemented Always.
  ET_NODISCARD Error load_data_into(std::string_view, void*, size_t) const override {
    return Error::NotImplemented;
  }

  /// Number of keys; never fails.
  ET_NODISCARD Result<uint32_t> get_num_keys() const override { return num_keys_; }

  /// A key, valid as long as the program.
  ///
  /// @retval Error::InvalidArgument `index` is not below the number of keys.
  ET_NODISCARD Result<const char*> get_key(uint32_t index) const override { return key_at(index); }

 private:
  PteDataMap(DataLoader* loader, size_t segment_base_offset, const NamedDataVector* named_data,
             const SegmentVector* segments, uint32_t num_keys)
      : loader_(loader),
        segment_base_offset_(segment_base_offset),
        named_data_(named_data),
        segments_(segments),
        num_keys_(num_keys) {}

  // Position of the key, or num_keys_.
  uint32_t find(std::string_view key) const;
  Result<FreeableBuffer> load(std::string_view key) const;
  Result<const char*> key_at(uint32_t index) const;

  DataLoader* loader_;
  size_t segment_base_offset_;
  const NamedDataVector* named_data_;
  const SegmentVector* segments_;
  uint32_t num_keys_;
  // Where the next search starts. Keys are usually asked for in the order in which they are stored,
  // so most searches end at once.
  mutable std::atomic<uint32_t> search_start_{0};
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
