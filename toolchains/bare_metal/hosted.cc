// A system with processes in the place of a board: the same program runs there, and counts no
// instructions.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <executorch/toolchains/bare_metal/board.h>

void board_write(const char* text, size_t size) { std::fwrite(text, 1, size, stdout); }

void board_exit(int status) { std::exit(status); }

uint32_t board_ticks(void) { return 0; }

uint32_t board_ticks_between(uint32_t start, uint32_t end) { return end - start; }

uint32_t board_milli_instructions_per_tick(void) { return 0; }

size_t board_stack_used(void) { return 0; }
