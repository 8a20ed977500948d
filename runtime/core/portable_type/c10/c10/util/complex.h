/// @file
/// PyTorch include path of complex.h: with elementary functions.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/complex.h>)
#include_next <c10/util/complex.h>
#else
#include <c10/util/complex.h>
#endif
#elif !defined(ET_C10_UTIL_COMPLEX_H_)
#define ET_C10_UTIL_COMPLEX_H_

#include <executorch/runtime/core/portable_type/c10/c10/util/complex_math.h>
#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/complex.h>
#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/complex_utils.h>

#endif  // ET_C10_UTIL_COMPLEX_H_
