#include <executorch/extension/asr/runner/recording.h>
#include <executorch/extension/llm/runner/wav_loader.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace asr {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::Result;

namespace {

constexpr uint32_t kSamplesPerSecond = 16000;

Result<std::vector<float>> samples_of(const std::string& path) {
  const auto header = llm::load_wav_header(path);
  if (header == nullptr) {
    ET_LOG(Error, "The recording %s cannot be read", path.c_str());
    return Error::InvalidArgument;
  }
  if (header->NumOfChan != 1 || header->SamplesPerSec != kSamplesPerSecond) {
    ET_LOG(Error, "%s has %u channels and %u samples a second; a recording of 1 and %u is needed",
           path.c_str(), static_cast<unsigned>(header->NumOfChan),
           static_cast<unsigned>(header->SamplesPerSec), static_cast<unsigned>(kSamplesPerSecond));
    return Error::InvalidArgument;
  }
  std::vector<float> samples = llm::load_wav_audio_data(path);
  if (samples.empty()) {
    ET_LOG(Error, "The recording %s has no samples", path.c_str());
    return Error::InvalidArgument;
  }
  return samples;
}

Result<Tensor> features_of(Module& processor, const TensorPtr& samples) {
  const auto outputs = processor.forward(*samples);
  if (!outputs.ok()) {
    ET_LOG(Error, "The features of the recording cannot be made");
    return outputs.error();
  }
  if (outputs->empty() || !outputs->front().isTensor()) {
    ET_LOG(Error, "A processor must give features, a tensor");
    return Error::InvalidProgram;
  }
  return outputs->front().toTensor();
}

}  // namespace

Result<std::vector<int64_t>> transcribe_recording(
    AsrRunner& runner, Module* processor, const std::string& path,
    const AsrTranscribeConfig& config, const std::optional<TokenCallback>& token_callback) {
  auto samples = samples_of(path);
  if (!samples.ok()) {
    return samples.error();
  }
  const auto count = static_cast<SizesType>(samples->size());
  if (processor == nullptr) {
    return runner.transcribe(from_blob(samples->data(), {1, count}, ScalarType::Float), config,
                             token_callback);
  }
  const auto features =
      features_of(*processor, from_blob(samples->data(), {count}, ScalarType::Float));
  if (!features.ok()) {
    return features.error();
  }
  return runner.transcribe(*features, config, token_callback);
}

}  // namespace asr
}  // namespace extension
}  // namespace executorch
