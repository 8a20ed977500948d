/* Xtensa, call0 ABI, on QEMU's sim: the core starts at its reset vector and jumps to the program. */
    .section .resetvec, "ax"
    .global board_reset_vector
board_reset_vector:
    j     1f
    .align 4
.Lentry:
    .word board_reset
1:  l32r  a0, .Lentry
    jx    a0

    .section .text.start, "ax"
    .literal_position
    .global board_reset
    .type board_reset, @function
    .align 4
board_reset:
    movi  a0, 0
    movi  a1, __stack_top
    call0 board_start
1:  j     1b

/* int board_simcall(int operation, int a, int b, int c): arguments are in place. */
    .text
    .global board_simcall
    .type board_simcall, @function
    .align 4
board_simcall:
    .byte 0x00, 0x51, 0x00    /* simcall; the assembler knows it only with some configurations */
    ret
