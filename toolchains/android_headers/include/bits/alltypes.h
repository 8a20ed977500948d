/* No include guard: each header of the C library asks for the types that it needs by including this
 * again. */

/* On 32-bit processors bionic's time_t is a long, and so are the functions that take it. musl's has
   64 bits, and its clock_gettime is called __clock_gettime64, which no Android has. */
#if !defined(__LP64__)
#if defined(__NEED_time_t) && !defined(__DEFINED_time_t)
typedef long time_t;
#define __DEFINED_time_t
#endif
#if defined(__NEED_suseconds_t) && !defined(__DEFINED_suseconds_t)
typedef long suseconds_t;
#define __DEFINED_suseconds_t
#endif
#endif

#include_next <bits/alltypes.h>

#if !defined(__LP64__)
#undef _REDIR_TIME64
#define _REDIR_TIME64 0
#endif
