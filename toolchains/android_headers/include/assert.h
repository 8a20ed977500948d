/* No include guard: NDEBUG may differ from one inclusion to the next. Bionic's function that
 * reports a failed assertion has another name than musl's, and another order of arguments. */
#include_next <assert.h>

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((noreturn)) void __assert2(const char*, int, const char*, const char*);

#ifdef __cplusplus
}
#endif

#ifndef NDEBUG
#undef assert
#define assert(x) ((void)((x) || (__assert2(__FILE__, __LINE__, __func__, #x), 0)))
#endif
