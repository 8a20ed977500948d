#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <numeric>
#include <utility>

#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/text_decoder_runner.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::Result;

namespace {

/// Whether the method wants a position for every token instead of that of the first one.
bool takes_all_positions(const runtime::MethodMeta& meta) {
  if (meta.num_inputs() < 2) {
    return false;
  }
  const auto position = meta.input_tensor_meta(1);
  size_t most = 1;
  for (size_t i = 0; position.ok() && i < position->sizes().size(); ++i) {
    most *= static_cast<size_t>(position->sizes()[i]);
  }
  return most > 1;
}

}  // namespace

TextDecoderRunner::TextDecoderRunner(Module* module, IOManager* io_manager, std::string method_name,
                                     std::unique_ptr<Sampler> sampler, Stats* stats)
    : module_(module),
      io_manager_(io_manager),
      method_name_(std::move(method_name)),
      stats_(stats),
      sampler_(std::move(sampler)) {
  if (sampler_ != nullptr) {
    sampling_ = sampler_->options();
    sampler_vocabulary_ = sampler_->vocab_size();
    sampler_temperature_ = sampling_.temperature;
  }
}

Error TextDecoderRunner::load_method(const std::string& method_name) {
  const Error error = module_->load_method(method_name);
  return error == Error::Ok ? io_manager_->load(method_name, method_name) : error;
}

void TextDecoderRunner::note_seen(const Tensor& tokens, int64_t start_pos) {
  if (start_pos == 0) {
    seen_.clear();
  }
  if (sampling_.repetition_penalty != 1.0f) {
    const int64_t* const ids = tokens.const_data_ptr<int64_t>();
    seen_.insert(ids, ids + tokens.numel());
  }
}

Result<Tensor> TextDecoderRunner::step(TensorPtr& tokens, int64_t start_pos) {
  if (start_pos < 0) {
    ET_LOG(Error, "Position %" PRId64 " is negative", start_pos);
    return Error::InvalidArgument;
  }
  note_seen(*tokens, start_pos);
  return run(method_name_, tokens, static_cast<size_t>(tokens->numel()), start_pos);
}

Result<std::vector<runtime::EValue>> TextDecoderRunner::execute(
    const std::string& method, const std::vector<runtime::EValue>& inputs) {
  if (stats_ == nullptr) {
    return module_->execute(method, inputs);
  }
  stats_->on_model_execution_begin();
  auto outputs = module_->execute(method, inputs);
  stats_->on_model_execution_end();
  return outputs;
}

Result<Tensor> TextDecoderRunner::run(const std::string& method, const TensorPtr& input,
                                      size_t count, int64_t start_pos) {
  const auto meta = module_->method_meta(method);
  if (!meta.ok()) {
    return meta.error();
  }
  std::vector<int64_t> positions(takes_all_positions(*meta) ? count : 1);
  std::iota(positions.begin(), positions.end(), start_pos);
  const auto size = static_cast<SizesType>(positions.size());
  const TensorPtr position = from_blob(positions.data(), {size}, ScalarType::Long);

  auto inputs = count > 1 ? io_manager_->prepare_prefill(input, position, method)
                          : io_manager_->prepare_decode(input, position, method);
  if (!inputs.ok()) {
    return inputs.error();
  }
  auto outputs = execute(method, *inputs);
  if (!outputs.ok()) {
    return outputs.error();
  }
  if (outputs->empty() || !outputs->front().isTensor()) {
    ET_LOG(Error, "Method %s must give logits, a tensor, as its first output", method.c_str());
    return Error::InvalidProgram;
  }
  const Error error = count > 1 ? io_manager_->update_prefill(*outputs, method)
                                : io_manager_->update_decode(*outputs, method);
  if (error != Error::Ok) {
    return error;
  }
  return outputs->front().toTensor();
}

void TextDecoderRunner::set_sampling(const SamplingOptions& options) {
  const SamplingOptions& now = sampling_;
  const bool same =
      now.top_k == options.top_k && now.top_p == options.top_p && now.min_p == options.min_p &&
      now.repetition_penalty == options.repetition_penalty && options.seed == 0 && now.seed == 0;
  sampling_ = options;
  if (!same) {
    sampler_.reset();
  }
}

void TextDecoderRunner::set_seen(const std::vector<uint64_t>& tokens, size_t count) {
  seen_.clear();
  if (sampling_.repetition_penalty != 1.0f) {
    const size_t most = std::min(count, tokens.size());
    seen_.insert(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(most));
  }
}

template <typename T>
int32_t TextDecoderRunner::choose(T* logits, int32_t vocabulary) {
  if (constraint_ == nullptr) {
    return sampler_->sample(logits, seen_);
  }
  const auto count = static_cast<size_t>(vocabulary);
  if (!constraint_->mask(logits, count)) {
    ET_LOG(Error, "No token of the vocabulary goes on to an answer that matches the pattern");
    return -1;
  }
  int32_t token = sampler_->sample(logits, seen_);
  const std::vector<uint8_t>& may = constraint_->allowed();
  if (static_cast<size_t>(token) >= may.size() || may[static_cast<size_t>(token)] == 0) {
    // Sums of probabilities round, and the last one of all tokens is none that may come.
    token = -1;
    for (size_t i = 0; i < std::min(count, may.size()); ++i) {
      const bool is_better =
          token < 0 ||
          static_cast<float>(logits[i]) > static_cast<float>(logits[static_cast<size_t>(token)]);
      token = may[i] != 0 && is_better ? static_cast<int32_t>(i) : token;
    }
  }
  constraint_->accept(static_cast<uint64_t>(token));
  return token;
}

template <typename T>
int32_t TextDecoderRunner::sample(const Tensor& logits, float temperature, size_t lines_behind) {
  const auto vocabulary = static_cast<int32_t>(logits.size(logits.dim() - 1));
  if (sampler_ == nullptr || sampler_vocabulary_ != vocabulary ||
      sampler_temperature_ != temperature) {
    SamplingOptions options = sampling_;
    options.temperature = temperature;
    sampler_ = std::make_unique<Sampler>(vocabulary, options);
    sampler_vocabulary_ = vocabulary;
    sampler_temperature_ = temperature;
  }
  const auto behind = static_cast<ssize_t>(lines_behind + 1) * vocabulary;
  return choose(logits.mutable_data_ptr<T>() + (logits.numel() - behind), vocabulary);
}

int32_t TextDecoderRunner::logits_to_token(const Tensor& logits, float temperature,
                                           size_t lines_behind) {
  if (logits.dim() == 0 || static_cast<size_t>(logits.numel()) <=
                               lines_behind * static_cast<size_t>(logits.size(logits.dim() - 1))) {
    ET_LOG(Error, "The logits are empty or have too few lines");
    return -1;
  }
  switch (logits.scalar_type()) {
    case ScalarType::Float:
      return sample<float>(logits, temperature, lines_behind);
    case ScalarType::Half:
      return sample<executorch::aten::Half>(logits, temperature, lines_behind);
    case ScalarType::BFloat16:
      return sample<executorch::aten::BFloat16>(logits, temperature, lines_behind);
    case ScalarType::UInt16:
      return sample<uint16_t>(logits, temperature, lines_behind);
    default:
      ET_LOG(Error, "Logits must be Float, Half, BFloat16 or UInt16, they are dtype %d",
             static_cast<int>(logits.scalar_type()));
      return -1;
  }
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
