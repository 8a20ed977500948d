#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>

namespace executorch {
namespace runtime {
namespace internal {

/// The integrity trailer, an addition of this implementation to the format: the last 176 bytes of a
/// file, after all that the format knows of, so that other runtimes pass over it.
///
///     "ETIG" x 16 | record | "ETIG" x 16 | record
///     record: "ETIG" | version u32 = 1 | size u64 of the file before the trailer | its CRC-32 as
///     u64
///
/// All little-endian. Twice and apart, so that no damage of a few dozen bytes takes the trailer
/// away together with what it guards. It finds damage, not forgery.
constexpr size_t kIntegrityRecordSize = 24;
constexpr size_t kIntegrityTrailerSize = 2 * (64 + kIntegrityRecordSize);

/// CRC-32 (that of zlib and IEEE 802.3) of `size` bytes, going on from `crc` of what came before.
uint32_t crc32(uint32_t crc, const void* data, size_t size);

/// Checks a file against its integrity trailer. A file without one passes.
///
/// @param data_end Where the format's own data ends, 0 if that is not known: there a trailer is
///     recognized by its first bytes even when the file was cut off within it.
/// @retval Error::InvalidProgram The file is not what it was when the trailer was written.
/// Errors of the loader come back as they are.
Error check_integrity(DataLoader* loader, size_t data_end);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
