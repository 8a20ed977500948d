// Every registered kernel with tensors, shapes and numbers that fit or do not.

#include <cstdio>
#include <cstdlib>

#include <executorch/tests/fuzz/choices.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/quiet.h>
#include <executorch/tests/fuzz/random_call.h>

using executorch::fuzz::Choices;
using executorch::fuzz::RandomCall;
using executorch::runtime::Error;

extern "C" bool FuzzTargetResult(const uint8_t* data, size_t size, uint64_t* digest) {
  executorch::fuzz::silence_log();
  static const bool says_more = std::getenv("FUZZ_VERBOSE") != nullptr;
  Choices choices(data, size);
  *digest = 0;
  const executorch::fuzz::Operator& op = kOperators[choices.below(kNumOperators)];
  RandomCall call(op, choices, /*is_hostile=*/true);
  if (says_more) {
    std::fprintf(stderr, "%s\n", op.name);
  }
  return call.run() == Error::Ok;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint64_t digest = 0;
  (void)FuzzTargetResult(data, size, &digest);
  return 0;
}
