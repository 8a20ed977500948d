/// @file
/// PyTorch include path of TypeSafeSignMath.h.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/TypeSafeSignMath.h>)
#include_next <c10/util/TypeSafeSignMath.h>
#else
#include <c10/util/TypeSafeSignMath.h>
#endif
#elif !defined(ET_C10_UTIL_TYPESAFESIGNMATH_H_)
#define ET_C10_UTIL_TYPESAFESIGNMATH_H_

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/TypeSafeSignMath.h>

#endif  // ET_C10_UTIL_TYPESAFESIGNMATH_H_
