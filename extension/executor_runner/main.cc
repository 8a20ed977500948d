/// Runs a method of a `.pte` program from the command line; `--help` explains the flags.

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <executorch/extension/executor_runner/options.h>
#include <executorch/extension/executor_runner/runner.h>
#include <executorch/extension/executor_runner/single_file.h>
#include <executorch/runtime/core/data_loader.h>

int main(int argc, char** argv) {
  namespace runner = executorch::extension::executor_runner;
  std::optional<runner::Options> options = runner::parse_options(argc, argv, std::cerr);
  if (!options) {
    return runner::kWrongFlags;
  }
  if (options->help) {
    runner::print_help(std::cout);
    return runner::kSuccess;
  }
  const std::string own = runner::own_path(argv[0]);
  std::unique_ptr<executorch::runtime::DataLoader> model;
  if (options->model_path.empty()) {
    model = runner::open_appended_model(own);
    options->model_path = model == nullptr ? "model.pte" : own;
  }
  if (!options->single_file.empty()) {
    return runner::write_single_file(own, options->model_path, options->single_file, std::cerr);
  }
  return runner::run(*options, std::cout, std::cerr, std::move(model));
}
