#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/llm/runner/irunner.h>
#include <executorch/extension/llm/runner/session_file.h>
#include <executorch/extension/llm/runner/text_llm_runner.h>

namespace executorch {
namespace extension {
namespace llm {

/// A conversation that can go back, branch, and be put aside on disk. All forks of a session share
/// one model: its weights are there once, its cache belongs to the one that ran last, and is copied
/// when another one takes its turn. Not for several threads at once, forks neither, but for stop().
///
/// `generate_from_pos()` of it is seek() and generate().
class TextSession : public IRunner {
 public:
  /// @param runner With a model that keeps a cache.
  /// @param files The program and its data, for save() and restore(): a prompt cache belongs to
  ///     what they contain.
  /// @param method Whose buffers are the cache; of two methods over one cache, either.
  TextSession(std::unique_ptr<TextLLMRunner> runner, std::vector<std::string> files,
              std::string method = "forward");
  ~TextSession() override;

  bool is_loaded() const override;
  [[nodiscard]] runtime::Error load() override;
  runtime::Error generate(const std::string& prompt, const GenerationConfig& config,
                          std::function<void(const std::string&)> token_callback = {},
                          std::function<void(const Stats&)> stats_callback = {}) override;
  runtime::Error generate_from_pos(const std::string& prompt, int64_t start_pos,
                                   const GenerationConfig& config,
                                   std::function<void(const std::string&)> token_callback = {},
                                   std::function<void(const Stats&)> stats_callback = {}) override;

  using IRunner::prefill;

  /// As TextLLMRunner's.
  runtime::Result<uint64_t> prefill(const std::string& prompt, int32_t num_bos = 0,
                                    int32_t num_eos = 0);
  void stop() override;
  void reset() override;

  /// The tokens so far; the last one may not have run yet.
  std::vector<uint64_t> tokens() const;
  int64_t position() const { return static_cast<int64_t>(tokens().size()); }

  /// Goes back: only the first `position` tokens have been said.
  ///
  /// @returns InvalidArgument for a position that has not been reached; NotSupported, but for 0 and
  ///     the end, with caches that do not keep all positions, such as windows. fork() goes back
  ///     with any.
  [[nodiscard]] runtime::Error seek(int64_t position);

  /// Another session that has said the same. Both may go on.
  runtime::Result<std::unique_ptr<TextSession>> fork();

  /// Writes a prompt-cache file; restore() of a session with the same files takes it up. Nothing
  /// changes when either fails. What they return is as write_session() and read_session() say.
  [[nodiscard]] runtime::Error save(const std::string& path);
  [[nodiscard]] runtime::Error restore(const std::string& path);

 private:
  /// What forks have in common.
  struct Shared {
    std::unique_ptr<TextLLMRunner> runner;
    std::vector<std::string> files;
    std::string method;
    /// Of the files, once it is known.
    uint64_t fingerprint = 0;
    /// Whose conversation the runner has.
    TextSession* active = nullptr;
  };

  explicit TextSession(std::shared_ptr<Shared> shared);
  /// Makes this session the one that the runner has.
  runtime::Error activate();
  runtime::Result<SessionState> state() const;
  runtime::Error take(const SessionState& state);
  runtime::Result<uint64_t> fingerprint();

  std::shared_ptr<Shared> shared_;
  /// While it is not active. Without buffers before it has run.
  SessionState aside_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
