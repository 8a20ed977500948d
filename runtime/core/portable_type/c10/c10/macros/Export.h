/// @file
/// PyTorch include path of macros/Export.h.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/macros/Export.h>)
#include_next <c10/macros/Export.h>
#else
#include <c10/macros/Export.h>
#endif
#elif !defined(ET_C10_MACROS_EXPORT_H_)
#define ET_C10_MACROS_EXPORT_H_

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/macros/Export.h>

#endif  // ET_C10_MACROS_EXPORT_H_
