// Entries and exits that many functions share: picolibc is compiled with -msave-restore, whose
// helpers are in GCC's library and not in the compiler's own here. A function jumps to
// __riscv_save_N with its return address in t0, and ends in __riscv_restore_N. Of ra and
// s0..s(N-1); the frame's size is part of the convention, since callers find arguments behind it
// (RISC-V Toolchain Conventions, "-msave-restore").

#if __riscv_xlen == 64
#define STORE sd
#define LOAD ld
#define WORD 8
#else
#define STORE sw
#define LOAD lw
#define WORD 4
#endif

#define FRAME(count) ((((count) + 1) * WORD + 15) & -16)

.macro save_and_restore count
  .section .text.__riscv_save_\count, "ax", @progbits
  .globl __riscv_save_\count
__riscv_save_\count:
  addi sp, sp, -FRAME(\count)
  STORE ra, (FRAME(\count) - WORD)(sp)
.irp register, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
.if \register < \count
  STORE s\register, (FRAME(\count) - (\register + 2) * WORD)(sp)
.endif
.endr
  jr t0

  .section .text.__riscv_restore_\count, "ax", @progbits
  .globl __riscv_restore_\count
__riscv_restore_\count:
  LOAD ra, (FRAME(\count) - WORD)(sp)
.irp register, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
.if \register < \count
  LOAD s\register, (FRAME(\count) - (\register + 2) * WORD)(sp)
.endif
.endr
  addi sp, sp, FRAME(\count)
  ret
.endm

.irp count, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
  save_and_restore \count
.endr
