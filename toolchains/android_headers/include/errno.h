/* The place of errno has another name in bionic than in musl; the numbers are the kernel's in both.
 */
#pragma once

#include_next <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
__attribute__((const))
#endif
int* __errno(void);

#ifdef __cplusplus
}
#endif

#undef errno
#define errno (*__errno())
