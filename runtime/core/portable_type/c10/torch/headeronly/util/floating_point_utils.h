/// @file
/// Access to the bits of a binary32 number.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<torch/headeronly/util/floating_point_utils.h>)
#include_next <torch/headeronly/util/floating_point_utils.h>
#else
#include <torch/headeronly/util/floating_point_utils.h>
#endif
#elif !defined(ET_TORCH_HEADERONLY_UTIL_FLOATING_POINT_UTILS_H_)
#define ET_TORCH_HEADERONLY_UTIL_FLOATING_POINT_UTILS_H_

#include <cstdint>

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/bit_cast.h>

namespace c10 {
namespace detail {

inline float fp32_from_bits(uint32_t bits) { return c10::bit_cast<float>(bits); }
inline uint32_t fp32_to_bits(float value) { return c10::bit_cast<uint32_t>(value); }

}  // namespace detail
}  // namespace c10

#endif  // ET_TORCH_HEADERONLY_UTIL_FLOATING_POINT_UTILS_H_
