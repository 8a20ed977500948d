#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {

/// The header of a `.ptd` file: where its parts lie. Little-endian.
///
/// | bytes    | content                                                     |
/// |----------|-------------------------------------------------------------|
/// | 0 - 3    | offset of the flatbuffer's root table                       |
/// | 4 - 7    | flatbuffer identifier, `FT01`                               |
/// | 8 - 11   | magic of this header, `FH01`                                |
/// | 12 - 15  | length of this header from its magic on, at least 40        |
/// | 16 - 23  | offset of the flatbuffer's data from the start of the file  |
/// | 24 - 31  | size of the flatbuffer's data, without this header          |
/// | 32 - 39  | offset of the first segment from the start of the file      |
/// | 40 - 47  | size of all segments together                               |
struct FlatTensorHeader {
  /// How many bytes from the start of the file Parse() wants to see.
  static constexpr size_t kNumHeadBytes = 64;
  /// Where the header starts.
  static constexpr size_t kHeaderOffset = 8;
  static constexpr size_t kMagicSize = 4;
  static constexpr char kMagic[kMagicSize + 1] = "FH01";
  /// Magic, length and four numbers of eight bytes.
  static constexpr uint32_t kHeaderExpectedLength = 40;

  /// Reads the header out of the first `size` bytes of a file.
  ///
  /// InvalidArgument when there are fewer than kNumHeadBytes, NotFound when the magic is not there,
  /// InvalidExternalData when the numbers contradict each other.
  static runtime::Result<FlatTensorHeader> Parse(const void* data, size_t size);

  uint64_t flatbuffer_offset = 0;
  uint64_t flatbuffer_size = 0;
  uint64_t segment_base_offset = 0;
  uint64_t segment_data_size = 0;
};

}  // namespace extension
}  // namespace executorch
