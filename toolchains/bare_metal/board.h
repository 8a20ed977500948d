/// @file
/// What a program on bare metal may ask of its board: to say something, to stop, and how much it
/// has computed. The boards here are QEMU's; text and exit status leave through semihosting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

extern "C" {

/// Says `size` bytes of text.
void board_write(const char* text, size_t size);

/// Stops the machine; `status` becomes the exit status of the emulator.
[[noreturn]] void board_exit(int status);

/// Ticks of a clock that counts instructions when the emulator runs with `-icount shift=0`, at most
/// 24 bits wide. Each tick is `board_milli_instructions_per_tick()` thousandths of an instruction.
uint32_t board_ticks(void);

/// Ticks from `start` to `end`, across at most one wrap.
uint32_t board_ticks_between(uint32_t start, uint32_t end);

/// Thousandths of an instruction in one tick.
uint32_t board_milli_instructions_per_tick(void);

/// The most of the stack that has been in use since the start, in bytes.
size_t board_stack_used(void);
}

/// Says what `std::printf` would, 199 characters at most.
template <typename... Values>
void board_say(const char* format, Values... values) {
  char line[200];
  const int size = std::snprintf(line, sizeof(line), format, values...);
  const size_t said = size < 0 ? 0 : static_cast<size_t>(size);
  board_write(line, said < sizeof(line) ? said : sizeof(line) - 1);
}

/// How many instructions these ticks are.
inline uint64_t board_instructions(uint32_t ticks) {
  return uint64_t{ticks} * board_milli_instructions_per_tick() / 1000;
}
