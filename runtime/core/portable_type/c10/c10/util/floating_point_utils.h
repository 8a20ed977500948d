/// @file
/// PyTorch include path of floating_point_utils.h.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/floating_point_utils.h>)
#include_next <c10/util/floating_point_utils.h>
#else
#include <c10/util/floating_point_utils.h>
#endif
#elif !defined(ET_C10_UTIL_FLOATING_POINT_UTILS_H_)
#define ET_C10_UTIL_FLOATING_POINT_UTILS_H_

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/floating_point_utils.h>

#endif  // ET_C10_UTIL_FLOATING_POINT_UTILS_H_
