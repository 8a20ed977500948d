#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/sampler/sampler.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace {

using executorch::aten::BFloat16;
using executorch::aten::Half;
using executorch::extension::llm::Sampler;
using executorch::extension::llm::SamplingOptions;

TEST(SamplerTest, WithoutTemperatureTheLargestIsTaken) {
  Sampler sampler(4, 0.0f, 0.9f, 1);
  std::vector<float> logits = {-1, 3, 2, 3};
  EXPECT_EQ(sampler.sample(logits.data()), 1);
  EXPECT_EQ(logits, (std::vector<float>{-1, 3, 2, 3})) << "nothing is overwritten";
  std::vector<Half> half = {Half(0.5f), Half(0.25f), Half(1.0f), Half(0.0f)};
  EXPECT_EQ(sampler.sample(half.data()), 2);
  std::vector<BFloat16> brain = {BFloat16(0.5f), BFloat16(0.25f), BFloat16(0.0f), BFloat16(1.0f)};
  EXPECT_EQ(sampler.sample(brain.data()), 3);
}

/// Logits of a vocabulary with some that are equal.
std::vector<float> vocabulary(size_t count) {
  std::mt19937 generator(5);
  std::normal_distribution<float> normal(0.0f, 3.0f);
  std::vector<float> logits(count);
  for (float& logit : logits) {
    logit = std::round(normal(generator) * 1024) / 1024;
  }
  return logits;
}

TEST(SamplerTest, TheFirstOfTheLargestIsTakenWhereverItLies) {
  for (const size_t count : {1, 15, 16, 17, 1023, 1024, 1025, 5000}) {
    Sampler sampler(static_cast<int32_t>(count), 0.0f, 0.9f, 1);
    for (size_t place = 0; place < count; place += 1 + count / 97) {
      std::vector<float> logits = vocabulary(count);
      logits[place] = logits.back() = 100;
      EXPECT_EQ(sampler.sample(logits.data()), int32_t(place)) << count;
      std::vector<Half> halves(logits.begin(), logits.end());
      EXPECT_EQ(sampler.sample(halves.data()), int32_t(place)) << count;
    }
  }
  Sampler sampler(3, 0.0f, 0.9f, 1);
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> nothing(3, -infinity);
  EXPECT_EQ(sampler.sample(nothing.data()), 0);
  std::vector<float> odd = {1, std::nanf(""), 2};
  EXPECT_EQ(sampler.sample(odd.data()), 2);
}

TEST(SamplerTest, LogitsBecomeProbabilities) {
  for (const size_t count : {7, 1024, 3001}) {
    for (const float temperature : {0.3f, 1.0f, 2.5f}) {
      std::vector<float> logits = vocabulary(count);
      logits[count / 2] = -std::numeric_limits<float>::infinity();
      logits[0] = -1000;
      double sum = 0;
      std::vector<double> wanted(count);
      const double most = *std::max_element(logits.begin(), logits.end());
      for (size_t i = 0; i < count; ++i) {
        wanted[i] = std::exp((double(logits[i]) - most) / double(temperature));
        sum += wanted[i];
      }
      Sampler sampler(static_cast<int32_t>(count), temperature, 1.0f, 3);
      (void)sampler.sample(logits.data());
      for (size_t i = 0; i < count; ++i) {
        EXPECT_NEAR(logits[i], wanted[i] / sum, 1e-30 + 1e-5 * wanted[i] / sum) << i;
      }
      EXPECT_EQ(logits[count / 2], 0);
      EXPECT_EQ(logits[0], 0);
    }
  }
}

/// The most probable tokens: `top_k` of them, then up to a sum of `top_p` of these.
std::set<int32_t> most_probable(std::vector<float> logits, int32_t top_k, double top_p) {
  std::vector<std::pair<double, int32_t>> sorted;
  const double most = *std::max_element(logits.begin(), logits.end());
  for (size_t i = 0; i < logits.size(); ++i) {
    sorted.emplace_back(-std::exp(double(logits[i]) - most), int32_t(i));
  }
  std::sort(sorted.begin(), sorted.end());
  if (top_k > 0) {
    sorted.resize(static_cast<size_t>(top_k));
  }
  double whole = 0;
  for (const auto& one : sorted) {
    whole -= one.first;
  }
  std::set<int32_t> found;
  double sum = 0;
  for (const auto& one : sorted) {
    if (sum > top_p * whole) {
      break;
    }
    sum -= one.first;
    found.insert(one.second);
  }
  return found;
}

TEST(SamplerTest, OfAVocabularyExactlyTheMostProbableAreChosen) {
  const struct {
    int32_t top_k;
    float top_p;
    float spread;
  } cases[] = {{5, 1.0f, 1.0f}, {200, 1.0f, 0.1f}, {200, 0.5f, 0.1f},
               {0, 0.5f, 1.0f}, {0, 0.1f, 0.1f},   {0, 0.9f, 2.0f}};
  for (const auto& one : cases) {
    std::vector<float> logits = vocabulary(5000);
    for (float& logit : logits) {
      logit *= one.spread;
    }
    SamplingOptions options;
    options.temperature = 1.0f;
    options.top_k = one.top_k;
    options.top_p = one.top_p;
    options.seed = 9;
    Sampler sampler(5000, options);
    std::set<int32_t> found;
    for (int i = 0; i < 8000; ++i) {
      std::vector<float> copy = logits;
      found.insert(sampler.sample(copy.data()));
    }
    const std::set<int32_t> wanted = most_probable(logits, one.top_k, double(one.top_p));
    EXPECT_TRUE(std::includes(wanted.begin(), wanted.end(), found.begin(), found.end()))
        << one.top_k << " " << one.top_p;
    // The least probable of many may not have come yet.
    EXPECT_GE(found.size(), wanted.size() * 9 / 10) << one.top_k << " " << one.top_p;
  }
}

TEST(SamplerTest, EqualSeedsChooseEqually) {
  Sampler a(100, 1.0f, 0.9f, 7);
  Sampler b(100, 1.0f, 0.9f, 7);
  for (int i = 0; i < 20; ++i) {
    std::vector<float> first(100, 0.5f);
    std::vector<float> second(100, 0.5f);
    EXPECT_EQ(a.sample(first.data()), b.sample(second.data()));
  }
}

/// How often each of four tokens is chosen in 4000 draws.
std::vector<int> draws(Sampler& sampler, const std::vector<float>& logits) {
  std::vector<int> counts(4);
  for (int i = 0; i < 4000; ++i) {
    std::vector<float> copy = logits;
    const int32_t token = sampler.sample(copy.data());
    EXPECT_GE(token, 0);
    EXPECT_LT(token, 4);
    ++counts[static_cast<size_t>(token)];
  }
  return counts;
}

TEST(SamplerTest, ChoosesByProbability) {
  // Probabilities 0.1, 0.2, 0.3, 0.4.
  Sampler sampler(4, 1.0f, 1.0f, 3);
  const std::vector<int> counts = draws(sampler, {-2.302585f, -1.609438f, -1.203973f, -0.916291f});
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(counts[static_cast<size_t>(i)], 400 * (i + 1), 120) << i;
  }
}

TEST(SamplerTest, LeavesOutTheImprobable) {
  Sampler sampler(4, 1.0f, 0.6f, 3);
  const std::vector<int> counts = draws(sampler, {-2.302585f, -1.609438f, -1.203973f, -0.916291f});
  EXPECT_EQ(counts[0], 0);
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[2], 4000 * 3 / 7, 150);
}

TEST(SamplerTest, ALowTemperatureIsSharp) {
  Sampler sampler(4, 0.01f, 1.0f, 3);
  EXPECT_EQ(draws(sampler, {0, 0.5f, 1, 0})[2], 4000);
}

/// Probabilities of these are 0.4, 0.3, 0.2 and 0.1.
const std::vector<float> kTenths = {std::log(4.0f), std::log(3.0f), std::log(2.0f), 0.0f};

std::vector<int> draws_with(const SamplingOptions& options) {
  Sampler sampler(4, options);
  return draws(sampler, kTenths);
}

TEST(SamplerTest, OnlyTheMostProbableAreLeft) {
  SamplingOptions options;
  options.temperature = 1.0f;
  options.seed = 5;
  options.top_p = 1.0f;
  options.top_k = 2;
  std::vector<int> counts = draws_with(options);
  EXPECT_NEAR(counts[0], 4000 * 4 / 7, 200);
  EXPECT_EQ(counts[2] + counts[3], 0);
  // Of these two, 0.4 is 57 %.
  options.top_p = 0.5f;
  counts = draws_with(options);
  EXPECT_EQ(counts[0], 4000);
  options.top_k = 1;
  options.top_p = 1.0f;
  EXPECT_EQ(draws_with(options)[0], 4000);
}

TEST(SamplerTest, OnlyThoseNotFarBehindTheFirstAreLeft) {
  SamplingOptions options;
  options.temperature = 1.0f;
  options.seed = 5;
  options.top_p = 1.0f;
  options.min_p = 0.4f;  // 0.16 at least
  const std::vector<int> counts = draws_with(options);
  EXPECT_NEAR(counts[0], 4000 * 4 / 9, 200);
  EXPECT_NEAR(counts[2], 4000 * 2 / 9, 200);
  EXPECT_EQ(counts[3], 0);
}

TEST(SamplerTest, WhatWasThereBeforeIsLessProbable) {
  SamplingOptions options;
  options.temperature = 0.0f;
  options.repetition_penalty = 2.0f;
  Sampler sampler(3, options);
  std::vector<float> logits = {3, 2, -1};
  EXPECT_EQ(sampler.sample(logits.data(), {0, 2, 99}), 1);
  EXPECT_EQ(logits, (std::vector<float>{1.5f, 2, -2}));
}

}  // namespace
