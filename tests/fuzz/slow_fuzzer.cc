// For driver_test: waits, works, or does nothing, as the first byte says.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <executorch/tests/fuzz/fuzz_target.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  if (size != 0 && data[0] == 'w') {
    std::this_thread::sleep_until(end);
  }
  volatile uint64_t work = 0;
  while (size != 0 && data[0] == 'l') {
    work = work + 1;
  }
  return 0;
}
