// RISC-V on QEMU's virt: start-up, the call of a debugger, and the counter of instructions.
#include <cstddef>
#include <cstdint>

#include <executorch/toolchains/bare_metal/board.h>

extern "C" {
[[noreturn]] void board_start();
}

// The three instructions that a debugger recognises must stand in one page, uncompressed.
__asm__(
    ".section .text.start,\"ax\"\n"
    ".global board_reset\n"
    "board_reset:\n"
    "  la t0, board_trap\n"
    "  csrw mtvec, t0\n"
#if defined(__riscv_flen)
    "  li t0, 0x6000\n"
    "  csrs mstatus, t0\n"
#endif
    ".option push\n"
    ".option norelax\n"
    "  la gp, __global_pointer$\n"
    ".option pop\n"
    "  la sp, __stack_top\n"
    "  la tp, __tls_block\n"
    "  j board_start\n"
    ".balign 4\n"
    "board_trap:\n"
    "  li a0, 2\n"
    "  j board_exit\n"
    ".text\n"
    ".global board_semihost\n"
    ".balign 16\n"
    ".option push\n"
    ".option norvc\n"
    "board_semihost:\n"
    "  slli x0, x0, 0x1f\n"
    "  ebreak\n"
    "  srai x0, x0, 7\n"
    "  ret\n"
    ".option pop\n");

uint32_t board_ticks(void) {
  uintptr_t count;
  __asm__ volatile("csrr %0, minstret" : "=r"(count));
  return static_cast<uint32_t>(count);
}

uint32_t board_ticks_between(uint32_t start, uint32_t end) { return end - start; }

uint32_t board_milli_instructions_per_tick(void) { return 1000; }
