#include <algorithm>
#include <cinttypes>
#include <fstream>
#include <utility>

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/runner/program_constants.h>
#include <executorch/extension/llm/runner/speculative_token_generator.h>
#include <executorch/extension/llm/runner/two_method_decoder_runner.h>
#include <executorch/extension/llm/tokenizer/hf_tokenizer.h>
#include <executorch/extension/llm/tokenizer/llama2c_tokenizer.h>
#include <executorch/extension/llm/tokenizer/sentencepiece.h>
#include <executorch/extension/llm/tokenizer/tekken.h>
#include <executorch/extension/llm/tokenizer/tiktoken.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using runtime::Error;
using runtime::Result;

namespace {

/// Reads what tells a file's format.
std::string beginning_of(const std::string& path) {
  char bytes[4096];
  std::ifstream file(path, std::ios::binary);
  file.read(bytes, sizeof(bytes));
  return std::string(bytes, file.bad() ? 0 : static_cast<size_t>(file.gcount()));
}

/// Whether a file begins as those of tiktoken do: with a token in base64, a space and its rank.
bool begins_as_tiktoken(const std::string& text) {
  const size_t space = text.find(' ');
  return space != std::string::npos && space + 1 < text.size() &&
         text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") == space &&
         text[space + 1] >= '0' && text[space + 1] <= '9';
}

/// The tokenizer of a format, by how the file begins. The models of SentencePiece begin with a
/// token, which is not empty; the files of llama2.c with a number that has three bytes more.
std::unique_ptr<::tokenizers::Tokenizer> tokenizer_of(
    const std::string& text, std::unique_ptr<std::vector<std::string>> special_tokens,
    const std::optional<std::string>& pattern, size_t bos_token_index, size_t eos_token_index) {
  if (text.size() > 1 && text[0] == '\x0a' && text[1] > 0) {
    return std::make_unique<::tokenizers::SPTokenizer>();
  }
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (text.empty() || (first != std::string::npos && text[first] == '{')) {
    if (::tokenizers::Tekken::is_beginning_of(text)) {
      return std::make_unique<::tokenizers::Tekken>();
    }
    return std::make_unique<::tokenizers::HFTokenizer>();  // Which also takes a directory.
  }
  if (!begins_as_tiktoken(text)) {
    return std::make_unique<::tokenizers::Llama2cTokenizer>();
  }
  if (special_tokens == nullptr && !pattern) {
    return std::make_unique<::tokenizers::Tiktoken>();
  }
  return std::make_unique<::tokenizers::Tiktoken>(
      pattern.value_or(::tokenizers::Tiktoken::default_pattern()), std::move(special_tokens),
      bos_token_index, eos_token_index);
}

std::unique_ptr<Module> module_of(const std::string& path, std::vector<std::string> data_files,
                                  Module::LoadMode load_mode = Module::LoadMode::File,
                                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                                  bool share_memory = false) {
  return data_files.empty()
             ? std::make_unique<Module>(path, load_mode, std::move(event_tracer), nullptr, nullptr,
                                        share_memory)
             : std::make_unique<Module>(path, std::move(data_files), load_mode,
                                        std::move(event_tracer), nullptr, nullptr, share_memory);
}

/// A module whose methods have their caches in common, if there are two.
std::unique_ptr<Module> module_of(const std::string& path, std::vector<std::string> data_files,
                                  const DecoderMethods& methods,
                                  Module::LoadMode load_mode = Module::LoadMode::File) {
  return module_of(path, std::move(data_files), load_mode, nullptr,
                   /*share_memory=*/!methods.prefill.empty());
}

/// Whether a program has the methods, which is said if it has not.
bool has_methods(Module& module, const DecoderMethods& methods) {
  const auto names = module.method_names();
  for (const std::string& name : {methods.decode, methods.prefill}) {
    if (names.ok() && !name.empty() && names->count(name) == 0) {
      ET_LOG(Error, "The program has no method %s", name.c_str());
      return false;
    }
  }
  return true;
}

using Metadata = std::unordered_map<std::string, int64_t>;

/// The most tokens that a method takes, which of several may be fewer than the program says.
int64_t most_tokens(Module& module, const std::string& method, int64_t said) {
  // Not Module's own, which loads the method.
  const auto program = module.program();
  if (program == nullptr) {
    return said;
  }
  const auto meta = program->method_meta(method.c_str());
  if (!meta.ok() || meta->num_inputs() == 0) {
    return said;
  }
  const auto tokens = meta->input_tensor_meta(0);
  int64_t most = 1;
  for (size_t i = 0; tokens.ok() && i < tokens->sizes().size(); ++i) {
    most *= tokens->sizes()[i];
  }
  return tokens.ok() && most > 0 ? std::min(most, said) : said;
}

/// How many tokens a model takes at once.
int32_t at_once(const Metadata& metadata) {
  return metadata.at(kEnableDynamicShape) == 0 ? 1 : static_cast<int32_t>(metadata.at(kMaxSeqLen));
}

/// A generator with a draft model; null, after saying why, when the two do not go together.
std::unique_ptr<TextTokenGenerator> create_speculative_generator(
    const DraftOptions& options, const Metadata& model, ::tokenizers::Tokenizer* tokenizer,
    TextDecoderRunner* decoder, std::unique_ptr<std::unordered_set<uint64_t>> eos_ids,
    Stats* stats) {
  DraftModel draft;
  draft.module = module_of(options.model_path, options.data_files);
  const auto metadata = get_llm_metadata(tokenizer, draft.module.get());
  if (!metadata.ok()) {
    return nullptr;
  }
  if (model.at(kUseKVCache) == 0 || metadata->at(kUseKVCache) == 0) {
    ET_LOG(Error, "A draft model helps models with a cache, and needs one itself");
    return nullptr;
  }
  if (model.at(kVocabSize) != metadata->at(kVocabSize) ||
      metadata->at(kMaxContextLen) < model.at(kMaxContextLen)) {
    ET_LOG(Error,
           "The draft model has %" PRId64 " tokens and %" PRId64
           " positions; it needs the model's %" PRId64 " tokens, and no fewer than %" PRId64
           " positions",
           metadata->at(kVocabSize), metadata->at(kMaxContextLen), model.at(kVocabSize),
           model.at(kMaxContextLen));
    return nullptr;
  }
  const int32_t most = std::min(options.max_tokens, at_once(model) - 1);
  if (most < 1) {
    ET_LOG(Error,
           "A draft model has to guess at least one token (max_tokens is %d), and the model "
           "to take more than one at once (it takes %d)",
           static_cast<int>(options.max_tokens), static_cast<int>(at_once(model)));
    return nullptr;
  }
  draft.max_seq_len = at_once(*metadata);
  draft.io_manager = std::make_unique<IOManager>(*draft.module);
  draft.decoder = std::make_unique<TextDecoderRunner>(draft.module.get(), draft.io_manager.get());
  return std::make_unique<SpeculativeTokenGenerator>(tokenizer, decoder, std::move(draft), most,
                                                     std::move(eos_ids), stats);
}

std::unique_ptr<TextLLMRunner> create(std::unique_ptr<Module> module,
                                      std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
                                      float temperature, const DraftOptions* draft,
                                      const DecoderMethods& methods = {}) {
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
  const bool has_two = !methods.prefill.empty();
  std::unique_ptr<TextDecoderRunner> decoder;
  if (has_two) {
    decoder = std::make_unique<TwoMethodDecoderRunner>(module.get(), io_manager.get(),
                                                       methods.prefill, methods.decode);
  } else {
    decoder = std::make_unique<TextDecoderRunner>(module.get(), io_manager.get(), methods.decode);
  }
  // Of two methods the decoder itself chooses; it is given all that may be as many as one takes.
  const int64_t said = metadata->at(kMaxSeqLen);
  const int64_t most = has_two ? said : most_tokens(*module, methods.decode, said);
  const bool takes_several = has_two || (metadata->at(kEnableDynamicShape) != 0 && most > 1);
  auto prefiller = std::make_unique<TextPrefiller>(decoder.get(), use_kv_cache, takes_several, most,
                                                   has_two ? said : kPrefillChunk);
  auto stats = std::make_unique<Stats>();
  auto generator =
      draft == nullptr
          ? std::make_unique<TextTokenGenerator>(tokenizer.get(), decoder.get(), use_kv_cache,
                                                 std::move(eos_ids), stats.get())
          : create_speculative_generator(*draft, *metadata, tokenizer.get(), decoder.get(),
                                         std::move(eos_ids), stats.get());
  if (generator == nullptr) {
    return nullptr;
  }
  return std::make_unique<TextLLMRunner>(std::move(*metadata), std::move(tokenizer),
                                         std::move(module), std::move(decoder),
                                         std::move(prefiller), std::move(io_manager),
                                         std::move(generator), std::move(stats), temperature);
}

}  // namespace

std::unique_ptr<::tokenizers::Tokenizer> load_tokenizer(
    const std::string& tokenizer_path, std::unique_ptr<std::vector<std::string>> special_tokens,
    std::optional<std::string> pattern, size_t bos_token_index, size_t eos_token_index) {
  auto tokenizer = tokenizer_of(beginning_of(tokenizer_path), std::move(special_tokens), pattern,
                                bos_token_index, eos_token_index);
  if (tokenizer->load(tokenizer_path) != Error::Ok) {
    ET_LOG(Error,
           "%s has no format that is known here, which are those of Hugging Face (tokenizer.json), "
           "SentencePiece, tiktoken, Mistral (tekken.json) and llama2.c; for others, implement "
           "tokenizers::Tokenizer",
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
  const std::vector<int64_t> longest = integers_of(*module, *methods, kMaxSeqLen);
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
    const std::vector<int64_t> said = integers_of(*module, *methods, name.c_str());
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
  for (const char* const name : {kEosIds, kEosId}) {
    if (ids.empty() && methods.ok()) {
      for (const int64_t id : integers_of(*module, *methods, name)) {
        ids.insert(static_cast<uint64_t>(id));
      }
    }
  }
  if (ids.empty()) {
    ids.insert(tokenizer->eos_tok());
  }
  return ids;
}

std::unique_ptr<TextLLMRunner> create_text_llm_runner(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    std::optional<const std::string> data_path, float temperature, const std::string& method_name,
    Module::LoadMode load_mode) {
  std::vector<std::string> data_files;
  if (data_path.has_value()) {
    data_files.push_back(*data_path);
  }
  return create_text_llm_runner(model_path, std::move(tokenizer), std::move(data_files),
                                temperature, /*event_tracer=*/nullptr, method_name, load_mode);
}

std::unique_ptr<TextLLMRunner> create_text_llm_runner(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    std::vector<std::string> data_files, float temperature,
    std::unique_ptr<runtime::EventTracer> event_tracer, const std::string& method_name,
    Module::LoadMode load_mode) {
  return create(module_of(model_path, std::move(data_files), load_mode, std::move(event_tracer)),
                std::move(tokenizer), temperature, /*draft=*/nullptr, {method_name, ""});
}

std::unique_ptr<TextLLMRunner> create_text_llm_runner_of_methods(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    const DecoderMethods& methods, std::vector<std::string> data_files, float temperature,
    Module::LoadMode load_mode) {
  auto module = module_of(model_path, std::move(data_files), methods, load_mode);
  return has_methods(*module, methods) ? create(std::move(module), std::move(tokenizer),
                                                temperature, /*draft=*/nullptr, methods)
                                       : nullptr;
}

std::unique_ptr<TextLLMRunner> create_speculative_runner(
    const std::string& model_path, const DraftOptions& draft,
    std::unique_ptr<::tokenizers::Tokenizer> tokenizer, std::vector<std::string> data_files,
    float temperature) {
  return create(module_of(model_path, std::move(data_files)), std::move(tokenizer), temperature,
                &draft);
}

std::unique_ptr<TextSession> create_text_session(const std::string& model_path,
                                                 std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
                                                 std::vector<std::string> data_files,
                                                 float temperature,
                                                 const std::optional<DraftOptions>& draft,
                                                 const DecoderMethods& methods) {
  std::vector<std::string> files = {model_path};
  files.insert(files.end(), data_files.begin(), data_files.end());
  auto module = module_of(model_path, std::move(data_files), methods);
  if (!has_methods(*module, methods)) {
    return nullptr;
  }
  auto runner = create(std::move(module), std::move(tokenizer), temperature,
                       draft.has_value() ? &*draft : nullptr, methods);
  return runner == nullptr
             ? nullptr
             : std::make_unique<TextSession>(std::move(runner), std::move(files), methods.decode);
}

std::unique_ptr<MultimodalRunner> create_multimodal_runner(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    std::optional<const std::string> data_path, Module::LoadMode load_mode) {
  if (tokenizer == nullptr || !tokenizer->is_loaded()) {
    ET_LOG(Error, "A runner needs a tokenizer that is loaded");
    return nullptr;
  }
  auto module = data_path.has_value()
                    ? std::make_unique<Module>(model_path, std::string(*data_path), load_mode)
                    : std::make_unique<Module>(model_path, load_mode);
  auto metadata = get_llm_metadata(tokenizer.get(), module.get());
  if (!metadata.ok()) {
    return nullptr;
  }
  auto eos_ids =
      std::make_unique<std::unordered_set<uint64_t>>(get_eos_ids(tokenizer.get(), module.get()));
  auto io_manager = std::make_unique<IOManager>(*module);
  auto decoder = std::make_unique<MultimodalDecoderRunner>(
      module.get(), io_manager.get(),
      metadata->at(kEnableDynamicShape) != 0 ? std::min(metadata->at(kMaxSeqLen), kPrefillChunk)
                                             : 1,
      metadata->at(kMaxContextLen));
  auto prefiller = std::make_unique<MultimodalPrefiller>(module.get(), decoder.get(),
                                                         tokenizer.get(), io_manager.get());
  auto stats = std::make_unique<Stats>();
  auto generator = std::make_unique<TextTokenGenerator>(
      tokenizer.get(), decoder.get(), /*use_kv_cache=*/true, std::move(eos_ids), stats.get());
  return std::make_unique<MultimodalRunner>(
      std::move(*metadata), std::move(tokenizer), std::move(module), std::move(decoder),
      std::move(prefiller), std::move(io_manager), std::move(generator), std::move(stats));
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
