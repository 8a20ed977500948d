#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/text_decoder_runner.h>
#include <executorch/extension/llm/tokenizer/tokenizer.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace asr {

/// Told the text of each token.
using TokenCallback = std::function<void(const std::string&)>;

/// How speech is transcribed.
struct AsrTranscribeConfig {
  /// The most tokens that are generated, of each piece.
  int64_t max_new_tokens = 128;
  /// Tokens that end a transcription; if there are none, those of the program (get_eos_ids or
  /// get_eos_id), else that of the tokenizer.
  std::unordered_set<int64_t> eos_token_ids = {};
  /// 0 takes the most probable token; higher ones spread the choice.
  float temperature = 0.0f;
  /// The token that decoding begins with; 0 for what the program says (decoder_start_token_id).
  int64_t decoder_start_token_id = 0;
  /// Tokens in place of that one, such as those of a language and a task.
  std::vector<int64_t> decoder_input_ids = {};
  /// Whether tokens that are no text, the one that ends a transcription among them, are told as
  /// empty text; as released, their names are told ("<|endoftext|>").
  bool skip_special_tokens = false;
};

/// Text from speech by an encoder and a decoder in one program, as Whisper and T5 have them:
///
/// - `encoder`: features ([1, bins, frames] of Whisper) to hidden states;
/// - `text_decoder`: a token ([1, 1], Long), hidden states and the token's position ([1], Long) to
///   logits ([1, 1, vocabulary]). It keeps what it was given.
///
/// Features come from a program of their own, such as executorch.extension.audio.mel_spectrogram
/// exports. Not for several threads at once, but for stop().
class AsrRunner {
 public:
  /// Reads nothing yet.
  ///
  /// @param data_path A `.ptd` file with weights that are not in the program.
  /// @param tokenizer_path As llm::load_tokenizer() takes it.
  AsrRunner(const std::string& module_path, std::optional<std::string> data_path,
            const std::string& tokenizer_path);

  bool is_loaded() const;

  /// Loads program, methods and tokenizer; what is loaded already stays. InvalidArgument for a
  /// tokenizer that cannot be read, InvalidProgram for a program without one of the two methods,
  /// and what the program says.
  [[nodiscard]] runtime::Error load();

  /// Transcribes speech; loads if needed.
  ///
  /// @param features What the encoder takes; where that is one piece, [1, ..], also several, [n,
  /// ..],
  ///     which are transcribed one after the other. Floats become halves if the encoder takes
  ///     these.
  /// @param token_callback Told the text of each generated token, which need not be whole
  ///     characters.
  /// @returns All tokens: of each piece those that decoding began with, and the generated ones;
  /// those
  ///     so far if it was stopped. As load(), and
  ///     InvalidArgument for settings that are out of range or leave no room in the decoder's
  ///     positions; InvalidProgram for outputs that are none of such a model; what the methods and
  ///     the tokenizer say.
  runtime::Result<std::vector<int64_t>> transcribe(
      const executorch::aten::Tensor& features, const AsrTranscribeConfig& config = {},
      const std::optional<TokenCallback>& token_callback = std::nullopt);
  runtime::Result<std::vector<int64_t>> transcribe(
      const TensorPtr& features, const AsrTranscribeConfig& config = {},
      const std::optional<TokenCallback>& token_callback = std::nullopt);

  /// Ends transcribe() after the token or the method at hand, with all its pieces; may be called on
  /// another thread, or by a callback.
  void stop() { should_stop_.store(true, std::memory_order_relaxed); }

  /// Of loading and of the last transcription. The first piece's encoder is its prompt; those of
  /// others count as time in which tokens are generated.
  const llm::Stats& stats() const { return stats_; }

 private:
  /// What the program says of itself, where it does.
  void read_constants(const std::unordered_set<std::string>& methods);
  runtime::Result<std::vector<int64_t>> begin_of(const AsrTranscribeConfig& config) const;
  /// How many pieces features are.
  runtime::Result<size_t> pieces_of(const executorch::aten::Tensor& features);
  /// Transcribes one of them; its tokens go behind others.
  runtime::Error transcribe_piece(const executorch::aten::Tensor& features,
                                  const std::vector<int64_t>& begin,
                                  const AsrTranscribeConfig& config,
                                  const std::optional<TokenCallback>& token_callback,
                                  std::vector<int64_t>& tokens);
  /// Runs a method, and notes the time. @returns Its first output, a tensor.
  runtime::Result<runtime::EValue> run(const char* method,
                                       const std::vector<runtime::EValue>& inputs);
  runtime::Result<runtime::EValue> encode(const executorch::aten::Tensor& features);
  /// Gives a token to the decoder.
  runtime::Result<executorch::aten::Tensor> step(int64_t token, int64_t position,
                                                 const runtime::EValue& hidden_states);
  /// Chooses the next token and tells its text.
  runtime::Result<int64_t> choose(const executorch::aten::Tensor& logits, int64_t previous,
                                  const AsrTranscribeConfig& config,
                                  const std::optional<TokenCallback>& token_callback);
  bool ends(int64_t token, const AsrTranscribeConfig& config) const;
  bool is_stopped() const { return should_stop_.load(std::memory_order_relaxed); }

  std::string tokenizer_path_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<::tokenizers::Tokenizer> tokenizer_;
  /// Chooses from logits; runs nothing.
  llm::TextDecoderRunner sampler_;
  std::unordered_set<uint64_t> eos_ids_;
  int64_t start_token_id_ = 0;
  /// The most positions of the decoder; 0 if the program does not say.
  int64_t max_seq_len_ = 0;
  llm::Stats stats_;
  std::atomic<bool> should_stop_{false};
};

}  // namespace asr

// Under the names of the released README as well.
namespace llm {
using ::executorch::extension::asr::AsrRunner;
using ::executorch::extension::asr::AsrTranscribeConfig;
}  // namespace llm

}  // namespace extension
}  // namespace executorch
