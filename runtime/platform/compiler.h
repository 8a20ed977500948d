/// @file
/// Compiler and linker annotations. C and C++; nothing here generates code.
#pragma once

#if defined(__cplusplus) && __cplusplus < 201703L && !defined(_MSC_VER)
#error "ExecuTorch needs C++17 (-std=c++17)"
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define ET_NORETURN __declspec(noreturn)
#define ET_NOINLINE __declspec(noinline)
#define ET_INLINE __forceinline
#define ET_UNREACHABLE() __assume(0)
#define ET_DEPRECATED __declspec(deprecated)
#define ET_EXPERIMENTAL
#define ET_UNUSED
#define ET_WEAK
#define ET_PRINTFLIKE(string_index, va_index)
#define ET_LIKELY(expr) (expr)
#define ET_UNLIKELY(expr) (expr)
#else
#define ET_NORETURN __attribute__((noreturn))
#define ET_NOINLINE __attribute__((noinline))
#define ET_INLINE __attribute__((always_inline)) inline
#define ET_UNREACHABLE() __builtin_unreachable()
#define ET_DEPRECATED __attribute__((deprecated))
#define ET_UNUSED __attribute__((unused))
#define ET_WEAK __attribute__((weak))
/// Lets the compiler check a printf-style format (1-based positions of the format and its varargs).
#define ET_PRINTFLIKE(string_index, va_index) \
  __attribute__((format(printf, string_index, va_index)))
#define ET_LIKELY(expr) (__builtin_expect(!!(expr), 1))
#define ET_UNLIKELY(expr) (__builtin_expect(!!(expr), 0))
/// Marks API that may change without a deprecation cycle. Purely informative: clang and gcc have
/// no warning for it that callers could switch off on its own.
#define ET_EXPERIMENTAL
#endif

/// Attribute for lambdas, where the keyword `inline` is not allowed.
#if defined(_MSC_VER) && !defined(__clang__)
#define ET_INLINE_ATTRIBUTE
#else
#define ET_INLINE_ATTRIBUTE __attribute__((always_inline))
#endif

#ifdef __cplusplus
#define ET_NODISCARD [[nodiscard]]
#else
#define ET_NODISCARD
#endif

#if defined(__has_builtin)
#define ET_HAS_BUILTIN(x) __has_builtin(x)
#else
#define ET_HAS_BUILTIN(x) 0
#endif

#if ET_HAS_BUILTIN(__builtin_strrchr) || defined(__GNUC__)
#define ET_SHORT_FILENAME \
  (__builtin_strrchr("/" __FILE__, '/') + 1)  // folded by the compiler: no path in the binary
#else
#define ET_SHORT_FILENAME __FILE__
#endif

#if defined(__GNUC__) || defined(__clang__)
#define ET_LINE __builtin_LINE()
#define ET_FUNCTION __builtin_FUNCTION()
#else
#define ET_LINE __LINE__
#define ET_FUNCTION __FUNCTION__
#endif

/// How printf writes a size_t and a ptrdiff_t, for formats that are put together from pieces.
#define ET_PRIsize_t "zu"
#define ET_PRIssize_t "zd"

/// Turns the tokens of `x`, after macro expansion, into a string literal.
#define ET_STRINGIFY_IMPL(x) #x
#define ET_STRINGIFY(x) ET_STRINGIFY_IMPL(x)

#if defined(__clang__) || defined(__GNUC__)
#define ET_SYMBOL_EXPORT __attribute__((visibility("default")))
#define ET_SYMBOL_HIDDEN __attribute__((visibility("hidden")))
#else
#define ET_SYMBOL_EXPORT
#define ET_SYMBOL_HIDDEN
#endif

/// Signed integer overflow is intended in the annotated function.
#if defined(__clang__)
#define ET_NO_SANITIZE_SIGNED_OVERFLOW __attribute__((no_sanitize("signed-integer-overflow")))
#else
#define ET_NO_SANITIZE_SIGNED_OVERFLOW
#endif

// `ssize_t` is POSIX, not C++. MSVC lacks it.
#if defined(_MSC_VER)
#include <stddef.h>
typedef ptrdiff_t ssize_t;
#else
#include <sys/types.h>
#endif
