#include <cinttypes>
#include <cstring>

#include <sodium/crypto_hash_sha256.h>
#include <sodium/crypto_sign_ed25519.h>

#include <executorch/extension/signature/signature.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::Result;
using runtime::Span;

namespace {

constexpr uint32_t kVersion = 1;
constexpr uint32_t kDigest = 1;
constexpr uint32_t kSignature = 2;
constexpr char kMagic[] = "ETSG";
constexpr char kEnd[] = "ETSGETSG";
/// What is signed begins so, so that no signature for another purpose is taken for one of a
/// program.
constexpr char kPurpose[32] = "ExecuTorch program signature 1";
constexpr size_t kMessageSize = sizeof(kPurpose) + 8 + crypto_hash_sha256_BYTES;

struct Trailer {
  uint32_t kind;
  uint64_t signed_size;
  const uint8_t* key_id;
  const uint8_t* value;
};

uint64_t read(const uint8_t* from, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= uint64_t{from[i]} << (8 * i);
  }
  return value;
}

Result<Trailer> find_trailer(const void* data, size_t size) {
  const bool is_there = data != nullptr && size > kSignatureTrailerSize &&
                        std::memcmp(static_cast<const uint8_t*>(data) + size - (sizeof(kEnd) - 1),
                                    kEnd, sizeof(kEnd) - 1) == 0;
  ET_CHECK_OR_RETURN_ERROR(is_there, NotFound,
                           "The file has no signature; sign it, or load it without asking for one");
  const uint8_t* const at = static_cast<const uint8_t*>(data) + size - kSignatureTrailerSize;
  ET_CHECK_OR_RETURN_ERROR(std::memcmp(at, kMagic, sizeof(kMagic) - 1) == 0, InvalidProgram,
                           "The signature of the file is damaged");
  const uint64_t version = read(at + 4, 4);
  ET_CHECK_OR_RETURN_ERROR(version == kVersion, NotSupported,
                           "The signature is of version %" PRIu64 ", this library knows %" PRIu32,
                           version, kVersion);
  const Trailer trailer = {static_cast<uint32_t>(read(at + 8, 4)), read(at + 16, 8), at + 24,
                           at + 32};
  ET_CHECK_OR_RETURN_ERROR(read(at + 12, 4) == kSignatureTrailerSize &&
                               trailer.signed_size == size - kSignatureTrailerSize,
                           InvalidProgram,
                           "The signature is for a file of %" PRIu64 " bytes, this one has %zu",
                           trailer.signed_size, size - kSignatureTrailerSize);
  return trailer;
}

ProgramDigest digest_of(const void* data, size_t size) {
  ProgramDigest digest;
  crypto_hash_sha256(digest.data(), static_cast<const uint8_t*>(data), size);
  return digest;
}

bool is_key(const Trailer& trailer, const PublicKey& key) {
  return std::memcmp(digest_of(key.data(), key.size()).data(), trailer.key_id, 8) == 0;
}

bool is_signed_by(const Trailer& trailer, const ProgramDigest& digest, const PublicKey& key) {
  uint8_t message[kMessageSize];
  std::memcpy(message, kPurpose, sizeof(kPurpose));
  for (size_t i = 0; i < 8; ++i) {
    message[sizeof(kPurpose) + i] = static_cast<uint8_t>(trailer.signed_size >> (8 * i));
  }
  std::memcpy(message + sizeof(kPurpose) + 8, digest.data(), digest.size());
  return crypto_sign_ed25519_verify_detached(trailer.value, message, sizeof(message), key.data()) ==
         0;
}

}  // namespace

Result<size_t> check_signature(const void* data, size_t size, Span<const PublicKey> trusted) {
  ET_CHECK_OR_RETURN_ERROR(!trusted.empty(), InvalidArgument,
                           "No key to check the signature with is given");
  const Result<Trailer> trailer = find_trailer(data, size);
  if (!trailer.ok()) {
    return trailer.error();
  }
  ET_CHECK_OR_RETURN_ERROR(trailer->kind == kSignature, NotFound,
                           "The file has a digest and no signature");
  const auto signed_size = static_cast<size_t>(trailer->signed_size);
  for (const PublicKey& key : trusted) {
    if (is_key(*trailer, key)) {
      ET_CHECK_OR_RETURN_ERROR(is_signed_by(*trailer, digest_of(data, signed_size), key),
                               InvalidProgram, "The file is not what was signed");
      return signed_size;
    }
  }
  ET_LOG(Error, "The file is signed by none of the %zu trusted keys, but by %016" PRIx64,
         trusted.size(), read(trailer->key_id, 8));
  return Error::AccessFailed;
}

Result<size_t> check_digest(const void* data, size_t size,
                            const std::optional<ProgramDigest>& expected) {
  const Result<Trailer> trailer = find_trailer(data, size);
  if (!trailer.ok()) {
    return trailer.error();
  }
  ET_CHECK_OR_RETURN_ERROR(trailer->kind == kDigest, NotFound,
                           "The file has a signature and no digest");
  const auto signed_size = static_cast<size_t>(trailer->signed_size);
  const ProgramDigest digest = digest_of(data, signed_size);
  ET_CHECK_OR_RETURN_ERROR(std::memcmp(digest.data(), trailer->value, digest.size()) == 0,
                           InvalidProgram, "The file is not what its digest is of");
  ET_CHECK_OR_RETURN_ERROR(!expected.has_value() || *expected == digest, InvalidProgram,
                           "The file's digest is not the expected one");
  return signed_size;
}

}  // namespace extension
}  // namespace executorch
