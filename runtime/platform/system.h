/// @file
/// Questions about the process that not every platform can answer.
#pragma once

#include <executorch/runtime/platform/compiler.h>

// Opt-in, since dladdr() makes static binaries depend on the dynamic loader.
#if defined(ET_USE_LIBDL) && (defined(__linux__) || defined(__APPLE__))
#define ET_INTERNAL_HAS_DLADDR 1
#include <dlfcn.h>
#else
#define ET_INTERNAL_HAS_DLADDR 0
#endif

#define DYNAMIC_LIBRARY_NOT_SUPPORTED "NOT_SUPPORTED"
#define DYNAMIC_LIBRARY_NOT_FOUND "NOT_FOUND"

/// Path of the shared library or executable that holds the address `address`; a
/// DYNAMIC_LIBRARY_NOT_... string if it is unknown or the build cannot tell. Never null.
ET_UNUSED static inline const char* et_pal_get_shared_library_name(const void* address) {
#if ET_INTERNAL_HAS_DLADDR
  Dl_info info;
  if (dladdr(address, &info) != 0 && info.dli_fname != nullptr) {
    return info.dli_fname;
  }
  return DYNAMIC_LIBRARY_NOT_FOUND;
#else
  (void)address;
  return DYNAMIC_LIBRARY_NOT_SUPPORTED;
#endif
}
