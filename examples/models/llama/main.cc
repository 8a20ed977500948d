/// llama_main: text from a language model, in one answer or in a conversation.

#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include <executorch/examples/models/llama/llama_options.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/text_llm_runner.h>
#include <executorch/extension/llm/runner/util.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::examples::llama::Options;
using executorch::extension::llm::GenerationConfig;
using executorch::extension::llm::Stats;
using executorch::extension::llm::TextLLMRunner;
using executorch::runtime::Error;

void show(const std::string& text) { std::cout << text << std::flush; }

void show_memory(const Options& options, const char* when) {
  if (options.verbose) {
    std::cerr << "RSS " << when << ": "
              << static_cast<double>(executorch::extension::llm::get_rss_bytes()) / (1 << 20)
              << " MiB\n";
  }
}

Error answer(TextLLMRunner& runner, const std::string& prompt, const GenerationConfig& config,
             bool reports) {
  const Error error = runner.generate(prompt, config, show, [reports](const Stats& stats) {
    if (reports) {
      std::cout << std::endl;
      executorch::extension::llm::print_report(stats);
      std::cout << "PyTorchObserver " << executorch::extension::llm::stats_to_json_string(stats)
                << std::endl;
    }
  });
  if (error != Error::Ok) {
    std::cerr << "The text could not be generated: " << executorch::runtime::to_string(error)
              << "; the log says why\n";
  }
  return error;
}

/// A turn for each line; ends with the input, or where the model has no room left.
Error converse(TextLLMRunner& runner, const Options& options) {
  GenerationConfig config = options.generation;
  config.echo = false;
  bool first = true;
  Error error = Error::Ok;
  std::string line;
  for (std::cout << "> " << std::flush; error == Error::Ok && std::getline(std::cin, line);) {
    if (line == "/reset") {
      runner.reset();
      first = true;
    } else if (!line.empty()) {
      error = answer(runner, executorch::examples::llama::turn_of(options, line, first), config,
                     options.verbose);
      first = false;
    }
    std::cout << "\n> " << std::flush;
  }
  std::cout << std::endl;
  return error;
}

}  // namespace

int main(int argc, char** argv) {
  executorch::runtime::runtime_init();
  const auto options = executorch::examples::llama::parse_options(argc, argv, std::cerr);
  if (!options) {
    return 2;
  }
  if (options->help) {
    executorch::examples::llama::print_help(std::cout);
    return 0;
  }
  if (options->cpu_threads > 0) {
    executorch::extension::threadpool::get_threadpool()->_unsafe_reset_threadpool(
        static_cast<uint32_t>(options->cpu_threads));
  }
  auto tokenizer = executorch::extension::llm::load_tokenizer(options->tokenizer_path);
  if (tokenizer == nullptr) {
    std::cerr << "The tokenizer " << options->tokenizer_path << " cannot be loaded\n";
    return 1;
  }
  const auto runner = executorch::extension::llm::create_text_llm_runner_of_methods(
      options->model_path, std::move(tokenizer),
      {options->method_name, options->prefill_method_name}, options->data_paths);
  if (runner == nullptr || runner->load() != Error::Ok) {
    std::cerr << "The model " << options->model_path << " cannot be loaded\n";
    return 1;
  }
  show_memory(*options, "after loading");
  if (options->warmup && runner->warmup(options->prompt, 10) != Error::Ok) {
    return 1;
  }
  const Error error = options->chat ? converse(*runner, *options)
                                    : answer(*runner, options->prompt, options->generation, true);
  show_memory(*options, "at the end");
  return error == Error::Ok ? 0 : 1;
}
