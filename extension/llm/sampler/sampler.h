#pragma once

#include <cstdint>

namespace executorch {
namespace extension {
namespace llm {

/// A token with its probability.
template <typename T>
struct ProbIndex {
  T prob;
  int32_t index;
};

/// Chooses tokens from logits. Equal seeds give equal choices; not for several threads at once.
class Sampler {
 public:
  /// @param vocab_size Number of logits.
  /// @param temperature 0 takes the most probable token; higher ones spread the choice.
  /// @param topp In (0, 1): only the most probable tokens, up to this sum, are chosen from. Others
  ///     choose from all.
  Sampler(int32_t vocab_size, float temperature, float topp, unsigned long long rng_seed);

  /// All tokens, and a seed from the clock.
  Sampler(int32_t vocab_size, float temperature);

  /// The index of the chosen token, in [0, vocab_size).
  ///
  /// @tparam T float, executorch::aten::Half, executorch::aten::BFloat16, or uint16_t.
  /// @param logits `vocab_size` of them; overwritten with probabilities unless the temperature is
  ///     0.
  template <typename T>
  int32_t sample(T* logits);

 private:
  int32_t most_probable_up_to(const float* probabilities, float coin);
  float next_coin();

  int32_t vocab_size_;
  float temperature_;
  float topp_;
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
