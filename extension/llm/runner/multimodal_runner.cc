#include <cinttypes>
#include <utility>

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/multimodal_runner.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using runtime::Error;
using runtime::Result;

MultimodalRunner::MultimodalRunner(std::unordered_map<std::string, int64_t> metadata,
                                   std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
                                   std::unique_ptr<Module> module,
                                   std::unique_ptr<MultimodalDecoderRunner> text_decoder_runner,
                                   std::unique_ptr<MultimodalPrefiller> multimodal_prefiller,
                                   std::unique_ptr<IOManager> io_manager,
                                   std::unique_ptr<TextTokenGenerator> text_token_generator,
                                   std::unique_ptr<Stats> stats)
    : metadata_(std::move(metadata)),
      tokenizer_(std::move(tokenizer)),
      stats_(std::move(stats)),
      module_(std::move(module)),
      io_manager_(std::move(io_manager)),
      text_decoder_runner_(std::move(text_decoder_runner)),
      multimodal_prefiller_(std::move(multimodal_prefiller)),
      text_token_generator_(std::move(text_token_generator)) {
  text_decoder_runner_->set_stats(stats_.get());
}

int64_t MultimodalRunner::metadata(const char* name, int64_t otherwise) const {
  const auto found = metadata_.find(name);
  return found == metadata_.end() ? otherwise : found->second;
}

bool MultimodalRunner::is_loaded() const {
  return tokenizer_->is_loaded() && multimodal_prefiller_->is_method_loaded();
}

Error MultimodalRunner::load() {
  if (is_loaded()) {
    return Error::Ok;
  }
  if (!tokenizer_->is_loaded()) {
    ET_LOG(Error, "The tokenizer has to be loaded before the runner is");
    return Error::InvalidState;
  }
  stats_->model_load_start_ms = time_in_ms();
  const Error error = multimodal_prefiller_->load();
  stats_->model_load_end_ms = time_in_ms();
  return error;
}

Result<uint64_t> MultimodalRunner::run(const std::vector<MultimodalInput>& inputs,
                                       int64_t& position, float temperature, int32_t num_bos,
                                       int32_t num_eos) {
  if (inputs.empty()) {
    ET_LOG(Error, "A prompt needs at least one part");
    return Error::InvalidArgument;
  }
  size_t first_text = inputs.size();
  size_t last_text = inputs.size();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_text()) {
      first_text = first_text == inputs.size() ? i : first_text;
      last_text = i;
    }
  }
  if (!pending_.empty()) {
    const auto token = multimodal_prefiller_->prefill(MultimodalInput(pending_), position);
    if (!token.ok()) {
      return token.error();
    }
  }
  uint64_t next = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    // Only the last choice counts, so that random numbers are those of a prompt in one part.
    const auto token = multimodal_prefiller_->prefill(
        inputs[i], position, i + 1 == inputs.size() ? temperature : 0.0f,
        i == first_text ? num_bos : 0, i == last_text ? num_eos : 0);
    if (!token.ok()) {
      return token.error();
    }
    next = *token;
  }
  return next;
}

Error MultimodalRunner::generate(const std::vector<MultimodalInput>& inputs,
                                 const GenerationConfig& config,
                                 std::function<void(const std::string&)> token_callback,
                                 std::function<void(const Stats&)> stats_callback) {
  const Error error = load();
  if (error != Error::Ok) {
    return error;
  }
  if (!config.pattern.empty() || !config.json_schema.empty()) {
    ET_LOG(Error, "Answers that match a pattern or a schema come from runners of text alone");
    return Error::NotSupported;
  }
  stats_->reset();
  text_token_generator_->resume();
  text_token_generator_->set_ignore_eos(config.ignore_eos);
  text_decoder_runner_->set_sampling({config.temperature, config.top_k, config.top_p, config.min_p,
                                      config.repetition_penalty, config.seed});
  stats_->inference_start_ms = stats_->token_encode_end_ms = time_in_ms();
  int64_t position = pos_;
  const auto first = run(inputs, position, config.temperature, config.num_bos, config.num_eos);
  if (!first.ok()) {
    return first.error();
  }
  stats_->prompt_eval_end_ms = stats_->first_token_ms = time_in_ms();
  const auto prompt_length = static_cast<int32_t>(position - pos_);
  stats_->num_prompt_tokens = prompt_length;
  const auto room = static_cast<int32_t>(metadata(kMaxContextLen, 128) - pos_);
  const int32_t max_new_tokens = config.resolve_max_new_tokens(room, prompt_length);
  if (max_new_tokens <= 0) {
    ET_LOG(Error, "A prompt of %d positions leaves no room for an answer in %d",
           static_cast<int>(prompt_length), static_cast<int>(room));
    return Error::InvalidArgument;
  }
  const bool shows = token_callback && !config.warming;
  for (const auto& input : inputs) {
    if (shows && config.echo && input.is_text()) {
      token_callback(input.get_text());
    }
  }
  const std::function<void(const std::string&)> silent;
  std::vector<uint64_t> tokens;
  const auto generated =
      text_token_generator_->answer(*first, tokens, position, max_new_tokens, config.temperature,
                                    shows ? token_callback : silent);
  if (!generated.ok()) {
    return generated.error();
  }
  // All of them have run but the last one.
  pos_ = position + *generated - 1;
  pending_.assign(1, tokens.back());
  stats_->num_generated_tokens = *generated;
  stats_->inference_end_ms = time_in_ms();
  if (stats_callback && !config.warming) {
    stats_callback(*stats_);
  }
  return Error::Ok;
}

Result<uint64_t> MultimodalRunner::prefill(const std::vector<MultimodalInput>& inputs,
                                           int32_t num_bos, int32_t num_eos) {
  const Error error = load();
  if (error != Error::Ok) {
    return error;
  }
  int64_t position = pos_;
  auto next = run(inputs, position, 0.0f, num_bos, num_eos);
  if (next.ok()) {
    pos_ = position;
    pending_.clear();
  }
  return next;
}

void MultimodalRunner::reset() {
  stats_->reset();
  pos_ = 0;
  pending_.clear();
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
