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

Sampler::Sampler(int32_t vocab_size, float temperature, float topp, unsigned long long rng_seed)
    : vocab_size_(vocab_size),
      temperature_(temperature),
      topp_(topp),
      // The generator below never leaves 0.
      state_(rng_seed == 0 ? 1 : rng_seed) {}

Sampler::Sampler(int32_t vocab_size, float temperature)
    : Sampler(vocab_size, temperature, /*topp=*/0.9f,
              static_cast<unsigned long long>(std::time(nullptr))) {}

float Sampler::next_coin() {
  // xorshift64*, the upper 24 bits of which fill a float.
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return static_cast<float>((state_ * 0x2545F4914F6CDD1DULL) >> 40) / 16777216.0f;
}

int32_t Sampler::most_probable_up_to(const float* probabilities, float coin) {
  std::vector<ProbIndex<float>> candidates;
  // Less than this cannot belong to the chosen ones: all others together would be needed.
  const float least = (1.0f - topp_) / static_cast<float>(std::max(1, vocab_size_ - 1));
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
  size_t count = 0;
  float sum = 0;
  while (count < candidates.size() && sum <= topp_) {
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
int32_t Sampler::sample(T* logits) {
  if (temperature_ == 0.0f) {
    return largest(logits, vocab_size_);
  }
  std::vector<float> values(logits, logits + vocab_size_);
  for (float& value : values) {
    value /= temperature_;
  }
  softmax(values);
  for (int32_t i = 0; i < vocab_size_; ++i) {
    logits[i] = static_cast<T>(values[static_cast<size_t>(i)]);
  }
  const float coin = next_coin();
  return topp_ <= 0 || topp_ >= 1 ? at_sum(values.data(), vocab_size_, coin)
                                  : most_probable_up_to(values.data(), coin);
}

template int32_t Sampler::sample<float>(float*);
template int32_t Sampler::sample<uint16_t>(uint16_t*);
template int32_t Sampler::sample<executorch::aten::Half>(executorch::aten::Half*);
template int32_t Sampler::sample<executorch::aten::BFloat16>(executorch::aten::BFloat16*);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
