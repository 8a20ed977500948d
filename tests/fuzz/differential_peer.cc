// Runs the calls that differential_fuzzer sends, with the kernels that this program has.

#include <vector>

#include <executorch/tests/fuzz/call_results.h>
#include <executorch/tests/fuzz/quiet.h>

int main() {
  executorch::fuzz::silence_log();
  std::vector<uint8_t> request;
  while (executorch::fuzz::receive_bytes(0, request)) {
    executorch::fuzz::CallResult result;
    (void)executorch::fuzz::run_call(request.data(), request.size(), result);
    executorch::fuzz::send_bytes(1, executorch::fuzz::to_bytes(result));
  }
  return 0;
}
