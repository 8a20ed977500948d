/// @file
/// Assertions for programming errors: they log and abort through the platform layer. Bad input
/// (files, arguments from outside) is answered with an Error instead, see core/error.h.
#pragma once

#include <executorch/runtime/platform/abort.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/log.h>

/// Aborts with a message if `_cond` is false.
#define ET_CHECK_MSG(_cond, _format, ...)                                          \
  do {                                                                             \
    if (ET_UNLIKELY(!(_cond))) {                                                   \
      ET_LOG(Fatal, "In function %s(), assert failed (%s): " _format, ET_FUNCTION, \
             #_cond, ##__VA_ARGS__);                                               \
      ::executorch::runtime::runtime_abort();                                      \
    }                                                                              \
  } while (0)

/// Aborts if `_cond` is false.
#define ET_CHECK(_cond)                                                          \
  do {                                                                           \
    if (ET_UNLIKELY(!(_cond))) {                                                 \
      ET_LOG(Fatal, "In function %s(), assert failed: %s", ET_FUNCTION, #_cond); \
      ::executorch::runtime::runtime_abort();                                    \
    }                                                                            \
  } while (0)

// Checks that only debug builds pay for; in release builds the condition is compiled, not run.
// ET_DEBUG_ONLY marks a variable that only such checks read.
#ifdef NDEBUG
#define ET_DEBUG_ONLY [[maybe_unused]]
#define ET_DCHECK_MSG(_cond, _format, ...)         \
  do {                                             \
    if (false) {                                   \
      ET_CHECK_MSG(_cond, _format, ##__VA_ARGS__); \
    }                                              \
  } while (0)
#define ET_DCHECK(_cond) \
  do {                   \
    if (false) {         \
      ET_CHECK(_cond);   \
    }                    \
  } while (0)
#else
#define ET_DEBUG_ONLY
#define ET_DCHECK_MSG(_cond, _format, ...) ET_CHECK_MSG(_cond, _format, ##__VA_ARGS__)
#define ET_DCHECK(_cond) ET_CHECK(_cond)
#endif

/// Aborts: this line can be reached only by a programming error.
#define ET_ASSERT_UNREACHABLE()                                     \
  do {                                                              \
    ET_LOG(Fatal, "Execution should not have reached this point."); \
    ::executorch::runtime::runtime_abort();                         \
  } while (0)

/// As ET_ASSERT_UNREACHABLE(), with a message (no arguments).
#define ET_ASSERT_UNREACHABLE_MSG(_message)                                      \
  do {                                                                           \
    ET_LOG(Fatal, "Execution should not have reached this point. %s", _message); \
    ::executorch::runtime::runtime_abort();                                      \
  } while (0)
