// What compiled code calls for atomic operations on a Cortex-M0+, which has no instructions for
// them. Aligned loads and stores are atomic by themselves; what reads and then writes does so with
// interrupts off, which is all the concurrency there is on one core (Arm's ABI names, GCC's
// "Atomic library interface").
  .syntax unified
  .thumb

.macro begin name
  .section .text.\name, "ax", %progbits
  .globl \name
  .type \name, %function
  .thumb_func
\name:
.endm

.macro operations size, load, store
  begin __atomic_load_\size
  \load r0, [r0]
  dmb
  bx lr

  begin __atomic_store_\size
  dmb
  \store r1, [r0]
  dmb
  bx lr

  begin __atomic_exchange_\size
  mrs r3, primask
  cpsid i
  \load r2, [r0]
  \store r1, [r0]
  msr primask, r3
  movs r0, r2
  bx lr

  // (address, expected, desired): true if the value was the expected one, else tells what it was.
  begin __atomic_compare_exchange_\size
  push {r4, r5, lr}
  mrs r5, primask
  cpsid i
  \load r3, [r0]
  \load r4, [r1]
  cmp r3, r4
  bne 1f
  \store r2, [r0]
  msr primask, r5
  movs r0, #1
  pop {r4, r5, pc}
1:
  \store r3, [r1]
  msr primask, r5
  movs r0, #0
  pop {r4, r5, pc}
.endm

operations 1, ldrb, strb
operations 2, ldrh, strh
operations 4, ldr, str
