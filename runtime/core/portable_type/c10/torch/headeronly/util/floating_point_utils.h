/// @file
/// Access to the bits of a binary32 number.
#pragma once

#include <cstdint>

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/bit_cast.h>

namespace c10 {
namespace detail {

inline float fp32_from_bits(uint32_t bits) { return c10::bit_cast<float>(bits); }
inline uint32_t fp32_to_bits(float value) { return c10::bit_cast<uint32_t>(value); }

}  // namespace detail
}  // namespace c10
