#include <algorithm>
#include <cinttypes>
#include <optional>
#include <vector>

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/multimodal_decoder_runner.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::Result;

Result<std::string> MultimodalDecoderRunner::decoder_method() {
  if (decoder_method_.empty()) {
    const auto names = module_->method_names();
    if (!names.ok()) {
      return names.error();
    }
    for (const char* const name : {kTextDecoderMethod, kTextModelMethod}) {
      if (decoder_method_.empty() && names->count(name) > 0) {
        decoder_method_ = name;
      }
    }
    if (decoder_method_.empty() || names->count(kTokenEmbeddingMethod) == 0) {
      ET_LOG(Error,
             "The program needs the methods %s and %s (or %s): export each as a method of its own",
             kTokenEmbeddingMethod, kTextDecoderMethod, kTextModelMethod);
      decoder_method_.clear();
      return Error::InvalidProgram;
    }
  }
  return decoder_method_;
}

Error MultimodalDecoderRunner::load() {
  const auto decoder = decoder_method();
  if (!decoder.ok()) {
    return decoder.error();
  }
  const Error error = module_->load_method(kTokenEmbeddingMethod);
  return error == Error::Ok ? load_method(*decoder) : error;
}

bool MultimodalDecoderRunner::is_method_loaded() {
  return !decoder_method_.empty() && module_->is_method_loaded(decoder_method_) &&
         module_->is_method_loaded(kTokenEmbeddingMethod);
}

Result<Tensor> MultimodalDecoderRunner::step(TensorPtr& tokens, int64_t start_pos) {
  note_seen(*tokens, start_pos);
  const auto embeddings = execute(kTokenEmbeddingMethod, {tokens});
  if (!embeddings.ok()) {
    return embeddings.error();
  }
  if (embeddings->empty() || !embeddings->front().isTensor()) {
    ET_LOG(Error, "Method %s must give a tensor", kTokenEmbeddingMethod);
    return Error::InvalidProgram;
  }
  return decode(embeddings->front().toTensor(), start_pos);
}

Result<Tensor> MultimodalDecoderRunner::decode(const Tensor& embeddings, int64_t start_pos) {
  const auto decoder = decoder_method();
  if (!decoder.ok()) {
    return decoder.error();
  }
  if (embeddings.dim() != 3 || embeddings.size(0) != 1 || embeddings.size(1) < 1) {
    ET_LOG(Error, "Embeddings must be [1, n, dim], they have %d dimensions",
           static_cast<int>(embeddings.dim()));
    return Error::InvalidProgram;
  }
  const int64_t count = embeddings.size(1);
  if (start_pos < 0 || start_pos > max_context_len_ - count) {
    ET_LOG(Error,
           "%" PRId64 " embeddings at position %" PRId64 " leave no room: there are %" PRId64
           " positions. Shorten the prompt, or reset() the runner",
           count, start_pos, max_context_len_);
    return Error::InvalidArgument;
  }
  const auto dim = static_cast<SizesType>(embeddings.size(2));
  const size_t bytes = embeddings.nbytes() / static_cast<size_t>(count);
  auto* const data = static_cast<uint8_t*>(embeddings.mutable_data_ptr());
  std::optional<Result<Tensor>> logits;
  for (int64_t first = 0; first < count; first += max_seq_len_) {
    const int64_t most = std::min(max_seq_len_, count - first);
    TensorPtr part = from_blob(data + static_cast<size_t>(first) * bytes,
                               {1, static_cast<SizesType>(most), dim}, embeddings.scalar_type());
    logits.emplace(run(*decoder, part, static_cast<size_t>(most), start_pos + first));
    if (!logits->ok()) {
      break;
    }
  }
  return std::move(*logits);
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
