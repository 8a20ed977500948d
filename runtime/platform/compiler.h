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
#if defined(_WIN32)
/// COFF has no weak definitions: a library's own is taken where nothing else defines a function.
#define ET_WEAK
#else
#define ET_WEAK __attribute__((weak))
#endif
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

/// Marks a case of a switch that goes on with the next one on purpose.
#ifdef __cplusplus
#define ET_FALLTHROUGH [[fallthrough]]
#elif defined(__GNUC__) || defined(__clang__)
#define ET_FALLTHROUGH __attribute__((fallthrough))
#else
#define ET_FALLTHROUGH
#endif

/// Nothing else points to what the annotated pointer points to.
#if defined(__GNUC__) || defined(__clang__)
#define ET_RESTRICT __restrict__
#elif defined(_MSC_VER)
#define ET_RESTRICT __restrict
#else
#define ET_RESTRICT
#endif

/// 1 where exceptions are switched on, otherwise 0. The runtime never throws.
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define ET_HAS_EXCEPTIONS 1
#else
#define ET_HAS_EXCEPTIONS 0
#endif

/// 1 where `({ ...; value; })` is an expression, which ET_UNWRAP needs; otherwise 0.
#if defined(__GNUC__) || defined(__clang__)
#define ET_HAVE_GNU_STATEMENT_EXPRESSIONS 1
#else
#define ET_HAVE_GNU_STATEMENT_EXPRESSIONS 0
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

// The older spelling, for sources that still have it.
#define __ET_DEPRECATED ET_DEPRECATED
#define __ET_FALLTHROUGH ET_FALLTHROUGH
#define __ET_FUNCTION ET_FUNCTION
#define __ET_HAVE_GNU_STATEMENT_EXPRESSIONS ET_HAVE_GNU_STATEMENT_EXPRESSIONS
#define __ET_INLINE ET_INLINE
#define __ET_LIKELY ET_LIKELY
#define __ET_LINE ET_LINE
#define __ET_NODISCARD ET_NODISCARD
#define __ET_NOINLINE ET_NOINLINE
#define __ET_NORETURN ET_NORETURN
#define __ET_PRINTFLIKE ET_PRINTFLIKE
#define __ET_SHORT_FILENAME ET_SHORT_FILENAME
#define __ET_UNLIKELY ET_UNLIKELY
#define __ET_UNREACHABLE ET_UNREACHABLE
#define __ET_UNUSED ET_UNUSED
#define __ET_WEAK ET_WEAK

// `ssize_t` is POSIX, not C++. MSVC lacks it.
#if defined(_MSC_VER)
#include <stddef.h>
typedef ptrdiff_t ssize_t;
#else
#include <sys/types.h>
#endif
