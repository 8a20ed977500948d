#include <algorithm>
#include <cstddef>
#include <ctime>
#include <numeric>
#include <type_traits>
#include <vector>

#include <executorch/extension/llm/sampler/probabilities.h>
#include <executorch/extension/llm/sampler/sampler.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace extension {
namespace llm {
namespace {

/// The first of the largest logits; what is none (NaN) is never it, unless it is the first.
template <typename T>
int32_t largest(const T* logits, int32_t count) {
  float block[kProbabilityBlock];
  auto best = static_cast<float>(logits[0]);
  int32_t place = 0;
  for (int32_t i = 0; i < count; i += int32_t{kProbabilityBlock}) {
    const auto n = static_cast<size_t>(std::min(int32_t{kProbabilityBlock}, count - i));
    for (size_t j = 0; j < n; ++j) {
      block[j] = static_cast<float>(logits[static_cast<size_t>(i) + j]);
    }
    const float most = largest_of(block, n);
    if (most > best) {
      best = most;
      place = i + static_cast<int32_t>(std::find(block, block + n, most) - block);
    }
  }
  return place;
}

/// The first token at which the sum of probabilities passes `coin`.
///
/// @param sums Those of blocks.
int32_t at_sum(const float* probabilities, int32_t count, const std::vector<float>& sums,
               float coin) {
  float sum = 0;
  for (size_t block = 0; block < sums.size(); ++block) {
    if (coin >= sum + sums[block]) {
      sum += sums[block];
      continue;
    }
    const auto first = static_cast<int32_t>(block * kProbabilityBlock);
    const int32_t end = std::min(count, first + int32_t{kProbabilityBlock});
    for (int32_t i = first; i < end; ++i) {
      sum += probabilities[i];
      if (coin < sum) {
        return i;
      }
    }
  }
  return count - 1;  // Sums round.
}

using Candidates = std::vector<ProbIndex<float>>;

/// The more probable ones first, equal ones as they stand.
bool comes_before(const ProbIndex<float>& a, const ProbIndex<float>& b) {
  return a.prob > b.prob || (a.prob == b.prob && a.index < b.index);
}

/// The `most` first of them, which stand in any order then.
void keep_first(Candidates& candidates, size_t most) {
  if (candidates.size() > most) {
    const auto end = candidates.begin() + static_cast<ptrdiff_t>(most);
    std::nth_element(candidates.begin(), end, candidates.end(), comes_before);
    candidates.erase(end, candidates.end());
  }
}

/// Tokens that are at least so probable; of those at most the `most` first ones, if it is not 0.
Candidates at_least(const float* probabilities, int32_t count, float least, size_t most) {
  // Few hold one that counts.
  constexpr int32_t kPart = 64;
  Candidates found;
  for (int32_t i = 0; i < count; i += kPart) {
    const int32_t end = std::min(count, i + kPart);
    if (!(largest_of(probabilities + i, static_cast<size_t>(end - i)) >= least)) {
      continue;
    }
    for (int32_t j = i; j < end; ++j) {
      if (probabilities[j] >= least) {
        found.push_back({probabilities[j], j});
      }
    }
    if (most > 0 && found.size() >= 2 * most + size_t{kPart}) {
      keep_first(found, most);
      least = std::min_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
                return a.prob < b.prob;
              })->prob;
    }
  }
  if (most > 0) {
    keep_first(found, most);
    // What is left stands in an order of the standard library's; equal seeds go through the same
    // one.
    std::sort(found.begin(), found.end(), comes_before);
  }
  return found;
}

/// Leaves the first ones, in order, up to where their sum is more than `most`.
void keep_sum(Candidates& candidates, float most) {
  constexpr size_t kFew = 64;
  float sum = 0;
  size_t count = 0;
  for (size_t sorted = 0; sorted < candidates.size() && sum <= most;) {
    const size_t end = std::min(candidates.size(), std::max(kFew, 4 * sorted));
    const auto at = [&](size_t i) { return candidates.begin() + static_cast<ptrdiff_t>(i); };
    if (end < candidates.size()) {
      std::nth_element(at(sorted), at(end), candidates.end(), comes_before);
    }
    std::sort(at(sorted), at(end), comes_before);
    sorted = end;
    while (count < sorted && sum <= most) {
      sum += candidates[count++].prob;
    }
  }
  candidates.resize(count);
}

float sum_of(const Candidates& candidates) {
  return std::accumulate(candidates.begin(), candidates.end(), 0.0f,
                         [](float sum, const auto& one) { return sum + one.prob; });
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
  const float most = largest_of(probabilities, static_cast<size_t>(vocab_size_));
  const bool by_sum = options_.top_p > 0 && options_.top_p < 1;
  const auto top_k = static_cast<size_t>(std::clamp(options_.top_k, 0, vocab_size_));
  // Less than this cannot belong to those up to the sum: all others together would be needed.
  const float other = static_cast<float>(std::max(1, vocab_size_ - 1));
  const float least =
      std::max(options_.min_p * most, by_sum && top_k == 0 ? (1.0f - options_.top_p) / other : 0);
  // Mostly those that are not far behind the first one are enough.
  constexpr float kNear = 1.0f / 8192;
  const float near = by_sum && top_k == 0 ? std::max(least, most * kNear) : least;
  Candidates candidates = at_least(probabilities, vocab_size_, near, top_k);
  if (near > least && sum_of(candidates) <= options_.top_p) {
    candidates = at_least(probabilities, vocab_size_, least, top_k);
  }
  if (candidates.empty()) {
    return largest(probabilities, vocab_size_);
  }
  if (by_sum) {
    keep_sum(candidates, options_.top_p * (top_k > 0 ? sum_of(candidates) : 1.0f));
  }
  float rest = coin * sum_of(candidates);
  for (const auto& candidate : candidates) {
    rest -= candidate.prob;
    if (rest < 0) {
      return candidate.index;
    }
  }
  return candidates.back().index;
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
  std::vector<float> copy;
  float* values = nullptr;
  if constexpr (std::is_same_v<T, float>) {
    values = logits;
  } else {
    copy.assign(logits, logits + vocab_size_);
    values = copy.data();
  }
  const auto count = static_cast<size_t>(vocab_size_);
  const std::vector<float> sums = probabilities(values, count, options_.temperature);
  for (size_t i = 0; i < copy.size(); ++i) {
    logits[i] = static_cast<T>(copy[i]);
  }
  const float coin = next_coin();
  const bool all =
      options_.top_k <= 0 && options_.min_p <= 0.0f && (options_.top_p <= 0 || options_.top_p >= 1);
  return all ? at_sum(values, vocab_size_, sums, coin) : choose(values, coin);
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
