// Xtensa on QEMU's sim: the simulator's system calls.
#include <cstddef>
#include <cstdint>

#include <executorch/toolchains/bare_metal/board.h>

extern "C" {
int board_simcall(int operation, int first, int second, int third);
}

namespace {

enum Operation : int { kExit = 1, kWrite = 4 };
constexpr int kStandardOutput = 1;

}  // namespace

void board_write(const char* text, size_t size) {
  board_simcall(kWrite, kStandardOutput, static_cast<int>(reinterpret_cast<intptr_t>(text)),
                static_cast<int>(size));
}

void board_exit(int status) {
  board_simcall(kExit, status, 0, 0);
  for (;;) {
  }
}

// The core's cycle counter, of which 24 bits are told so that all boards count alike.
uint32_t board_ticks(void) {
  uint32_t count;
  __asm__ volatile("rsr %0, ccount" : "=a"(count));
  return count;
}

uint32_t board_ticks_between(uint32_t start, uint32_t end) { return end - start; }

// With one instruction a nanosecond, what the core's clock leaves for one cycle.
uint32_t board_milli_instructions_per_tick(void) { return 1000000000u / BOARD_CLOCK_KHZ; }
