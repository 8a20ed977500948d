/// @file
/// PyTorch include path of BFloat16.h.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/BFloat16.h>)
#include_next <c10/util/BFloat16.h>
#else
#include <c10/util/BFloat16.h>
#endif
#elif !defined(ET_C10_UTIL_BFLOAT16_H_)
#define ET_C10_UTIL_BFLOAT16_H_

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/BFloat16.h>

#endif  // ET_C10_UTIL_BFLOAT16_H_
