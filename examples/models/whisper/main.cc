/// whisper_runner: text from a recording by a Whisper model, as optimum-executorch exports it.

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/asr/runner/runner.h>
#include <executorch/extension/flags/flags.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/wav_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::extension::Module;
using executorch::runtime::Error;
namespace asr = executorch::extension::asr;
namespace flags = executorch::extension::flags;
namespace llm = executorch::extension::llm;

constexpr uint32_t kSamplesPerSecond = 16000;

struct Options {
  std::string model_path = "model.pte";
  std::string data_path;
  std::string tokenizer_path = ".";
  std::string processor_path = "whisper_preprocessor.pte";
  std::string audio_path;
  asr::AsrTranscribeConfig transcribe;
  bool benchmark = false;
  bool help = false;
};

const flags::Flag<Options> kFlags[] = {
    {"model_path", "FILE", "the program with the methods encoder and text_decoder (model.pte)",
     [](Options& o, const std::string& v) { return flags::parse_text(v, o.model_path); }},
    {"data_path", "FILE", "weights that are not in the program (.ptd)",
     [](Options& o, const std::string& v) { return flags::parse_text(v, o.data_path); }},
    {"tokenizer_path", "FILE", "tokenizer.json, or the directory that has it (.)",
     [](Options& o, const std::string& v) { return flags::parse_text(v, o.tokenizer_path); }},
    {"processor_path", "FILE",
     "the program that makes features of samples (whisper_preprocessor.pte)",
     [](Options& o, const std::string& v) { return flags::parse_text(v, o.processor_path); }},
    {"audio_path", "FILE", "the recording: a WAV file of one channel, 16,000 samples a second",
     [](Options& o, const std::string& v) { return flags::parse_text(v, o.audio_path); }},
    {"temperature", "NUMBER", "0 takes the most probable token every time (0)",
     [](Options& o, const std::string& v) {
       return flags::parse_real(v, o.transcribe.temperature) && o.transcribe.temperature >= 0;
     }},
    {"max_new_tokens", "COUNT", "the most tokens of a transcription (128)",
     [](Options& o, const std::string& v) {
       return flags::parse_integer(v, o.transcribe.max_new_tokens) &&
              o.transcribe.max_new_tokens > 0;
     }},
    {"benchmark", nullptr, "logs how long loading, the encoder and the tokens took",
     [](Options& o, const std::string& v) { return flags::parse_switch(v, o.benchmark); }},
    {"help", nullptr, "shows this",
     [](Options& o, const std::string& v) { return flags::parse_switch(v, o.help); }},
};

/// The samples of a recording; none, after saying why.
std::vector<float> samples_of(const std::string& path) {
  const auto header = llm::load_wav_header(path);
  if (header == nullptr) {
    std::cerr << "The recording " << path << " cannot be read\n";
    return {};
  }
  if (header->NumOfChan != 1 || header->SamplesPerSec != kSamplesPerSecond) {
    std::cerr << path << " has " << header->NumOfChan << " channels and " << header->SamplesPerSec
              << " samples a second; a recording of 1 and " << kSamplesPerSecond << " is needed\n";
    return {};
  }
  return llm::load_wav_audio_data(path);
}

/// Transcribes a piece of the recording that the encoder takes at once.
Error transcribe_piece(asr::AsrRunner& runner, const Tensor& features, const Options& options) {
  const auto tokens = runner.transcribe(features, options.transcribe, [](const std::string& text) {
    std::cout << text << std::flush;
  });
  std::cout << std::endl;
  if (!tokens.ok()) {
    std::cerr << "The recording could not be transcribed: "
              << executorch::runtime::to_string(tokens.error()) << "; the log says why\n";
    return tokens.error();
  }
  if (options.benchmark) {
    llm::print_report(runner.stats());
    std::cout << "PyTorchObserver " << llm::stats_to_json_string(runner.stats()) << std::endl;
  }
  return Error::Ok;
}

/// Transcribes piece by piece; with --stack_output the processor gives several of a long recording.
Error transcribe(asr::AsrRunner& runner, Module& processor, std::vector<float>& samples,
                 const Options& options) {
  const auto size = static_cast<SizesType>(samples.size());
  const auto input = executorch::extension::from_blob(samples.data(), {size}, ScalarType::Float);
  const auto outputs = processor.forward(*input);
  if (!outputs.ok()) {
    std::cerr << "The features of " << options.audio_path << " cannot be made by "
              << options.processor_path << "; the log says why\n";
    return outputs.error();
  }
  if (outputs->empty() || !outputs->front().isTensor() || outputs->front().toTensor().dim() != 3) {
    std::cerr << options.processor_path
              << " must give the features, a tensor of three dimensions\n";
    return Error::InvalidProgram;
  }
  const Tensor features = outputs->front().toTensor();
  std::vector<SizesType> sizes(features.sizes().begin(), features.sizes().end());
  const auto pieces = static_cast<size_t>(sizes[0]);
  sizes[0] = 1;
  Error error = Error::Ok;
  for (size_t i = 0; i < pieces && error == Error::Ok; ++i) {
    auto* const data =
        static_cast<uint8_t*>(features.mutable_data_ptr()) + i * (features.nbytes() / pieces);
    const auto piece = executorch::extension::from_blob(data, sizes, features.scalar_type());
    error = transcribe_piece(runner, *piece, options);
  }
  return error;
}

}  // namespace

int main(int argc, char** argv) {
  executorch::runtime::runtime_init();
  Options options;
  if (!flags::parse(argc, argv, kFlags, options, std::cerr)) {
    return 2;
  }
  if (options.help) {
    flags::print_help(std::cout, kFlags);
    return 0;
  }
  if (options.audio_path.empty()) {
    std::cerr << "--audio_path is needed: the recording to transcribe\n";
    return 2;
  }
  std::vector<float> samples = samples_of(options.audio_path);
  if (samples.empty()) {
    return 1;
  }
  asr::AsrRunner runner(options.model_path, options.data_path, options.tokenizer_path);
  if (runner.load() != Error::Ok) {
    std::cerr << "The model " << options.model_path << " or its tokenizer "
              << options.tokenizer_path << " cannot be loaded; the log says why\n";
    return 1;
  }
  Module processor(options.processor_path);
  return transcribe(runner, processor, samples, options) == Error::Ok ? 0 : 1;
}
