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

/* Threads: bionic's types are as long as its functions take them to be. With musl's attributes of a
   mutex, of four bytes, pthread_mutexattr_init() would write past the end; the braces are those of
   musl's initializers. */
#if defined(__LP64__)
#define _ANDROID_WORDS(lp64, lp32) lp64
#else
#define _ANDROID_WORDS(lp64, lp32) lp32
#endif
#if defined(__NEED_pthread_t) && !defined(__DEFINED_pthread_t)
typedef long pthread_t;
#define __DEFINED_pthread_t
#endif
#if defined(__NEED_pthread_mutexattr_t) && !defined(__DEFINED_pthread_mutexattr_t)
typedef long pthread_mutexattr_t;
#define __DEFINED_pthread_mutexattr_t
#endif
#if defined(__NEED_pthread_condattr_t) && !defined(__DEFINED_pthread_condattr_t)
typedef long pthread_condattr_t;
#define __DEFINED_pthread_condattr_t
#endif
#if defined(__NEED_pthread_rwlockattr_t) && !defined(__DEFINED_pthread_rwlockattr_t)
typedef long pthread_rwlockattr_t;
#define __DEFINED_pthread_rwlockattr_t
#endif
#if defined(__NEED_pthread_key_t) && !defined(__DEFINED_pthread_key_t)
typedef int pthread_key_t;
#define __DEFINED_pthread_key_t
#endif
#if defined(__NEED_pthread_mutex_t) && !defined(__DEFINED_pthread_mutex_t)
typedef struct {
  union {
    int __private[_ANDROID_WORDS(10, 1)];
  } __u;
} pthread_mutex_t;
#define __DEFINED_pthread_mutex_t
#endif
#if defined(__NEED_pthread_cond_t) && !defined(__DEFINED_pthread_cond_t)
typedef struct {
  union {
    int __private[_ANDROID_WORDS(12, 1)];
  } __u;
} pthread_cond_t;
#define __DEFINED_pthread_cond_t
#endif
#if defined(__NEED_pthread_rwlock_t) && !defined(__DEFINED_pthread_rwlock_t)
typedef struct {
  union {
    int __private[_ANDROID_WORDS(14, 10)];
  } __u;
} pthread_rwlock_t;
#define __DEFINED_pthread_rwlock_t
#endif
#undef _ANDROID_WORDS

#include_next <bits/alltypes.h>

#if !defined(__LP64__)
#undef _REDIR_TIME64
#define _REDIR_TIME64 0
#endif
