/// @file
/// Signatures of programs: who made a file, checked before anything in it is read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace extension {

/// SHA-256 of a file's signed part.
using ProgramDigest = std::array<uint8_t, 32>;

/// An Ed25519 public key (RFC 8032).
using PublicKey = std::array<uint8_t, 32>;

/// The last bytes of a signed file, behind all that the format knows of, so that a runtime that
/// does not look for them reads the file as before. All little-endian:
///
/// | bytes | content |
/// | --- | --- |
/// | 0..3 | `ETSG` |
/// | 4..7 | version, 1 |
/// | 8..11 | what follows: 1 a digest, 2 a signature |
/// | 12..15 | length of this trailer, 104 |
/// | 16..23 | size of the file before it, all of which is signed |
/// | 24..31 | first bytes of the SHA-256 of the public key; zero with a digest |
/// | 32..95 | the Ed25519 signature; or the SHA-256, and 32 zeros |
/// | 96..103 | `ETSGETSG` |
///
/// Signed are the 32 bytes `ExecuTorch program signature 1\0`, the size as 8 bytes, and the
/// SHA-256.
constexpr size_t kSignatureTrailerSize = 104;

/// Checks that a file carries a signature by one of the keys over all that comes before it.
///
/// @return The size of what is signed: what is behind it has to be left alone.
/// @retval Error::NotFound       The file has no signature.
/// @retval Error::AccessFailed   It is by none of these keys.
/// @retval Error::InvalidProgram It is by one of them, and the file is not what was signed; or the
///     trailer contradicts itself.
/// @retval Error::NotSupported   A newer version of trailer.
/// @retval Error::InvalidArgument No keys.
[[nodiscard]] runtime::Result<size_t> check_signature(const void* data, size_t size,
                                                      runtime::Span<const PublicKey> trusted);

/// Checks that a file carries a digest, that it is that of the file, and if `expected` is given,
/// that it is that one. Without, this finds damage only: whoever changes a file can write another
/// digest.
///
/// @return The size of what the digest is of.
/// Errors as above; InvalidProgram for another digest than the expected one.
[[nodiscard]] runtime::Result<size_t> check_digest(
    const void* data, size_t size, const std::optional<ProgramDigest>& expected = std::nullopt);

}  // namespace extension
}  // namespace executorch
