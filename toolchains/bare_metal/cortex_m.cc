// Cortex-M: vector table, floating point, the call of a debugger, SysTick.
#include <cstddef>
#include <cstdint>

#include <executorch/toolchains/bare_metal/board.h>

extern "C" {
extern uint32_t __stack_top[];
[[noreturn]] void board_start();
[[noreturn]] void board_reset();
[[noreturn]] void board_fault();
// picolibc keeps errno in thread-local storage, and this is where it asks for the thread's.
void* __aeabi_read_tp();
}

namespace {

constexpr uint32_t kSysTickWidth = 24;

volatile uint32_t* const kSysTickControl = reinterpret_cast<volatile uint32_t*>(0xE000E010);
volatile uint32_t* const kSysTickReload = reinterpret_cast<volatile uint32_t*>(0xE000E014);
volatile uint32_t* const kSysTickValue = reinterpret_cast<volatile uint32_t*>(0xE000E018);

}  // namespace

extern "C" intptr_t board_semihost(intptr_t operation, const void* argument) {
  register intptr_t r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

uint32_t board_ticks(void) {
  if ((*kSysTickControl & 1) == 0) {
    *kSysTickReload = (1u << kSysTickWidth) - 1;
    *kSysTickValue = 0;
    *kSysTickControl = 5;  // runs, at the processor's clock, without an interrupt
  }
  return *kSysTickValue;
}

// The clock counts down.
uint32_t board_ticks_between(uint32_t start, uint32_t end) {
  return (start - end) & ((1u << kSysTickWidth) - 1);
}

// With one instruction a nanosecond, what the machine's clock leaves for one tick.
uint32_t board_milli_instructions_per_tick(void) { return 1000000000u / BOARD_CLOCK_KHZ; }

[[noreturn, gnu::naked]] void board_reset() {
  __asm__ volatile(
#if defined(__ARM_FP)
      // Both floating-point coprocessors on, before any instruction of theirs.
      "ldr r0, =0xE000ED88\n"
      "ldr r1, [r0]\n"
      "ldr r2, =0x00F00000\n"
      "orrs r1, r2\n"
      "str r1, [r0]\n"
      "dsb\n"
      "isb\n"
#endif
      "bl board_start\n"
      ".ltorg\n");
}

void board_fault() { board_exit(2); }

[[gnu::naked]] void* __aeabi_read_tp() {
  __asm__ volatile(
      "ldr r0, =__tls_block\n"
      "bx lr\n"
      ".ltorg\n");
}

extern "C" {
[[gnu::section(".vectors"), gnu::used]] extern void* const board_vectors[16] = {
    static_cast<void*>(__stack_top),      reinterpret_cast<void*>(board_reset),
    reinterpret_cast<void*>(board_fault),  // NMI
    reinterpret_cast<void*>(board_fault),  // hard fault
    reinterpret_cast<void*>(board_fault),  // memory management
    reinterpret_cast<void*>(board_fault),  // bus
    reinterpret_cast<void*>(board_fault),  // usage
    reinterpret_cast<void*>(board_fault),  // secure
};
}
