#pragma once

#include <memory>
#include <ostream>

#include <executorch/extension/executor_runner/options.h>
#include <executorch/runtime/core/data_loader.h>

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

/// Does what `options` say: loads the program at `model_path`, runs all samples, prints outputs and
/// timing to `out`, one line about what went wrong to `errors`. `model`, if there is one, is read
/// in place of the file, and may have one file of data.
ExitCode run(const Options& options, std::ostream& out, std::ostream& errors,
             std::unique_ptr<runtime::DataLoader> model = nullptr);

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
