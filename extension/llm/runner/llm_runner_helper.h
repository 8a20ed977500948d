#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <executorch/extension/llm/runner/multimodal_runner.h>
#include <executorch/extension/llm/runner/text_llm_runner.h>
#include <executorch/extension/llm/runner/text_session.h>
#include <executorch/extension/llm/tokenizer/tokenizer.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// Reads the file of a tokenizer: a `tokenizer.json` of Hugging Face or the directory that has it,
/// a model of SentencePiece, a file of tiktoken or of llama2.c. For other formats, implement
/// tokenizers::Tokenizer, or adapt a library.
///
/// @param special_tokens, pattern, bos_token_index, eos_token_index For tiktoken, whose files do
/// not
///     have them; without either of the first two they are those of Llama 3. The others take them
///     from the file.
/// @returns Null, after saying why, for a file of no known format.
std::unique_ptr<::tokenizers::Tokenizer> load_tokenizer(
    const std::string& tokenizer_path,
    std::unique_ptr<std::vector<std::string>> special_tokens = nullptr,
    std::optional<std::string> pattern = std::nullopt, size_t bos_token_index = 0,
    size_t eos_token_index = 0);

/// What the methods of a program say about the model, under the names of constants.h; for what it
/// does not say, what is usual. InvalidProgram when it has no get_max_seq_len.
runtime::Result<std::unordered_map<std::string, int64_t>> get_llm_metadata(
    ::tokenizers::Tokenizer* tokenizer, Module* module);

/// The tokens that end a text, by the program's get_eos_ids or get_eos_id, else by the tokenizer.
std::unordered_set<uint64_t> get_eos_ids(::tokenizers::Tokenizer* tokenizer, Module* module);

/// A runner for the text model in a file.
///
/// @param tokenizer Loaded.
/// @param data_path A `.ptd` file with the model's weights, if they are not in the program.
/// @param temperature Takes the place of that of all configurations, unless it is -1.
/// @param method_name The method that takes tokens and gives logits.
/// @returns Null, after saying why, when the tokenizer is not loaded, the program cannot be, or
///     lacks what get_llm_metadata() needs.
std::unique_ptr<TextLLMRunner> create_text_llm_runner(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    std::optional<const std::string> data_path = std::nullopt, float temperature = -1.0f,
    const std::string& method_name = "forward",
    Module::LoadMode load_mode = Module::LoadMode::File);

/// The same with weights in several files, and with a tracer that the module is given.
std::unique_ptr<TextLLMRunner> create_text_llm_runner(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    std::vector<std::string> data_files, float temperature = -1.0f,
    std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
    const std::string& method_name = "forward",
    Module::LoadMode load_mode = Module::LoadMode::File);

/// Which methods of a program give logits of tokens.
struct DecoderMethods {
  /// Of what is generated, and of prompts too if there is no other.
  std::string decode = "forward";
  /// Of prompts, over the same cache; see TwoMethodDecoderRunner. Empty if there is none.
  std::string prefill;
};

/// A runner for a program of several methods, such as one for each adapter, or one for prompts and
/// one for single tokens.
///
/// @returns Null as well, after saying why, when the program lacks one of the methods.
std::unique_ptr<TextLLMRunner> create_text_llm_runner_of_methods(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    const DecoderMethods& methods, std::vector<std::string> data_files = {},
    float temperature = -1.0f, Module::LoadMode load_mode = Module::LoadMode::File);

/// A smaller model of the same vocabulary that guesses tokens; see SpeculativeTokenGenerator.
struct DraftOptions {
  std::string model_path;
  /// `.ptd` files with its weights, if they are not in the program.
  std::vector<std::string> data_files;
  /// How many tokens it guesses at a time.
  int32_t max_tokens = 4;
};

/// The same with a draft model, which makes it faster and changes nothing of what is said.
///
/// @returns Null as well, after saying why, when either model keeps no cache or has another
///     vocabulary, or the first takes one token at a time only.
std::unique_ptr<TextLLMRunner> create_speculative_runner(
    const std::string& model_path, const DraftOptions& draft,
    std::unique_ptr<::tokenizers::Tokenizer> tokenizer, std::vector<std::string> data_files = {},
    float temperature = -1.0f);

/// A runner as a session, whose prompt caches belong to the contents of these files; with a draft
/// model if one is given, and by the methods that are named.
std::unique_ptr<TextSession> create_text_session(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    std::vector<std::string> data_files = {}, float temperature = -1.0f,
    const std::optional<DraftOptions>& draft = std::nullopt, const DecoderMethods& methods = {});

/// Puts a runner for text, images and audio together; see MultimodalRunner. Nothing of the model is
/// loaded but its constants.
///
/// @returns Null, after saying why.
std::unique_ptr<MultimodalRunner> create_multimodal_runner(
    const std::string& model_path, std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
    std::optional<const std::string> data_path = std::nullopt,
    Module::LoadMode load_mode = Module::LoadMode::File);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
