/// whisper_runner: text from a recording by a Whisper model, as optimum-executorch exports it.

#include <cstdint>
#include <iostream>
#include <string>

#include <executorch/extension/asr/runner/recording.h>
#include <executorch/extension/asr/runner/runner.h>
#include <executorch/extension/flags/flags.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::extension::Module;
using executorch::runtime::Error;
namespace asr = executorch::extension::asr;
namespace flags = executorch::extension::flags;
namespace llm = executorch::extension::llm;

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

/// Numbers of tokens, between commas.
template <typename Ids>
bool parse_ids(const std::string& text, Ids& ids) {
  for (const std::string& part : flags::split_at_commas(text)) {
    int64_t id = 0;
    if (!flags::parse_integer(part, id) || id < 0) {
      return false;
    }
    ids.insert(ids.end(), id);
  }
  return !ids.empty();
}

const flags::Flag<Options> kFlags[] = {
    {"model_path", "FILE", "the program with the methods encoder and text_decoder (model.pte)",
     [](Options& o, const std::string& v) { return flags::parse_text(v, o.model_path); }},
    {"data_path", "FILE", "weights that are not in the program (.ptd)",
     [](Options& o, const std::string& v) { return flags::parse_text(v, o.data_path); }},
    {"tokenizer_path", "FILE", "tokenizer.json, or the directory that has it (.)",
     [](Options& o, const std::string& v) { return flags::parse_text(v, o.tokenizer_path); }},
    {"processor_path", "FILE",
     "the program that makes features of samples; empty if the model takes these "
     "(whisper_preprocessor.pte)",
     [](Options& o, const std::string& v) {
       o.processor_path = v;
       return true;
     }},
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
    {"decoder_input_ids", "ID[,ID...]",
     "the tokens that decoding begins with, such as those of language and task",
     [](Options& o, const std::string& v) { return parse_ids(v, o.transcribe.decoder_input_ids); }},
    {"eos_token_ids", "ID[,ID...]", "the tokens that end a transcription",
     [](Options& o, const std::string& v) { return parse_ids(v, o.transcribe.eos_token_ids); }},
    {"benchmark", nullptr, "logs how long loading, the encoder and the tokens took",
     [](Options& o, const std::string& v) { return flags::parse_switch(v, o.benchmark); }},
    {"help", nullptr, "shows this",
     [](Options& o, const std::string& v) { return flags::parse_switch(v, o.help); }},
};

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
  asr::AsrRunner runner(options.model_path, options.data_path, options.tokenizer_path);
  if (runner.load() != Error::Ok) {
    std::cerr << "The model " << options.model_path << " or its tokenizer "
              << options.tokenizer_path << " cannot be loaded; the log says why\n";
    return 1;
  }
  Module processor(options.processor_path);
  options.transcribe.skip_special_tokens = true;
  const auto tokens = asr::transcribe_recording(
      runner, options.processor_path.empty() ? nullptr : &processor, options.audio_path,
      options.transcribe, [](const std::string& text) { std::cout << text << std::flush; });
  std::cout << std::endl;
  if (!tokens.ok()) {
    std::cerr << "The recording " << options.audio_path
              << " could not be transcribed: " << executorch::runtime::to_string(tokens.error())
              << "; the log says why\n";
    return 1;
  }
  if (options.benchmark) {
    llm::print_report(runner.stats());
    std::cout << "PyTorchObserver " << llm::stats_to_json_string(runner.stats()) << std::endl;
  }
  return 0;
}
