#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <executorch/tests/fuzz/random_call.h>

namespace executorch {
namespace fuzz {

/// What a call has given, to be compared with what another library's kernel gives.
struct CallResult {
  struct Output {
    aten::ScalarType dtype;
    std::vector<int32_t> sizes;
    std::vector<uint8_t> bytes;
  };
  uint32_t error = 0;
  std::vector<Output> outputs;
  /// What rounding may come to if the call's least exact numbers are those of an input: floats that
  /// are written as doubles are sums of floats. Does not travel.
  double tolerance = 0;
};

/// Makes the valid call that the bytes stand for and runs it with the kernels of this program.
/// Null if the operator's results are anybody's guess: random or not written at all.
const Operator* run_call(const uint8_t* data, size_t size, CallResult& result);

/// In which way two results differ that should be the same up to rounding; empty if they do not.
std::string difference(const CallResult& ours, const CallResult& theirs);

/// Through a pipe. Both end the process if the other side is gone.
void send_bytes(int fd, const std::vector<uint8_t>& bytes);
bool receive_bytes(int fd, std::vector<uint8_t>& bytes);
std::vector<uint8_t> to_bytes(const CallResult& result);
CallResult from_bytes(const std::vector<uint8_t>& bytes);

}  // namespace fuzz
}  // namespace executorch
