/// @file
/// Symbol visibility macros under PyTorch's names. The portable types are header-only, so they mean
/// nothing here.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<torch/headeronly/macros/Export.h>)
#include_next <torch/headeronly/macros/Export.h>
#else
#include <torch/headeronly/macros/Export.h>
#endif
#elif !defined(ET_TORCH_HEADERONLY_MACROS_EXPORT_H_)
#define ET_TORCH_HEADERONLY_MACROS_EXPORT_H_

#ifndef C10_EXPORT
#define C10_EXPORT
#define C10_HIDDEN
#define C10_IMPORT
#define C10_API
#define C10_API_ENUM
#define TORCH_API
#endif

#endif  // ET_TORCH_HEADERONLY_MACROS_EXPORT_H_
