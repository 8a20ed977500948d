#include <cmath>
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
