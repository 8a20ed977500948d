/// @file
/// The runner and a model in one file: the model stands at the end of the program's own file,
/// behind it how long it is and a mark.
#pragma once

#include <memory>
#include <ostream>
#include <string>

#include <executorch/extension/executor_runner/runner.h>
#include <executorch/runtime/core/data_loader.h>

namespace executorch {
namespace extension {
namespace executor_runner {

/// Where this process's program lies, as the system says; `argv0` where it does not.
std::string own_path(const char* argv0);

/// The model at the end of the file `path`; null if there is none.
std::unique_ptr<runtime::DataLoader> open_appended_model(const std::string& path);

/// Writes `out_path`: the program `program_path`, without a model that it may have, then the model
/// `model_path`. It may be executed. On failure one line in `errors`, and no file.
ExitCode write_single_file(const std::string& program_path, const std::string& model_path,
                           const std::string& out_path, std::ostream& errors);

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
