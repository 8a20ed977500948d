#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <executorch/runtime/core/little_endian.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// The bytes of a delegate that are a graph, as a flatbuffer, and constants behind it. Files of
/// several backends have them so, after a header that differs in its four letters only:
///
/// | bytes | what |
/// | --- | --- |
/// | 4 to 8 | the letters |
/// | 8 to 10 | length of the header |
/// | 10 to 18 | offset and size of the flatbuffer, in four bytes each |
/// | 18 to 30 | offset of the constants in four bytes, and their size in eight |
///
/// Offsets are those from the first byte of all.
struct GraphBlob {
  static constexpr size_t kHeaderSize = 30;

  Span<const uint8_t> flatbuffer;
  Span<const uint8_t> constants;

  /// Nothing but the parts' places is checked.
  ///
  /// @retval Error::NotFound There is no header with these letters.
  /// @retval Error::DelegateInvalidCompatibility A part lies outside of the bytes.
  static Result<GraphBlob> parse(Span<const uint8_t> bytes, const char (&letters)[5]);

  /// The part [offset, offset + size) of `whole`.
  ///
  /// @retval Error::DelegateInvalidCompatibility It does not lie within.
  static Result<Span<const uint8_t>> part_of(Span<const uint8_t> whole, uint64_t offset,
                                             uint64_t size);
};

inline Result<Span<const uint8_t>> GraphBlob::part_of(Span<const uint8_t> whole, uint64_t offset,
                                                      uint64_t size) {
  if (offset > whole.size() || size > whole.size() - offset) {
    return Error::DelegateInvalidCompatibility;
  }
  return Span<const uint8_t>(whole.data() + offset, static_cast<size_t>(size));
}

inline Result<GraphBlob> GraphBlob::parse(Span<const uint8_t> bytes, const char (&letters)[5]) {
  const uint8_t* const header = bytes.data();
  if (bytes.size() < kHeaderSize || std::memcmp(header + 4, letters, 4) != 0) {
    return Error::NotFound;
  }
  const Result<Span<const uint8_t>> flatbuffer = part_of(
      bytes, read_little_endian<uint32_t>(header + 10), read_little_endian<uint32_t>(header + 14));
  const Result<Span<const uint8_t>> constants = part_of(
      bytes, read_little_endian<uint32_t>(header + 18), read_little_endian<uint64_t>(header + 22));
  if (!flatbuffer.ok() || !constants.ok()) {
    return Error::DelegateInvalidCompatibility;
  }
  GraphBlob parts;
  parts.flatbuffer = *flatbuffer;
  parts.constants = *constants;
  return parts;
}

}  // namespace runtime
}  // namespace executorch
