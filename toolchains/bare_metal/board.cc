// What all boards share: how a program starts, how deep its stack became, and that it has no heap.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <executorch/toolchains/bare_metal/board.h>

extern "C" {
// Of the linker script.
extern uint32_t __data_start[], __data_end[], __data_load[];
extern uint32_t __bss_start[], __bss_end[];
extern void (*__init_array_start[])();
extern void (*__init_array_end[])();
extern uint32_t __stack_start[], __stack_top[];

// A program's main(), under a name that code may call.
int board_main() __asm__("main");
[[noreturn]] void board_start();

// Objects with static storage live as long as the board has power.
void* __dso_handle = nullptr;
int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
int __aeabi_atexit(void*, void (*)(void*), void*) { return 0; }
[[noreturn]] void __cxa_pure_virtual() { board_exit(3); }
void abort() { board_exit(4); }
}

namespace {

constexpr uint32_t kUntouched = 0xa5a5a5a5;

}  // namespace

void board_start() {
  for (uint32_t *to = __data_start, *from = __data_load; to != __data_end;) {
    *to++ = *from++;
  }
  // Volatile, so that no call of memset() comes of it before the stack may be painted.
  for (volatile uint32_t* word = __bss_start; word != __bss_end; ++word) {
    *word = 0;
  }
  auto* const here = static_cast<uint32_t*>(__builtin_frame_address(0)) - 16;
  for (volatile uint32_t* word = __stack_start; word < here; ++word) {
    *word = kUntouched;
  }
  for (auto call = __init_array_start; call != __init_array_end; ++call) {
    (*call)();
  }
  board_exit(board_main());
}

size_t board_stack_used(void) {
  const uint32_t* word = __stack_start;
  while (word != __stack_top && *word == kUntouched) {
    ++word;
  }
  return static_cast<size_t>(__stack_top - word) * sizeof(*word);
}

// Virtual destructors refer to it. There is no heap, so nothing can have come from it.
void operator delete(void*) noexcept { board_exit(5); }
void operator delete(void*, size_t) noexcept { board_exit(5); }
void operator delete(void*, std::align_val_t) noexcept { board_exit(5); }
void operator delete(void*, size_t, std::align_val_t) noexcept { board_exit(5); }
