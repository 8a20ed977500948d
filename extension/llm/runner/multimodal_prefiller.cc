#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/multimodal_prefiller.h>
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

/// The names of the method for a kind of input, the older one last.
std::vector<const char*> encoders_of(const MultimodalInput& input) {
  if (input.is_image()) {
    return {kVisionEncoderMethod, kImageEncoderMethod};
  }
  return {kAudioEncoderMethod};
}

/// A tensor over the values of an input, as an encoder with such an input takes it.
Result<TensorPtr> values_of(const MultimodalInput& input, size_t dims) {
  if (input.is_image()) {
    return input.get_image().toTensor(/*with_batch=*/dims == 4);
  }
  return input.is_audio() ? input.get_audio().toTensor() : input.get_raw_audio().toTensor();
}

bool is_floating(ScalarType dtype) {
  return dtype == ScalarType::Float || dtype == ScalarType::Half || dtype == ScalarType::BFloat16;
}

/// The tensor in the dtype of an encoder's input. Bytes stay bytes: what they stand for as floats
/// is the model's.
Result<TensorPtr> in_dtype(TensorPtr tensor, ScalarType dtype, const char* encoder) {
  const ScalarType has = tensor->scalar_type();
  if (has == dtype) {
    return tensor;
  }
  if (has != ScalarType::Float || !is_floating(dtype)) {
    ET_LOG(Error,
           "Method %s takes dtype %d, the input has dtype %d (0: bytes, 6: floats). Give it as the "
           "model was trained, scaled if it was",
           encoder, static_cast<int>(dtype), static_cast<int>(has));
    return Error::InvalidArgument;
  }
  return clone_tensor_ptr(tensor, dtype);
}

}  // namespace

Error MultimodalPrefiller::load() {
  const Error error = decoder_runner_->load();
  if (error != Error::Ok) {
    return error;
  }
  const auto names = module_->method_names();
  for (const char* const name : {kVisionEncoderMethod, kImageEncoderMethod, kAudioEncoderMethod}) {
    if (names.ok() && names->count(name) > 0) {
      const Error loaded = module_->load_method(name);
      if (loaded != Error::Ok) {
        return loaded;
      }
    }
  }
  return names.error();
}

Result<Tensor> MultimodalPrefiller::prefill_tokens(const std::vector<uint64_t>& tokens,
                                                   int64_t& start_pos) {
  if (tokens.empty()) {
    ET_LOG(Error, "A part of the prompt has no tokens");
    return Error::InvalidArgument;
  }
  const auto most = static_cast<size_t>(decoder_runner_->max_seq_len());
  for (size_t first = 0;; first += most) {
    const size_t count = std::min(most, tokens.size() - first);
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<int64_t> ids(begin, begin + static_cast<std::ptrdiff_t>(count));
    TensorPtr input = from_blob(ids.data(), {1, static_cast<SizesType>(count)}, ScalarType::Long);
    auto logits = decoder_runner_->step(input, start_pos);
    if (!logits.ok()) {
      return logits.error();
    }
    start_pos += static_cast<int64_t>(count);
    if (first + count == tokens.size()) {
      return *logits;
    }
  }
}

Result<Tensor> MultimodalPrefiller::prefill_encoded(const MultimodalInput& input,
                                                    int64_t& start_pos) {
  const auto names = module_->method_names();
  if (!names.ok()) {
    return names.error();
  }
  const auto encoders = encoders_of(input);
  const auto encoder = std::find_if(encoders.begin(), encoders.end(),
                                    [&](const char* name) { return names->count(name) > 0; });
  if (encoder == encoders.end()) {
    ET_LOG(Error, "The program has no method %s, so it takes no such input", encoders.front());
    return Error::NotSupported;
  }
  const auto meta = module_->method_meta(*encoder);
  if (!meta.ok()) {
    return meta.error();
  }
  const auto wanted = meta->input_tensor_meta(0);
  if (!wanted.ok()) {
    return wanted.error();
  }
  auto values = values_of(input, wanted->sizes().size());
  if (!values.ok()) {
    return values.error();
  }
  const auto converted = in_dtype(std::move(*values), wanted->scalar_type(), *encoder);
  if (!converted.ok()) {
    return converted.error();
  }
  const auto embeddings = decoder_runner_->execute(*encoder, {*converted});
  if (!embeddings.ok()) {
    return embeddings.error();
  }
  if (embeddings->empty() || !embeddings->front().isTensor()) {
    ET_LOG(Error, "Method %s must give embeddings, a tensor", *encoder);
    return Error::InvalidProgram;
  }
  const Tensor tensor = embeddings->front().toTensor();
  auto logits = decoder_runner_->decode(tensor, start_pos);
  if (logits.ok()) {
    start_pos += tensor.size(1);
  }
  return logits;
}

Result<uint64_t> MultimodalPrefiller::prefill(const MultimodalInput& input, int64_t& start_pos,
                                              float temperature, int32_t num_bos, int32_t num_eos) {
  const auto run = [&]() -> Result<Tensor> {
    if (input.is_tokens()) {
      return prefill_tokens(input.get_tokens(), start_pos);
    }
    if (!input.is_text()) {
      return prefill_encoded(input, start_pos);
    }
    const auto count = [](int32_t n) { return static_cast<int8_t>(std::clamp(n, 0, 127)); };
    const auto tokens = tokenizer_->encode(input.get_text(), count(num_bos), count(num_eos));
    if (!tokens.ok()) {
      ET_LOG(Error, "The tokenizer cannot encode the prompt");
      return tokens.error();
    }
    return prefill_tokens(*tokens, start_pos);
  };
  const auto logits = run();
  if (!logits.ok()) {
    return logits.error();
  }
  const int32_t token = decoder_runner_->logits_to_token(*logits, temperature);
  return token < 0 ? Result<uint64_t>(Error::InvalidProgram)
                   : Result<uint64_t>(static_cast<uint64_t>(token));
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
