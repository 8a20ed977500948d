#pragma once

#include <cstdint>
#include <unordered_set>

namespace executorch {
namespace extension {
namespace llm {

/// A token with its probability.
template <typename T>
struct ProbIndex {
  T prob;
  int32_t index;
};

/// How tokens are chosen. Those that are out of the question are left out in the order of the
/// fields.
struct SamplingOptions {
  /// 0 takes the most probable token; higher ones spread the choice.
  float temperature = 0.8f;
  /// Only so many of the most probable tokens; 0 for all.
  int32_t top_k = 0;
  /// In (0, 1): only the most probable tokens, up to this sum; other values leave out none.
  float top_p = 0.9f;
  /// Only tokens that are at least this many times as probable as the most probable one.
  float min_p = 0.0f;
  /// Logits of tokens that were there before are divided by this, or multiplied if they are
  /// negative.
  float repetition_penalty = 1.0f;
  /// 0 for one from the clock.
  uint64_t seed = 0;
};

/// Chooses tokens from logits. Equal seeds give equal choices; not for several threads at once.
class Sampler {
 public:
  /// @param vocab_size Number of logits.
  /// @param temperature 0 takes the most probable token; higher ones spread the choice.
  /// @param topp In (0, 1): only the most probable tokens, up to this sum, are chosen from. Others
  ///     choose from all.
  Sampler(int32_t vocab_size, float temperature, float topp, unsigned long long rng_seed);

  Sampler(int32_t vocab_size, const SamplingOptions& options);

  /// The most probable tokens up to 0.9, and a seed from the clock.
  Sampler(int32_t vocab_size, float temperature);

  /// The index of the chosen token, in [0, vocab_size).
  ///
  /// @tparam T float, executorch::aten::Half, executorch::aten::BFloat16, or uint16_t.
  /// @param logits `vocab_size` of them; overwritten with probabilities unless the temperature is
  ///     0.
  /// @param seen Tokens that were there before, for the penalty; those that are no index are
  /// ignored.
  template <typename T>
  int32_t sample(T* logits, const std::unordered_set<uint64_t>& seen = {});

  int32_t vocab_size() const { return vocab_size_; }
  const SamplingOptions& options() const { return options_; }

 private:
  int32_t choose(const float* probabilities, float coin) const;
  float next_coin();

  int32_t vocab_size_;
  SamplingOptions options_;
  uint64_t state_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::extension::llm::ProbIndex;
using ::executorch::extension::llm::Sampler;
}  // namespace executor
}  // namespace torch
