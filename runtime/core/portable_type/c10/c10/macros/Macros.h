/// @file
/// PyTorch include path of macros/Macros.h.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/macros/Macros.h>)
#include_next <c10/macros/Macros.h>
#else
#include <c10/macros/Macros.h>
#endif
#elif !defined(ET_C10_MACROS_MACROS_H_)
#define ET_C10_MACROS_MACROS_H_

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/macros/Macros.h>

#endif  // ET_C10_MACROS_MACROS_H_
