/// @file
/// PyTorch include path of bit_cast.h.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/bit_cast.h>)
#include_next <c10/util/bit_cast.h>
#else
#include <c10/util/bit_cast.h>
#endif
#elif !defined(ET_C10_UTIL_BIT_CAST_H_)
#define ET_C10_UTIL_BIT_CAST_H_

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/bit_cast.h>

#endif  // ET_C10_UTIL_BIT_CAST_H_
