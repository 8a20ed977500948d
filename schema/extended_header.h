#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace runtime {

/// The extended header of a `.pte` file.
///
/// A program file with segments carries, between the flatbuffer's identifier and its first table, a
/// small fixed record that says how long the flatbuffer is and where the segments begin. It lets a
/// reader fetch the program alone from storage, before it knows anything else about the file.
///
/// Bytes, all little-endian, counted from the start of the file:
///
/// | bytes | content |
/// | --- | --- |
/// | 0..3 | offset of the flatbuffer's root table |
/// | 4..7 | flatbuffer identifier |
/// | 8..11 | magic `eh00` |
/// | 12..15 | length of this header, magic and length included, padding excluded |
/// | 16..23 | `program_size` |
/// | 24..31 | `segment_base_offset` |
/// | 32..39 | `segment_data_size`; present only if the length is at least 32 |
struct ExtendedHeader {
  /// Bytes of the file's head that `Parse` needs to see.
  static constexpr size_t kNumHeadBytes = 64;

  /// Where the header starts in the file.
  static constexpr size_t kHeaderOffset = 8;

  static constexpr size_t kMagicSize = 4;

  /// The last two characters change only with an incompatible layout; new fields are appended and
  /// show in the header's length.
  static constexpr char kMagic[kMagicSize] = {'e', 'h', '0', '0'};

  /// Shortest valid length: up to and with `segment_base_offset`.
  static constexpr uint32_t kMinLength = 24;

  /// Reads the header out of the first `size` bytes of a file.
  ///
  /// @param data The file's first bytes.
  /// @param size How many of them; at least `kNumHeadBytes`.
  /// @retval Error::InvalidArgument `size` is below `kNumHeadBytes`, or `data` is null.
  /// @retval Error::NotFound The file has no extended header; it may still be a program.
  /// @retval Error::InvalidProgram The header is there but too short to be valid.
  [[nodiscard]] static Result<ExtendedHeader> Parse(const void* data, size_t size);

  /// Bytes of flatbuffer data, counted from the start of the file, headers included.
  uint64_t program_size;

  /// Offset from the start of the file to the first segment; 0 if there is none.
  uint64_t segment_base_offset;

  /// Bytes from `segment_base_offset` to the end of the last segment; 0 if the file does not say.
  uint64_t segment_data_size;
};

}  // namespace runtime
}  // namespace executorch
