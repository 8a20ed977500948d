#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <executorch/extension/module/module.h>

namespace executorch {
namespace extension {
namespace executor_runner {

/// How much of the outputs goes to standard output.
enum class PrintOutput { kNone, kSummary, kAll };

/// What the command line says; the help text explains each field.
struct Options {
  std::string model_path;   // Empty: the model in the program's own file, else model.pte.
  std::string single_file;  // Empty: run; else write this file.
  std::vector<std::string> data_paths;
  std::string method_name;
  std::vector<std::string> inputs;
  std::vector<std::vector<int32_t>> input_shapes;  // An empty one is the program's bound.
  std::vector<std::string> outputs;
  std::string output_dir;
  std::string etdump_path;        // Empty: nothing is recorded.
  std::string debug_output_path;  // Needs etdump_path.
  uint32_t num_executions = 1;
  uint32_t warmup = 0;
  uint32_t threads = 0;  // 0: what the thread pool chooses.
  PrintOutput print_output = PrintOutput::kSummary;
  Module::LoadMode load_mode = Module::LoadMode::File;
  bool strict_verification = true;
  bool json = false;
  bool help = false;
};

/// Reads the command line. Flags take the forms `--name=value`, `--name value` and, for switches,
/// `--name`; one dash does as well. On a mistake nothing is returned and `errors` gets one line
/// that names the flag and what it takes.
std::optional<Options> parse_options(int argc, const char* const* argv, std::ostream& errors);

/// What `--help` prints.
void print_help(std::ostream& out);

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
