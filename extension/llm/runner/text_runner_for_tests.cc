/**
 * @file
 * Answers prompts for text_llm_runner_test.py: `text_runner_for_tests MODEL[:DECODE[:PREFILL]]
 * MAX_NEW_TOKENS PROMPT...`, with the methods by these names. Each byte of a prompt is a token; 256
 * and 257 begin and end texts. A prompt "<reset>" begins anew. Prints a line for each prompt: the
 * error's name, how many tokens were generated, and the answer's bytes in hexadecimal.
 */

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::runtime::Error;
using executorch::runtime::Result;

class Bytes : public tokenizers::Tokenizer {
 public:
  Bytes() {
    initialized_ = true;
    vocab_size_ = 258;
    bos_tok_ = 256;
    eos_tok_ = 257;
  }
  tokenizers::Error load(const std::string&) override { return tokenizers::Error::Ok; }
  Result<std::vector<uint64_t>> encode(const std::string& input, int8_t bos,
                                       int8_t eos) const override {
    std::vector<uint64_t> tokens(bos > 0 ? static_cast<size_t>(bos) : 0, bos_tok_);
    for (const char byte : input) {
      tokens.push_back(static_cast<unsigned char>(byte));
    }
    tokens.insert(tokens.end(), eos > 0 ? static_cast<size_t>(eos) : 0, eos_tok_);
    return tokens;
  }
  Result<std::string> decode(uint64_t, uint64_t token, bool) const override {
    return token < 256 ? std::string(1, static_cast<char>(token)) : std::string();
  }
};

/// The parts of a text between colons.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  size_t first = 0;
  for (size_t end = 0; end != std::string::npos; first = end + 1) {
    end = text.find(':', first);
    parts.push_back(text.substr(first, end == std::string::npos ? end : end - first));
  }
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  namespace llm = executorch::extension::llm;
  executorch::runtime::runtime_init();
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s MODEL MAX_NEW_TOKENS PROMPT...\n", argv[0]);
    return 2;
  }
  const auto parts = parts_of(argv[1]);
  llm::DecoderMethods methods;
  methods.decode = parts.size() > 1 ? parts[1] : methods.decode;
  methods.prefill = parts.size() > 2 ? parts[2] : methods.prefill;
  const auto runner =
      llm::create_text_llm_runner_of_methods(parts[0], std::make_unique<Bytes>(), methods);
  if (runner == nullptr) {
    return 1;
  }
  llm::GenerationConfig config;
  config.echo = false;
  config.temperature = 0.0f;
  config.max_new_tokens = std::atoi(argv[2]);
  for (int i = 3; i < argc; ++i) {
    if (std::string(argv[i]) == "<reset>") {
      runner->reset();
      continue;
    }
    std::string answer;
    long generated = 0;
    const Error error = runner->generate(
        argv[i], config, [&answer](const std::string& piece) { answer += piece; },
        [&generated](const llm::Stats& stats) {
          generated = static_cast<long>(stats.num_generated_tokens);
        });
    std::printf("%s %ld ", executorch::runtime::to_string(error), generated);
    for (const char byte : answer) {
      std::printf("%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
    std::printf("\n");
  }
  return 0;
}
