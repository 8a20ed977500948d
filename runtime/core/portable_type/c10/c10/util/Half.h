/// @file
/// PyTorch include path of Half.h.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/Half.h>)
#include_next <c10/util/Half.h>
#else
#include <c10/util/Half.h>
#endif
#elif !defined(ET_C10_UTIL_HALF_H_)
#define ET_C10_UTIL_HALF_H_

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/Half.h>

#endif  // ET_C10_UTIL_HALF_H_
