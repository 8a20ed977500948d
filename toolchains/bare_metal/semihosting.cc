// Arm's semihosting, which RISC-V took over: text and exit status leave through the debugger, here
// the emulator.
#include <cstddef>
#include <cstdint>

#include <executorch/toolchains/bare_metal/board.h>

// The instruction by which a processor calls its debugger: cortex_m.cc, riscv.cc.
extern "C" intptr_t board_semihost(intptr_t operation, const void* argument);

namespace {

enum Operation : intptr_t { kWrite0 = 0x04, kExitExtended = 0x20 };
constexpr uintptr_t kApplicationExit = 0x20026;

}  // namespace

void board_write(const char* text, size_t size) {
  char part[65];
  while (size > 0) {
    const size_t now = size < sizeof(part) - 1 ? size : sizeof(part) - 1;
    for (size_t i = 0; i < now; ++i) {
      part[i] = text[i];
    }
    part[now] = '\0';
    board_semihost(kWrite0, part);
    text += now;
    size -= now;
  }
}

void board_exit(int status) {
  const uintptr_t block[] = {kApplicationExit, static_cast<uintptr_t>(status)};
  board_semihost(kExitExtended, block);
  for (;;) {
  }
}
