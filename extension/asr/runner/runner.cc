#include <cinttypes>
#include <limits>
#include <utility>

#include <executorch/extension/asr/runner/runner.h>
#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/runner/program_constants.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace asr {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::Result;

namespace {

constexpr auto kEncoder = "encoder";
constexpr auto kTextDecoder = "text_decoder";
constexpr auto kDecoderStart = "decoder_start_token_id";

std::unique_ptr<Module> module_of(const std::string& path, std::optional<std::string> data_path) {
  // Mapped: what a backend packs need not be read into memory first.
  const auto mode = Module::LoadMode::Mmap;
  return data_path && !data_path->empty() ? std::make_unique<Module>(path, *data_path, mode)
                                          : std::make_unique<Module>(path, mode);
}

template <typename T>
TensorPtr converted(const Tensor& floats) {
  const float* const from = floats.const_data_ptr<float>();
  std::vector<T> values(from, from + floats.numel());
  return make_tensor_ptr({floats.sizes().begin(), floats.sizes().end()}, std::move(values));
}

}  // namespace

AsrRunner::AsrRunner(const std::string& module_path, std::optional<std::string> data_path,
                     const std::string& tokenizer_path)
    : tokenizer_path_(tokenizer_path),
      module_(module_of(module_path, std::move(data_path))),
      sampler_(module_.get(), nullptr) {}

bool AsrRunner::is_loaded() const {
  return tokenizer_ != nullptr && module_->is_method_loaded(kEncoder) &&
         module_->is_method_loaded(kTextDecoder);
}

Error AsrRunner::load() {
  if (is_loaded()) {
    return Error::Ok;
  }
  stats_.model_load_start_ms = llm::time_in_ms();
  auto tokenizer = llm::load_tokenizer(tokenizer_path_);
  if (tokenizer == nullptr) {
    ET_LOG(Error, "The tokenizer %s cannot be loaded", tokenizer_path_.c_str());
    return Error::InvalidArgument;
  }
  const auto methods = module_->method_names();
  if (!methods.ok()) {
    return methods.error();
  }
  for (const char* const method : {kEncoder, kTextDecoder}) {
    if (methods->count(method) == 0) {
      ET_LOG(Error, "The program has no method %s, which a runner of speech needs", method);
      return Error::InvalidProgram;
    }
    const Error error = module_->load_method(method);
    if (error != Error::Ok) {
      return error;
    }
  }
  tokenizer_ = std::move(tokenizer);
  read_constants(*methods);
  stats_.model_load_end_ms = llm::time_in_ms();
  return Error::Ok;
}

void AsrRunner::read_constants(const std::unordered_set<std::string>& methods) {
  eos_ids_ = llm::get_eos_ids(tokenizer_.get(), module_.get());
  for (const auto& [name, value] :
       {std::pair{kDecoderStart, &start_token_id_}, std::pair{llm::kMaxSeqLen, &max_seq_len_}}) {
    const std::vector<int64_t> said = llm::integers_of(*module_, methods, name);
    *value = said.size() == 1 && said[0] > 0 ? said[0] : 0;
  }
}

bool AsrRunner::ends(int64_t token, const AsrTranscribeConfig& config) const {
  return config.eos_token_ids.empty() ? eos_ids_.count(static_cast<uint64_t>(token)) > 0
                                      : config.eos_token_ids.count(token) > 0;
}

Result<std::vector<int64_t>> AsrRunner::begin_of(const AsrTranscribeConfig& config) const {
  std::vector<int64_t> tokens = config.decoder_input_ids;
  if (tokens.empty()) {
    tokens.push_back(config.decoder_start_token_id == 0 ? start_token_id_
                                                        : config.decoder_start_token_id);
  }
  if (config.max_new_tokens <= 0 || !(config.temperature >= 0.0f)) {
    ET_LOG(Error,
           "max_new_tokens must be positive and temperature not negative, they are %" PRId64
           " and %f",
           config.max_new_tokens, static_cast<double>(config.temperature));
    return Error::InvalidArgument;
  }
  for (const int64_t token : tokens) {
    if (token < 0) {
      ET_LOG(Error, "Token %" PRId64 " to begin with is negative", token);
      return Error::InvalidArgument;
    }
  }
  if (max_seq_len_ > 0 && static_cast<int64_t>(tokens.size()) > max_seq_len_) {
    ET_LOG(Error, "The decoder has %" PRId64 " positions, %zu tokens to begin with are too many",
           max_seq_len_, tokens.size());
    return Error::InvalidArgument;
  }
  return tokens;
}

Result<size_t> AsrRunner::pieces_of(const Tensor& features) {
  const auto meta = module_->method_meta(kEncoder);
  if (!meta.ok()) {
    return meta.error();
  }
  const auto input = meta->input_tensor_meta(0);
  if (!input.ok()) {
    ET_LOG(Error, "Method %s must take features, a tensor, as its first input", kEncoder);
    return Error::InvalidProgram;
  }
  const auto sizes = input->sizes();
  const bool takes_one = sizes.size() > 1 && sizes[0] == 1;
  return takes_one && features.dim() == static_cast<ssize_t>(sizes.size())
             ? static_cast<size_t>(features.size(0))
             : 1;
}

Result<EValue> AsrRunner::run(const char* method, const std::vector<EValue>& inputs) {
  stats_.on_model_execution_begin();
  auto outputs = module_->execute(method, inputs);
  stats_.on_model_execution_end();
  if (!outputs.ok()) {
    return outputs.error();
  }
  if (outputs->empty() || !outputs->front().isTensor()) {
    ET_LOG(Error, "Method %s must give a tensor as its first output", method);
    return Error::InvalidProgram;
  }
  return outputs->front();
}

Result<EValue> AsrRunner::encode(const Tensor& features) {
  const auto meta = module_->method_meta(kEncoder);
  const auto input = meta.ok() ? meta->input_tensor_meta(0) : meta.error();
  const bool is_float = features.scalar_type() == ScalarType::Float;
  if (is_float && input.ok() && input->scalar_type() == ScalarType::Half) {
    return run(kEncoder, {*converted<executorch::aten::Half>(features)});
  }
  if (is_float && input.ok() && input->scalar_type() == ScalarType::BFloat16) {
    return run(kEncoder, {*converted<executorch::aten::BFloat16>(features)});
  }
  return run(kEncoder, {features});
}

Result<Tensor> AsrRunner::step(int64_t token, int64_t position, const EValue& hidden_states) {
  const TensorPtr tokens = from_blob(&token, {1, 1}, ScalarType::Long);
  const TensorPtr positions = from_blob(&position, {1}, ScalarType::Long);
  const auto logits = run(kTextDecoder, {EValue(*tokens), hidden_states, EValue(*positions)});
  return logits.ok() ? Result<Tensor>(logits->toTensor()) : Result<Tensor>(logits.error());
}

Result<int64_t> AsrRunner::choose(const Tensor& logits, int64_t previous,
                                  const AsrTranscribeConfig& config,
                                  const std::optional<TokenCallback>& token_callback) {
  stats_.on_sampling_begin();
  const int64_t token = sampler_.logits_to_token(logits, config.temperature);
  stats_.on_sampling_end();
  if (token < 0) {
    return Error::InvalidProgram;
  }
  if (!token_callback || !*token_callback) {
    return token;
  }
  const auto text = tokenizer_->decode(static_cast<uint64_t>(previous),
                                       static_cast<uint64_t>(token), config.skip_special_tokens);
  if (!text.ok()) {
    ET_LOG(Error, "The tokenizer does not know token %" PRId64 " of the model", token);
    return text.error();
  }
  (*token_callback)(*text);
  return token;
}

Error AsrRunner::transcribe_piece(const Tensor& features, const std::vector<int64_t>& begin,
                                  const AsrTranscribeConfig& config,
                                  const std::optional<TokenCallback>& token_callback,
                                  std::vector<int64_t>& tokens) {
  const size_t first = tokens.size();
  const auto hidden_states = encode(features);
  if (!hidden_states.ok()) {
    return hidden_states.error();
  }
  stats_.prompt_eval_end_ms = first == 0 ? llm::time_in_ms() : stats_.prompt_eval_end_ms;
  stats_.num_prompt_tokens += static_cast<int64_t>(begin.size());
  tokens.insert(tokens.end(), begin.begin(), begin.end());
  const int64_t positions = max_seq_len_ > 0 ? max_seq_len_ : std::numeric_limits<int64_t>::max();
  int64_t generated = 0;
  for (int64_t position = 0; position < positions && !is_stopped(); ++position) {
    const int64_t token = tokens[first + static_cast<size_t>(position)];
    const auto logits = step(token, position, *hidden_states);
    if (!logits.ok()) {
      return logits.error();
    }
    if (first + static_cast<size_t>(position) + 1 < tokens.size()) {
      continue;  // The next one is given.
    }
    const auto next = choose(*logits, token, config, token_callback);
    if (!next.ok()) {
      return next.error();
    }
    stats_.first_token_ms = stats_.first_token_ms == 0 ? llm::time_in_ms() : stats_.first_token_ms;
    ++stats_.num_generated_tokens;
    tokens.push_back(*next);
    if (ends(*next, config) || ++generated == config.max_new_tokens) {
      break;
    }
  }
  return Error::Ok;
}

Result<std::vector<int64_t>> AsrRunner::transcribe(
    const Tensor& features, const AsrTranscribeConfig& config,
    const std::optional<TokenCallback>& token_callback) {
  should_stop_.store(false, std::memory_order_relaxed);
  const Error loaded = load();
  if (loaded != Error::Ok) {
    return loaded;
  }
  const auto begin = begin_of(config);
  if (!begin.ok()) {
    return begin.error();
  }
  const auto pieces = pieces_of(features);
  if (!pieces.ok()) {
    return pieces.error();
  }
  stats_.reset();
  stats_.inference_start_ms = stats_.token_encode_end_ms = llm::time_in_ms();
  std::vector<SizesType> sizes(features.sizes().begin(), features.sizes().end());
  if (*pieces > 1) {
    sizes[0] = 1;
  }
  std::vector<int64_t> tokens;
  for (size_t i = 0; i < *pieces && !is_stopped(); ++i) {
    auto* const data =
        static_cast<uint8_t*>(features.mutable_data_ptr()) + i * (features.nbytes() / *pieces);
    const TensorPtr piece = from_blob(data, sizes, features.scalar_type());
    const Error error = transcribe_piece(*piece, *begin, config, token_callback, tokens);
    if (error != Error::Ok) {
      return error;
    }
  }
  stats_.inference_end_ms = llm::time_in_ms();
  return tokens;
}

Result<std::vector<int64_t>> AsrRunner::transcribe(
    const TensorPtr& features, const AsrTranscribeConfig& config,
    const std::optional<TokenCallback>& token_callback) {
  if (features == nullptr) {
    ET_LOG(Error, "There are no features to transcribe");
    return Error::InvalidArgument;
  }
  return transcribe(*features, config, token_callback);
}

}  // namespace asr
}  // namespace extension
}  // namespace executorch
