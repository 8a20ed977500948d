/// @file
/// PAL without any dependency on a system or C library, for firmware. Everything is a no-op: define
/// the `et_pal_*` functions you need (at least et_pal_abort and et_pal_emit_log_message).

// Must come before platform.h: the definitions below shall be weak so that programs can replace
// each of them by defining the symbol.
#define ET_INTERNAL_PLATFORM_WEAKNESS ET_WEAK

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/platform.h>

void et_pal_init(void) {}

ET_NORETURN void et_pal_abort(void) {
#if ET_HAS_BUILTIN(__builtin_trap) || defined(__GNUC__)
  __builtin_trap();
#else
  // The volatile access keeps the endless loop from being undefined behaviour.
  for (volatile int stop = 0; stop == 0;) {
  }
#endif
}

// A constant that is easy to recognize in a trace: no clock was provided.
et_timestamp_t et_pal_current_ticks(void) { return 11223344; }

et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void) { return {1, 1}; }

void et_pal_emit_log_message(ET_UNUSED et_timestamp_t timestamp, ET_UNUSED et_pal_log_level_t level,
                             ET_UNUSED const char* filename, ET_UNUSED const char* function,
                             ET_UNUSED size_t line, ET_UNUSED const char* message,
                             ET_UNUSED size_t length) {}

void* et_pal_allocate(ET_UNUSED size_t size) { return nullptr; }

void et_pal_free(ET_UNUSED void* ptr) {}
