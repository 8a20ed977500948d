/// @file
/// The platform abstraction layer (PAL): the only door through which the runtime reaches the
/// system (clock, log output, panic, optional heap).
///
/// Two ways to replace the default, function by function:
///   - at run time: executorch::runtime::register_pal(PalImpl::create(...)); null = keep default;
///   - at link time: define any `et_pal_*` function in the program. The defaults are weak symbols.
///
/// The header is usable from C for the second way.
#pragma once

#include <stddef.h>

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/types.h>

// Empty for everybody except the default implementation, which sets it to ET_WEAK. If user code saw
// weak declarations, its own definitions would be weak too and the winner a matter of link order.
#ifndef ET_INTERNAL_PLATFORM_WEAKNESS
#define ET_INTERNAL_PLATFORM_WEAKNESS
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Severity of a log message; the value is the character that denotes it in log output.
typedef enum {
  kDebug = 'D',
  kInfo = 'I',
  kError = 'E',
  kFatal = 'F',
  kUnknown = '?',
} et_pal_log_level_t;

/// Prepares the platform; called by runtime_init(), or by register_pal() when a table with an
/// init() of its own goes. May be called more than once.
void et_pal_init(void) ET_INTERNAL_PLATFORM_WEAKNESS;

/// Ends the process or device without returning. Called after a failed ET_CHECK.
ET_NORETURN void et_pal_abort(void) ET_INTERNAL_PLATFORM_WEAKNESS;

/// Monotonic time in ticks.
et_timestamp_t et_pal_current_ticks(void) ET_INTERNAL_PLATFORM_WEAKNESS;

/// How many nanoseconds a tick is, as a ratio.
et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void) ET_INTERNAL_PLATFORM_WEAKNESS;

/// Writes one log line.
///
/// @param timestamp Ticks when the message was made.
/// @param level     Severity.
/// @param filename  Name of the source file, without directories.
/// @param function  Name of the function.
/// @param line      Line in `filename`.
/// @param message   Zero-terminated text without a trailing newline.
/// @param length    Length of `message` in bytes, without the terminator.
void et_pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level,
                             const char* filename, const char* function, size_t line,
                             const char* message, size_t length) ET_INTERNAL_PLATFORM_WEAKNESS;

/// Gives `size` bytes aligned for any fundamental type, or null. Not used by the core runtime, only
/// by extensions that are documented to allocate.
void* et_pal_allocate(size_t size) ET_INTERNAL_PLATFORM_WEAKNESS;

/// Releases memory from et_pal_allocate(); null is allowed.
void et_pal_free(void* ptr) ET_INTERNAL_PLATFORM_WEAKNESS;

#ifdef __cplusplus
}  // extern "C"

// Types of the functions of a PalImpl.
using pal_init_method = void (*)();
using pal_abort_method = void (*)();
using pal_current_ticks_method = et_timestamp_t (*)();
using pal_ticks_to_ns_multiplier_method = et_tick_ratio_t (*)();
using pal_emit_log_message_method = void (*)(et_timestamp_t timestamp, et_pal_log_level_t level,
                                             const char* filename, const char* function,
                                             size_t line, const char* message, size_t length);
using pal_allocate_method = void* (*)(size_t size);
using pal_free_method = void (*)(void* ptr);

namespace executorch {
namespace runtime {

using ::pal_abort_method;
using ::pal_allocate_method;
using ::pal_current_ticks_method;
using ::pal_emit_log_message_method;
using ::pal_free_method;
using ::pal_init_method;
using ::pal_ticks_to_ns_multiplier_method;

/// A table of PAL functions. A null field means the default, i.e. the `et_pal_*` function.
struct PalImpl {
  /// Overrides the log output only.
  static PalImpl create(pal_emit_log_message_method emit_log_message, const char* source_filename);

  /// Overrides any subset of the functions.
  static PalImpl create(pal_init_method init, pal_abort_method abort,
                        pal_current_ticks_method current_ticks,
                        pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier,
                        pal_emit_log_message_method emit_log_message, pal_allocate_method allocate,
                        pal_free_method free, const char* source_filename);

  pal_init_method init = nullptr;
  pal_abort_method abort = nullptr;
  pal_current_ticks_method current_ticks = nullptr;
  pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier = nullptr;
  pal_emit_log_message_method emit_log_message = nullptr;
  pal_allocate_method allocate = nullptr;
  pal_free_method free = nullptr;

  /// File that registered the table, usually __FILE__; for diagnostics. May be null.
  const char* source_filename = nullptr;
};

/// Replaces the PAL: non-null fields take effect at once, null fields go back to their defaults.
/// The last registration wins, so an application can override a library's. May run in a static
/// constructor. Not thread safe: register before other threads use the runtime.
///
/// An init() that `impl` brings is called here, before or after runtime_init(), which then does not
/// call it again.
///
/// @retval true  Registered.
/// @retval false `impl` overrides only one of allocate and free; memory from one allocator would be
///               given back to the other, so nothing was changed.
bool register_pal(PalImpl impl);

/// The table in force; no field of it is null (except possibly source_filename).
const PalImpl* get_pal_impl();

void pal_init();
ET_NORETURN void pal_abort();
et_timestamp_t pal_current_ticks();
et_tick_ratio_t pal_ticks_to_ns_multiplier();
void pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                          const char* function, size_t line, const char* message, size_t length);
void* pal_allocate(size_t size);
void pal_free(void* ptr);

}  // namespace runtime

// The documentation names register_pal() under both namespaces.
namespace platform {
using ::executorch::runtime::PalImpl;
using ::executorch::runtime::register_pal;
}  // namespace platform
}  // namespace executorch
#endif  // __cplusplus
