#include <cinttypes>
#include <fstream>
#include <utility>

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/tokenizer/llama2c_tokenizer.h>
#include <executorch/extension/llm/tokenizer/sentencepiece.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using runtime::Error;
using runtime::EValue;
using runtime::Result;

namespace {

/// Appends whole numbers: a value itself, or the elements of a list or tensor of them.
bool append_integers(const EValue& value, std::vector<int64_t>& numbers) {
  if (value.isInt()) {
    numbers.push_back(value.toInt());
  } else if (value.isBool()) {
    numbers.push_back(value.toBool() ? 1 : 0);
  } else if (value.isIntList()) {
    for (const int64_t number : value.toIntList()) {
      numbers.push_back(number);
    }
  } else if (value.isTensor() &&
             value.toTensor().scalar_type() == executorch::aten::ScalarType::Long) {
    const auto tensor = value.toTensor();
    const int64_t* const data = tensor.const_data_ptr<int64_t>();
    numbers.insert(numbers.end(), data, data + tensor.numel());
  } else {
    return false;
  }
  return true;
}

/// What a method without inputs gives, if the program has it and it gives whole numbers.
std::vector<int64_t> ask(Module& module, const std::unordered_set<std::string>& methods,
                         const char* name) {
  std::vector<int64_t> numbers;
  if (methods.count(name) == 0) {
    return numbers;
  }
  const auto values = module.execute(name);
  bool fits = values.ok();
  for (size_t i = 0; fits && i < values->size(); ++i) {
    fits = append_integers((*values)[i], numbers);
  }
  if (!fits) {
    ET_LOG(Error, "Method %s must give whole numbers; what it gives is ignored", name);
    numbers.clear();
  }
  return numbers;
}

/// Whether a file begins as the models of SentencePiece do: with a token, which is not empty. Those
/// of llama2.c begin with a number that has three bytes more.
bool begins_as_sentencepiece(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const int first = file.get();
  const int second = file.get();
  return first == 0x0a && second > 0;
}

std::unique_ptr<TextLLMRunner> create(std::unique_ptr<Module> module,
                                      std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
                                      float temperature) {
  if (tokenizer == nullptr || !tokenizer->is_loaded()) {
    ET_LOG(Error, "A runner needs a tokenizer that is loaded");
    return nullptr;
  }
  auto metadata = get_llm_metadata(tokenizer.get(), module.get());
  if (!metadata.ok()) {
    return nullptr;
  }
  auto eos_ids =
      std::make_unique<std::unordered_set<uint64_t>>(get_eos_ids(tokenizer.get(), module.get()));
  const bool use_kv_cache = metadata->at(kUseKVCache) != 0;
  auto io_manager = std::make_unique<IOManager>(*module);
  auto decoder = std::make_unique<TextDecoderRunner>(module.get(), io_manager.get());
  auto prefiller = std::make_unique<TextPrefiller>(decoder.get(), use_kv_cache,
                                                   metadata->at(kEnableDynamicShape) != 0,
                                                   metadata->at(kMaxSeqLen));
  auto stats = std::make_unique<Stats>();
  auto generator = std::make_unique<TextTokenGenerator>(
      tokenizer.get(), decoder.get(), use_kv_cache, std::move(eos_ids), stats.get());
  return std::make_unique<TextLLMRunner>(std::move(*metadata), std::move(tokenizer),
                                         std::move(module), std::move(decoder),
                                         std::move(prefiller), std::move(io_manager),
                                         std::move(generator), std::move(stats), temperature);
}

}  // namespace

std::unique_ptr<::tokenizers::Tokenizer> load_tokenizer(
    const std::string& tokenizer_path, std::unique_ptr<std::vector<std::string>> special_tokens,
    std::optional<std::string> pattern, size_t bos_token_index, size_t eos_token_index) {
  (void)special_tokens;
  (void)pattern;
  (void)bos_token_index;
  (void)eos_token_index;
  std::unique_ptr<::tokenizers::Tokenizer> tokenizer;
  if (begins_as_sentencepiece(tokenizer_path)) {
    tokenizer = std::make_unique<::tokenizers::SPTokenizer>();
  } else {
    tokenizer = std::make_unique<::tokenizers::Llama2cTokenizer>();
  }
  if (tokenizer->load(tokenizer_path) != Error::Ok) {
    ET_LOG(
        Error,
        "%s has no format that is known here, which are those of SentencePiece and llama2.c; for "
        "others, implement tokenizers::Tokenizer",
        tokenizer_path.c_str());
    return nullptr;
  }
  return tokenizer;
}

Result<std::unordered_map<std::string, int64_t>> get_llm_metadata(
    ::tokenizers::Tokenizer* tokenizer, Module* module) {
  const auto methods = module->method_names();
  if (!methods.ok()) {
    ET_LOG(Error, "The program cannot be loaded");
    return methods.error();
  }
  const std::vector<int64_t> longest = ask(*module, *methods, kMaxSeqLen);
  if (longest.size() != 1 || longest[0] <= 0) {
    ET_LOG(Error,
           "The program must say the most tokens that it takes at once: export it with "
           "constant_methods={\"%s\": ...}",
           kMaxSeqLen);
    return Error::InvalidProgram;
  }
  std::unordered_map<std::string, int64_t> metadata = {
      {kMaxSeqLen, longest[0]},
      {kMaxContextLen, longest[0]},
      {kEnableDynamicShape, 0},
      {kUseKVCache, 1},
      {kUseSDPAWithKVCache, 0},
      {kBosId, static_cast<int64_t>(tokenizer->bos_tok())},
      {kVocabSize, tokenizer->vocab_size()},
  };
  for (auto& [name, value] : metadata) {
    const std::vector<int64_t> said = ask(*module, *methods, name.c_str());
    if (said.size() == 1) {
      value = said[0];
    }
  }
  if (metadata[kMaxContextLen] <= 0 || metadata[kMaxContextLen] > INT32_MAX) {
    ET_LOG(Error, "%s says %" PRId64 ", which is no number of positions", kMaxContextLen,
           metadata[kMaxContextLen]);
    return Error::InvalidProgram;
  }
  return metadata;
}

std::unordered_set<uint64_t> get_eos_ids(::tokenizers::Tokenizer* tokenizer, Module* module) {
  std::unordered_set<uint64_t> ids;
  const auto methods = module->method_names();
  if (methods.ok()) {
    for (const int64_t id : ask(*module, *methods, kEosIds)) {
      ids.insert(static_cast<uint64_t>(id));
    }
  }
  if (ids.empty()) {
    ids.insert(tokenizer->eos_tok());
  }
  return ids;
}

std::unique_ptr<TextLLMRunner> create_text_llm_runner(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    std::optional<const std::string> data_path, float temperature) {
  std::vector<std::string> data_files;
  if (data_path.has_value()) {
    data_files.push_back(*data_path);
  }
  return create_text_llm_runner(model_path, std::move(tokenizer), std::move(data_files),
                                temperature);
}

std::unique_ptr<TextLLMRunner> create_text_llm_runner(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    std::vector<std::string> data_files, float temperature) {
  auto module = data_files.empty() ? std::make_unique<Module>(model_path, Module::LoadMode::File)
                                   : std::make_unique<Module>(model_path, std::move(data_files),
                                                              Module::LoadMode::File);
  return create(std::move(module), std::move(tokenizer), temperature);
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
