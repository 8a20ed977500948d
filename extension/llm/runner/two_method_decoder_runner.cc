#include <algorithm>
#include <utility>
#include <vector>

#include <executorch/extension/llm/runner/two_method_decoder_runner.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::Result;

TwoMethodDecoderRunner::TwoMethodDecoderRunner(Module* module, IOManager* io_manager,
                                               std::string prefill_method,
                                               std::string decode_method)
    : TextDecoderRunner(module, io_manager, decode_method) {
  prefill_.method = std::move(prefill_method);
  decode_.method = std::move(decode_method);
}

Error TwoMethodDecoderRunner::load() {
  const Error error = load_part(prefill_);
  return error == Error::Ok ? load_part(decode_) : error;
}

Error TwoMethodDecoderRunner::load_part(Part& part) {
  const Error error = load_method(part.method);
  if (error != Error::Ok) {
    return error;
  }
  const auto method = module_->method(part.method);
  if (!method.ok()) {
    return method.error();
  }
  std::vector<runtime::EValue> inputs((*method)->inputs_size());
  if ((*method)->get_inputs(inputs.data(), inputs.size()) != Error::Ok || inputs.empty() ||
      !inputs[0].isTensor() || inputs[0].toTensor().numel() == 0) {
    ET_LOG(Error, "Method %s takes no tokens as its first input", part.method.c_str());
    return Error::InvalidProgram;
  }
  const Tensor tokens = inputs[0].toTensor();
  part.tokens = static_cast<size_t>(tokens.numel());
  part.is_fixed = tokens.shape_dynamism() == executorch::aten::TensorShapeDynamism::STATIC;
  return Error::Ok;
}

bool TwoMethodDecoderRunner::is_method_loaded() {
  return prefill_.tokens > 0 && decode_.tokens > 0 && module_->is_method_loaded(prefill_.method) &&
         module_->is_method_loaded(decode_.method);
}

Result<Tensor> TwoMethodDecoderRunner::step(TensorPtr& tokens, int64_t start_pos) {
  if (start_pos < 0 || tokens->numel() == 0) {
    ET_LOG(Error, "There are no tokens, or their position is negative");
    return Error::InvalidArgument;
  }
  if (!is_method_loaded()) {
    const Error error = load();
    if (error != Error::Ok) {
      return error;
    }
  }
  note_seen(*tokens, start_pos);
  int64_t* const ids = tokens->mutable_data_ptr<int64_t>();
  const auto count = static_cast<size_t>(tokens->numel());
  size_t done = 0;
  while (true) {
    const size_t left = count - done;
    const bool is_prompt = left > 1 && (!prefill_.is_fixed || left >= prefill_.tokens);
    const Part& part = is_prompt ? prefill_ : decode_;
    const size_t now = part.is_fixed ? part.tokens : std::min(left, part.tokens);
    if (now > left) {
      ET_LOG(Error, "Method %s takes %zu tokens at once, and there are %zu", part.method.c_str(),
             now, left);
      return Error::InvalidArgument;
    }
    const TensorPtr input =
        from_blob(ids + done, {1, static_cast<SizesType>(now)}, ScalarType::Long);
    auto logits = run(part.method, input, now, start_pos + static_cast<int64_t>(done));
    done += now;
    if (!logits.ok() || done == count) {
      return logits;
    }
  }
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
