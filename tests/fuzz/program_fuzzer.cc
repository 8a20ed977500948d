// Program::load, MethodMeta, load_method, set_input, execute and the outputs, with the portable
// kernels.

#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/testing/run_all.h>
#include <executorch/runtime/executor/testing/test_kernels.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/quiet.h>

namespace {

using executorch::runtime::Error;
using executorch::runtime::Program;
using executorch::runtime::testing::PteFile;
using executorch::runtime::testing::run_all;

bool run(const PteFile& file, Program::Verification verification, uint64_t* digest) {
  static const bool registered = [] {
    executorch::fuzz::silence_log();
    executorch::runtime::testing::register_test_kernels();
    executorch::runtime::testing::register_sample_backend();
    return true;
  }();
  bool all_ok = registered;
  for (const Error error : run_all(file, verification, digest)) {
    all_ok = all_ok && error == Error::Ok;
  }
  return all_ok;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const PteFile file(data, size);
  run(file, Program::Verification::Minimal, nullptr);
  run(file, Program::Verification::InternalConsistency, nullptr);
  return 0;
}

extern "C" bool FuzzTargetResult(const uint8_t* data, size_t size, uint64_t* digest) {
  const PteFile file(data, size);
  run(file, Program::Verification::Minimal, nullptr);
  return run(file, Program::Verification::InternalConsistency, digest);
}
