#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

#include <executorch/extension/llm/sampler/sampler.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace extension {
namespace llm {
namespace {

template <typename T>
int32_t largest(const T* logits, int32_t count) {
  int32_t best = 0;
  for (int32_t i = 1; i < count; ++i) {
    if (static_cast<float>(logits[i]) > static_cast<float>(logits[best])) {
      best = i;
    }
  }
  return best;
}

/// The first token at which the sum of probabilities passes `coin`.
int32_t at_sum(const float* probabilities, int32_t count, float coin) {
  float sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    sum += probabilities[i];
    if (coin < sum) {
      return i;
    }
  }
  return count - 1;  // Sums round.
}

/// Probabilities from logits.
void softmax(std::vector<float>& values) {
  const float most = *std::max_element(values.begin(), values.end());
  float sum = 0;
  for (float& value : values) {
    value = std::exp(value - most);
    sum += value;
  }
  for (float& value : values) {
    value /= sum;
  }
}

}  // namespace

Sampler::Sampler(int32_t vocab_size, const SamplingOptions& options)
    : vocab_size_(vocab_size),
      options_(options),
      state_(options.seed != 0 ? options.seed : static_cast<uint64_t>(std::time(nullptr))) {
  state_ = state_ == 0 ? 1 : state_;  // The generator below never leaves 0.
}

Sampler::Sampler(int32_t vocab_size, float temperature, float topp, unsigned long long rng_seed)
    : Sampler(vocab_size, SamplingOptions{temperature, 0, topp, 0.0f, 1.0f,
                                          rng_seed == 0 ? 1 : static_cast<uint64_t>(rng_seed)}) {}

Sampler::Sampler(int32_t vocab_size, float temperature)
    : Sampler(vocab_size, SamplingOptions{temperature, 0, 0.9f, 0.0f, 1.0f, 0}) {}

float Sampler::next_coin() {
  // xorshift64*, the upper 24 bits of which fill a float.
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return static_cast<float>((state_ * 0x2545F4914F6CDD1DULL) >> 40) / 16777216.0f;
}

/// Chooses among the tokens that the options leave.
int32_t Sampler::choose(const float* probabilities, float coin) const {
  std::vector<ProbIndex<float>> candidates;
  const float most = *std::max_element(probabilities, probabilities + vocab_size_);
  const bool by_sum = options_.top_p > 0 && options_.top_p < 1;
  // Less than this cannot belong to those up to the sum: all others together would be needed.
  const float other = static_cast<float>(std::max(1, vocab_size_ - 1));
  const float least = std::max(options_.min_p * most,
                               by_sum && options_.top_k <= 0 ? (1.0f - options_.top_p) / other : 0);
  for (int32_t i = 0; i < vocab_size_; ++i) {
    if (probabilities[i] >= least) {
      candidates.push_back({probabilities[i], i});
    }
  }
  if (candidates.empty()) {
    return largest(probabilities, vocab_size_);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.prob > b.prob; });
  float whole = 1.0f;
  if (options_.top_k > 0 && candidates.size() > static_cast<size_t>(options_.top_k)) {
    candidates.resize(static_cast<size_t>(options_.top_k));
    whole = 0.0f;
    for (const auto& candidate : candidates) {
      whole += candidate.prob;
    }
  }
  size_t count = 0;
  float sum = 0;
  while (count < candidates.size() && (!by_sum || sum <= options_.top_p * whole)) {
    sum += candidates[count++].prob;
  }
  float rest = coin * sum;
  for (size_t i = 0; i < count; ++i) {
    rest -= candidates[i].prob;
    if (rest < 0) {
      return candidates[i].index;
    }
  }
  return candidates[count - 1].index;
}

template <typename T>
int32_t Sampler::sample(T* logits, const std::unordered_set<uint64_t>& seen) {
  const float penalty = options_.repetition_penalty;
  for (const uint64_t token : seen) {
    if (penalty != 1.0f && penalty > 0.0f && token < static_cast<uint64_t>(vocab_size_)) {
      const auto logit = static_cast<float>(logits[token]);
      logits[token] = static_cast<T>(logit > 0 ? logit / penalty : logit * penalty);
    }
  }
  if (options_.temperature == 0.0f) {
    return largest(logits, vocab_size_);
  }
  std::vector<float> values(logits, logits + vocab_size_);
  for (float& value : values) {
    value /= options_.temperature;
  }
  softmax(values);
  for (int32_t i = 0; i < vocab_size_; ++i) {
    logits[i] = static_cast<T>(values[static_cast<size_t>(i)]);
  }
  const float coin = next_coin();
  const bool all =
      options_.top_k <= 0 && options_.min_p <= 0.0f && (options_.top_p <= 0 || options_.top_p >= 1);
  return all ? at_sum(values.data(), vocab_size_, coin) : choose(values.data(), coin);
}

template int32_t Sampler::sample<float>(float*, const std::unordered_set<uint64_t>&);
template int32_t Sampler::sample<uint16_t>(uint16_t*, const std::unordered_set<uint64_t>&);
template int32_t Sampler::sample<executorch::aten::Half>(executorch::aten::Half*,
                                                         const std::unordered_set<uint64_t>&);
template int32_t Sampler::sample<executorch::aten::BFloat16>(executorch::aten::BFloat16*,
                                                             const std::unordered_set<uint64_t>&);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
