#include <cstring>

#include <executorch/backends/arm/runtime/command_stream.h>
#include <executorch/backends/arm/runtime/vela_blob.h>
#include <executorch/runtime/core/little_endian.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace arm {

using runtime::Error;
using runtime::read_little_endian;
using runtime::Result;

namespace {

constexpr size_t kWord = sizeof(uint32_t);

// The driver's actions: an action and, of commands, their length in words.
enum Action : uint32_t { kConfiguration = 1, kCommands = 2, kNothing = 5 };
constexpr size_t kConfigurationWords = 2;

// A command is a word of a code (10 bits), its kind (bits 14 and 15) and a parameter (the upper
// half); one of the kind `kLong` has another word.
constexpr uint32_t kCodeMask = 0x3ff;
constexpr uint32_t kKindMask = 0xc000;
constexpr uint32_t kLong = 0x4000;
constexpr uint32_t kRegionMask = 0x7;
// Of a copy to or from the NPU's own memory, which is in no region (tables go there).
constexpr uint32_t kInternal = 0x100u << 16;
// Those which set a region: of the first and second input, the output, weights, scales, and of both
// sides of a copy.
constexpr uint32_t kCopyFrom = 0x130;
constexpr uint32_t kCopyTo = 0x131;
constexpr uint32_t kSetRegion[] = {0x10f, 0x11f, 0x128, 0x129, kCopyFrom, kCopyTo, 0x18f};

bool names_region(uint32_t command) {
  for (const uint32_t code : kSetRegion) {
    if ((command & (kCodeMask | kKindMask)) == code) {
      const bool is_copy = code == kCopyFrom || code == kCopyTo;
      return !is_copy || (command & kInternal) == 0;
    }
  }
  return false;
}

Result<uint32_t> regions_of(const uint8_t* words, size_t count) {
  uint32_t regions = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t command = read_little_endian<uint32_t>(words + i * kWord);
    if ((command & kKindMask) == kLong) {
      ++i;
      ET_CHECK_OR_RETURN_ERROR(i < count, DelegateInvalidCompatibility,
                               "Ethos-U: the last command is cut off");
    } else if (names_region(command)) {
      const uint32_t region = (command >> 16) & kRegionMask;
      ET_CHECK_OR_RETURN_ERROR(region < kRegions, DelegateInvalidCompatibility,
                               "Ethos-U: command %zu names region %u; there are %u", i,
                               static_cast<unsigned>(region), static_cast<unsigned>(kRegions));
      regions |= 1u << region;
    }
  }
  return regions;
}

}  // namespace

Result<uint32_t> check_command_stream(const uint8_t* data, size_t size) {
  ET_CHECK_OR_RETURN_ERROR(
      size >= kWord && size % kWord == 0 && std::memcmp(data, "COP1", kWord) == 0,
      DelegateInvalidCompatibility,
      "Ethos-U: the commands (%zu bytes) are no payload of the driver: COP1 is missing", size);
  uint32_t regions = 0;
  for (size_t at = kWord; at < size;) {
    const uint32_t action = read_little_endian<uint32_t>(data + at);
    at += kWord;
    size_t words = 0;
    switch (action & 0xff) {
      case kConfiguration:
        words = kConfigurationWords;
        break;
      case kCommands:
        // The upper bits of the length stand in the byte between.
        words = (action >> 16) | ((action & 0xff00) << 8);
        break;
      case kNothing:
        break;
      default:
        ET_LOG(Error, "Ethos-U: the driver has no action %u", static_cast<unsigned>(action & 0xff));
        return Error::DelegateInvalidCompatibility;
    }
    ET_CHECK_OR_RETURN_ERROR(words <= (size - at) / kWord, DelegateInvalidCompatibility,
                             "Ethos-U: %zu words of commands at byte %zu end behind %zu bytes",
                             words, at, size);
    if ((action & 0xff) == kCommands) {
      const Result<uint32_t> found = regions_of(data + at, words);
      if (!found.ok()) {
        return found.error();
      }
      regions |= *found;
    }
    at += words * kWord;
  }
  return regions;
}

}  // namespace arm
}  // namespace backends
}  // namespace executorch
