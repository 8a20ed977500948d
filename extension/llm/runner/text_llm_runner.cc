#include <algorithm>
#include <cinttypes>
#include <utility>

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/text_constraint.h>
#include <executorch/extension/llm/runner/text_llm_runner.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using runtime::Error;
using runtime::Result;

TextLLMRunner::TextLLMRunner(std::unordered_map<std::string, int64_t> metadata,
                             std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
                             std::unique_ptr<Module> module,
                             std::unique_ptr<TextDecoderRunner> text_decoder_runner,
                             std::unique_ptr<TextPrefiller> text_prefiller,
                             std::unique_ptr<IOManager> io_manager,
                             std::unique_ptr<TextTokenGenerator> text_token_generator,
                             std::unique_ptr<Stats> stats, float temperature,
                             std::unique_ptr<TextDecoderRunner> prefill_decoder_runner)
    : metadata_(std::move(metadata)),
      tokenizer_(std::move(tokenizer)),
      stats_(std::move(stats)),
      module_(std::move(module)),
      io_manager_(std::move(io_manager)),
      text_decoder_runner_(std::move(text_decoder_runner)),
      prefill_decoder_runner_(std::move(prefill_decoder_runner)),
      text_prefiller_(std::move(text_prefiller)),
      text_token_generator_(std::move(text_token_generator)),
      temperature_(temperature) {
  text_decoder_runner_->set_stats(stats_.get());
  if (prefill_decoder_runner_ != nullptr) {
    prefill_decoder_runner_->set_stats(stats_.get());
  }
}

int64_t TextLLMRunner::metadata(const char* name, int64_t otherwise) const {
  const auto found = metadata_.find(name);
  return found == metadata_.end() ? otherwise : found->second;
}

bool TextLLMRunner::is_loaded() const {
  return text_prefiller_->is_loaded() && text_token_generator_->is_loaded();
}

Error TextLLMRunner::load() {
  if (is_loaded()) {
    return Error::Ok;
  }
  if (!tokenizer_->is_loaded()) {
    ET_LOG(Error, "The tokenizer has to be loaded before the runner is");
    return Error::InvalidState;
  }
  stats_->model_load_start_ms = time_in_ms();
  Error error = text_prefiller_->load();
  if (error == Error::Ok) {
    error = text_token_generator_->load();
  }
  stats_->model_load_end_ms = time_in_ms();
  return error;
}

/// The tokens of a prompt, behind one that was generated before and has not run.
Result<std::vector<uint64_t>> TextLLMRunner::encode(const std::string& prompt, int32_t num_bos,
                                                    int32_t num_eos, int64_t start_pos) {
  const auto count = [](int32_t n) { return static_cast<int8_t>(std::clamp(n, 0, 127)); };
  auto tokens = tokenizer_->encode(prompt, count(num_bos), count(num_eos));
  if (!tokens.ok()) {
    ET_LOG(Error, "The tokenizer cannot encode the prompt");
    return tokens.error();
  }
  if (start_pos == position()) {
    tokens->insert(tokens->begin(), pending_.begin(), pending_.end());
  }
  const int64_t context = max_context_len();
  if (tokens->empty() || start_pos + static_cast<int64_t>(tokens->size()) >= context) {
    ET_LOG(Error,
           "A prompt of %zu tokens at position %" PRId64
           " leaves no room: it must have at least one, and there are %" PRId64
           " positions. Shorten it, or reset() the runner",
           tokens->size(), start_pos, context);
    return Error::InvalidArgument;
  }
  return tokens;
}

Error TextLLMRunner::generate(const std::string& prompt, const GenerationConfig& config,
                              std::function<void(const std::string&)> token_callback,
                              std::function<void(const Stats&)> stats_callback) {
  return generate_from_pos(prompt, position(), config, std::move(token_callback),
                           std::move(stats_callback));
}

Error TextLLMRunner::generate_from_pos(const std::string& prompt, int64_t start_pos,
                                       const GenerationConfig& config,
                                       std::function<void(const std::string&)> token_callback,
                                       std::function<void(const Stats&)> stats_callback) {
  if (start_pos < 0) {
    ET_LOG(Error, "Position %" PRId64 " is negative", start_pos);
    return Error::InvalidArgument;
  }
  if (start_pos > 0 && metadata(kUseKVCache, 1) == 0) {
    ET_LOG(Error, "A model without a cache cannot go on from position %" PRId64, start_pos);
    return Error::NotSupported;
  }
  Error error = load();
  if (error != Error::Ok) {
    return error;
  }
  stats_->reset();
  text_token_generator_->resume();
  text_token_generator_->set_ignore_eos(config.ignore_eos);
  text_decoder_runner_->set_sampling({config.temperature, config.top_k, config.top_p, config.min_p,
                                      config.repetition_penalty, config.seed});
  text_decoder_runner_->set_seen(tokens_, static_cast<size_t>(start_pos));
  error = constrain(config);
  if (error != Error::Ok) {
    return error;
  }
  stats_->inference_start_ms = time_in_ms();
  auto tokens = encode(prompt, config.num_bos, config.num_eos, start_pos);
  if (!tokens.ok()) {
    return tokens.error();
  }
  const auto room = static_cast<int32_t>(max_context_len() - start_pos);
  const auto num_prompt_tokens = static_cast<int32_t>(tokens->size());
  const int32_t max_new_tokens = config.resolve_max_new_tokens(room, num_prompt_tokens);
  if (max_new_tokens <= 0) {
    ET_LOG(Error,
           "seq_len %d and max_new_tokens %d leave no room for an answer to a prompt of %d tokens",
           static_cast<int>(config.seq_len), static_cast<int>(config.max_new_tokens),
           static_cast<int>(num_prompt_tokens));
    return Error::InvalidArgument;
  }
  stats_->token_encode_end_ms = time_in_ms();
  stats_->num_prompt_tokens = num_prompt_tokens;
  const bool shows = token_callback && !config.warming;
  if (shows && config.echo) {
    token_callback(prompt);
  }
  const std::function<void(const std::string&)> silent;
  error = answer(std::move(*tokens), start_pos, config, max_new_tokens,
                 shows ? token_callback : silent);
  stats_->inference_end_ms = time_in_ms();
  if (error == Error::Ok && stats_callback && !config.warming) {
    stats_callback(*stats_);
  }
  return error;
}

/// Runs the prompt and generates what follows; keeps where the conversation is.
Error TextLLMRunner::answer(std::vector<uint64_t> tokens, int64_t start_pos,
                            const GenerationConfig& config, int32_t max_new_tokens,
                            const std::function<void(const std::string&)>& token_callback) {
  const float temperature = temperature_ == -1.0f ? config.temperature : temperature_;
  int64_t position = start_pos;
  const auto first = text_prefiller_->prefill(tokens, position, temperature);
  if (!first.ok()) {
    return first.error();
  }
  stats_->prompt_eval_end_ms = stats_->first_token_ms = time_in_ms();
  const auto generated = text_token_generator_->answer(*first, tokens, position, max_new_tokens,
                                                       temperature, token_callback);
  if (!generated.ok()) {
    return generated.error();
  }
  stats_->num_generated_tokens = *generated;
  if (metadata(kUseKVCache, 1) != 0) {
    // All of them have run but the last one.
    pending_.assign(1, tokens.back());
    note(start_pos, tokens, tokens.size() - 1);
  }
  return Error::Ok;
}

Error TextLLMRunner::constrain(const GenerationConfig& config) {
  text_decoder_runner_->set_constraint(nullptr);
  if (config.pattern.empty() && config.json_schema.empty()) {
    return Error::Ok;
  }
  if (vocabulary_ == nullptr) {
    vocabulary_ = std::make_shared<const VocabularyTexts>(texts_of(*tokenizer_));
  }
  auto constraint = make_constraint(config.pattern, config.json_schema, vocabulary_,
                                    text_token_generator_->ends());
  if (!constraint.ok()) {
    return constraint.error();
  }
  text_decoder_runner_->set_constraint(std::move(*constraint));
  return Error::Ok;
}

Result<uint64_t> TextLLMRunner::prefill(const std::string& prompt, int32_t num_bos,
                                        int32_t num_eos) {
  const Error error = load();
  if (error != Error::Ok) {
    return error;
  }
  if (metadata(kUseKVCache, 1) == 0) {
    ET_LOG(Error, "A model without a cache does not keep a prompt");
    return Error::NotSupported;
  }
  text_decoder_runner_->set_constraint(nullptr);
  const int64_t start_pos = position();
  const auto tokens = encode(prompt, num_bos, num_eos, start_pos);
  if (!tokens.ok()) {
    return tokens.error();
  }
  int64_t next_pos = start_pos;
  auto next = text_prefiller_->prefill(*tokens, next_pos);
  if (next.ok()) {
    pending_.clear();
    note(start_pos, *tokens, tokens->size());
  }
  return next;
}

Result<uint64_t> TextLLMRunner::prefill(const std::vector<MultimodalInput>& inputs, int32_t num_bos,
                                        int32_t num_eos) {
  std::string prompt;
  for (const MultimodalInput& input : inputs) {
    if (!input.is_text()) {
      ET_LOG(Error, "A model of text takes texts only");
      return Error::NotSupported;
    }
    prompt += input.get_text();
  }
  return prefill(prompt, num_bos, num_eos);
}

void TextLLMRunner::note(int64_t start_pos, const std::vector<uint64_t>& tokens, size_t count) {
  tokens_.resize(static_cast<size_t>(start_pos), UINT64_MAX);
  tokens_.insert(tokens_.end(), tokens.begin(),
                 tokens.begin() + static_cast<std::ptrdiff_t>(count));
}

int64_t TextLLMRunner::max_context_len() const { return metadata(kMaxContextLen, 128); }

Error TextLLMRunner::take_up(std::vector<uint64_t> tokens, std::vector<uint64_t> pending) {
  if (metadata(kUseKVCache, 1) == 0) {
    ET_LOG(Error, "A model without a cache has no conversation to take up");
    return Error::NotSupported;
  }
  if (static_cast<int64_t>(tokens.size()) > max_context_len() || pending.size() > 1) {
    ET_LOG(Error, "There are %zu tokens and %zu pending ones, but %" PRId64 " positions",
           tokens.size(), pending.size(), max_context_len());
    return Error::InvalidArgument;
  }
  tokens_ = std::move(tokens);
  pending_ = std::move(pending);
  return Error::Ok;
}

Error TextLLMRunner::warmup(const std::string& prompt, int32_t max_new_tokens) {
  ET_LOG(Info, "Doing a warmup run...");
  GenerationConfig config;
  config.echo = false;
  config.max_new_tokens = max_new_tokens;
  config.warming = true;
  const Error error = generate_from_pos(prompt, 0, config);
  reset();
  ET_LOG(Info, "Warmup run finished!");
  return error;
}

void TextLLMRunner::stop() { text_token_generator_->stop(); }

void TextLLMRunner::reset() {
  stats_->reset();
  tokens_.clear();
  pending_.clear();
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
