#pragma once

#include <ostream>

#include <executorch/extension/executor_runner/options.h>

namespace executorch {
namespace extension {
namespace executor_runner {

/// How the process ends.
enum ExitCode : int {
  kSuccess = 0,
  kProgramFailed = 1,
  kWrongFlags = 2,
  kFileFailed = 3,
};

/// Does what `options` say: loads the program, runs all samples, prints outputs and timing to
/// `out`, one line about what went wrong to `errors`.
ExitCode run(const Options& options, std::ostream& out, std::ostream& errors);

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
