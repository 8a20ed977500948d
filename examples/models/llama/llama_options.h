#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <executorch/extension/llm/runner/irunner.h>

namespace executorch {
namespace examples {
namespace llama {

/// What the command line says; `--help` explains each.
struct Options {
  std::string model_path = "llama2.pte";
  std::string tokenizer_path = "tokenizer.bin";
  std::vector<std::string> data_paths;
  std::string method_name = "forward";
  std::string prefill_method_name;  // Empty: prompts run by the same.
  std::string prompt = "The answer to the ultimate question is";
  extension::llm::GenerationConfig generation;
  int32_t cpu_threads = -1;  // Less than 1: what the thread pool chooses.
  bool warmup = false;
  bool verbose = false;
  bool chat = false;
  std::string chat_template = "llama3";
  std::string system_prompt;
  bool help = false;
};

/// Reads the command line: `--name=value`, `--name value` and, for switches, `--name`. On a mistake
/// nothing is returned, and `errors` gets a line that names the flag and what it takes.
std::optional<Options> parse_options(int argc, const char* const* argv, std::ostream& errors);

/// What `--help` prints.
void print_help(std::ostream& out);

/// The prompt of a turn of a conversation, in the words of a chat template: "llama3", "chatml",
/// "gemma" or "plain", which adds nothing. The system's part comes with the first turn.
std::string turn_of(const Options& options, const std::string& said, bool first);

}  // namespace llama
}  // namespace examples
}  // namespace executorch
