/// Runs a method of a `.pte` program from the command line; `--help` explains the flags.

#include <iostream>
#include <optional>

#include <executorch/extension/executor_runner/options.h>
#include <executorch/extension/executor_runner/runner.h>

int main(int argc, char** argv) {
  namespace runner = executorch::extension::executor_runner;
  const std::optional<runner::Options> options = runner::parse_options(argc, argv, std::cerr);
  if (!options) {
    return runner::kWrongFlags;
  }
  if (options->help) {
    runner::print_help(std::cout);
    return runner::kSuccess;
  }
  return runner::run(*options, std::cout, std::cerr);
}
