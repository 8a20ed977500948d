#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <executorch/backends/vulkan/runtime/testing/runner_for_tests.h>

// Operators on int8, beside the same in double precision. All numbers are so that floats have them
// exactly: results are equal.

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

using runtime::Error;
using testing::Array;
using testing::Runner;
using testing::Shape;
using testing::some;
using testing::zeros;

constexpr double kScale = 0.5;
constexpr int64_t kZero = -2;
constexpr int64_t kLeast = -90;
constexpr int64_t kMost = 100;
constexpr int64_t kInputZero = 3;

Array whole(const Shape& sizes, double low, double high, uint32_t seed = 1) {
  Array made = some(sizes, low, high, seed);
  for (double& value : made.values) {
    value = std::floor(value);
  }
  return made;
}

double quantized(double value) {
  const double rounded = std::nearbyint(value / kScale) + static_cast<double>(kZero);
  return std::fmin(std::fmax(rounded, static_cast<double>(kLeast)), static_cast<double>(kMost));
}

int32_t bytes_in(Runner& runner, const Array& array) {
  return runner.in(array, DType::Int8, DType::Int8);
}

int32_t bytes_out(Runner& runner, const Shape& sizes) {
  return runner.out(sizes, DType::Int8, DType::Int8);
}

/// The arguments of a result: scale, zero point and limits.
std::vector<int32_t> result_of(Runner& runner) {
  return {runner.graph.number(kScale), runner.graph.integer(kZero), runner.graph.integer(kLeast),
          runner.graph.integer(kMost)};
}

/// Input, its zero point, weights, factors, bias or none, and the result's arguments.
std::vector<int32_t> layer_of(Runner& runner, const Array& x, const Array& weights,
                              const Array& factors, const Array* bias) {
  std::vector<int32_t> made = {
      bytes_in(runner, x), runner.graph.integer(kInputZero),
      runner.constant(weights, DType::Int8, DType::Int8),
      runner.constant(factors, DType::Float, DType::Float),
      bias == nullptr ? runner.graph.none() : runner.constant(*bias, DType::Float, DType::Float)};
  const std::vector<int32_t> result = result_of(runner);
  made.insert(made.end(), result.begin(), result.end());
  return made;
}

using Int8Test = testing::FloatsTest;

INSTANTIATE_TEST_SUITE_P(, Int8Test, testing::floats(), testing::name_of_float);

TEST_P(Int8Test, ToAndFrom) {
  Runner runner(GetParam());
  const Array x = some({3, 7}, -60, 60);
  const Array bytes = whole({5, 5}, -128, 128);
  std::vector<int32_t> to = {runner.in(x)};
  const std::vector<int32_t> result = result_of(runner);
  to.insert(to.end(), result.begin(), result.end());
  to.insert(to.end(), {runner.graph.none(), bytes_out(runner, {3, 7})});
  runner.graph.call("quantized_decomposed.quantize_per_tensor.default", to);
  const int32_t none = runner.graph.none();
  runner.graph.call("quantized_decomposed.dequantize_per_tensor.default",
                    {bytes_in(runner, bytes), runner.graph.number(kScale),
                     runner.graph.integer(kZero), none, none, none, none, runner.out({5, 5})});
  Array expected = zeros({3, 7});
  for (int64_t i = 0; i < 21; ++i) {
    expected[i] = quantized(x[i]);
  }
  Array floats = zeros({5, 5});
  for (int64_t i = 0; i < 25; ++i) {
    floats[i] = (bytes[i] - static_cast<double>(kZero)) * kScale;
  }
  runner.check(expected);
  runner.compare(floats, runner.result(1), 1e-9);
}

TEST_P(Int8Test, Sums) {
  Runner runner(GetParam());
  const Array a = whole({2, 3, 3}, -128, 128);
  const Array b = whole({2, 3, 3}, -128, 128, 2);
  std::vector<int32_t> arguments = {bytes_in(runner, a),        runner.graph.number(0.25),
                                    runner.graph.integer(1),    bytes_in(runner, b),
                                    runner.graph.number(0.125), runner.graph.integer(-4)};
  const std::vector<int32_t> result = result_of(runner);
  arguments.insert(arguments.end(), result.begin(), result.end());
  arguments.push_back(bytes_out(runner, {2, 3, 3}));
  runner.graph.call("et_vk.add_int8.default", arguments);
  Array expected = zeros({2, 3, 3});
  for (int64_t i = 0; i < 18; ++i) {
    expected[i] = quantized((a[i] - 1) * 0.25 + (b[i] + 4) * 0.125);
  }
  runner.check(expected);
}

TEST_P(Int8Test, Linears) {
  // Rows that are whole words, and others; a bias, and none.
  for (const int64_t depth : {8, 10}) {
    Runner runner(GetParam());
    const Array x = whole({3, depth}, -128, 128);
    const Array weights = whole({7, depth}, -20, 20, 2);
    const Array factors = some({7}, 0.125, 0.5, 3);
    const Array bias = some({7}, -4, 4, 4);
    std::vector<int32_t> arguments =
        layer_of(runner, x, weights, factors, depth == 8 ? &bias : nullptr);
    arguments.push_back(bytes_out(runner, {3, 7}));
    runner.graph.call("et_vk.linear_int8.default", arguments);
    Array expected = zeros({3, 7});
    for (int64_t i = 0; i < 21; ++i) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        sum +=
            (x[i / 7 * depth + k] - static_cast<double>(kInputZero)) * weights[i % 7 * depth + k];
      }
      expected[i] = quantized(sum * factors[i % 7] + (depth == 8 ? bias[i % 7] : 0));
    }
    runner.check(expected);
  }
}

/// A convolution of int8 over two dimensions.
struct Geometry {
  Shape in, weights, out;
  int64_t stride[2], padding[2], dilation[2];
  int64_t groups;
};

Array convolved(const Geometry& g, const Array& x, const Array& weights, const Array& factors,
                const Array& bias) {
  Array expected = zeros(g.out);
  const int64_t kernel = g.weights[2] * g.weights[3];
  const int64_t depth = g.weights[1] * kernel;
  for (int64_t i = 0; i < testing::numel(g.out); ++i) {
    const int64_t channel = i / (g.out[2] * g.out[3]) % g.out[1];
    const int64_t batch = i / (g.out[1] * g.out[2] * g.out[3]);
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      const int64_t row = i / g.out[3] % g.out[2] * g.stride[0] - g.padding[0] +
                          k / g.weights[3] % g.weights[2] * g.dilation[0];
      const int64_t column =
          i % g.out[3] * g.stride[1] - g.padding[1] + k % g.weights[3] * g.dilation[1];
      const int64_t plane =
          batch * g.in[1] + channel / (g.out[1] / g.groups) * g.weights[1] + k / kernel;
      if (row >= 0 && row < g.in[2] && column >= 0 && column < g.in[3]) {
        sum += (x[(plane * g.in[2] + row) * g.in[3] + column] - static_cast<double>(kInputZero)) *
               weights[channel * depth + k];
      }
    }
    expected[i] = quantized(sum * factors[channel] + bias[channel]);
  }
  return expected;
}

TEST_P(Int8Test, Convolutions) {
  const Geometry all[] = {
      // Words over two channels of groups of three, one by one.
      {{2, 4, 5, 7}, {6, 2, 3, 2}, {2, 6, 3, 5}, {2, 1}, {1, 0}, {1, 2}, 2},
      // Each channel by itself, also where words begin with one.
      {{1, 5, 6, 6}, {5, 1, 3, 3}, {1, 5, 6, 6}, {1, 1}, {1, 1}, {1, 1}, 5},
      // Words that lie in the input as in the result; channels that are no whole block.
      {{2, 3, 4, 5}, {6, 3, 1, 1}, {2, 6, 4, 5}, {1, 1}, {0, 0}, {1, 1}, 1},
      // Blocks of a group, with neighbours.
      {{1, 6, 7, 6}, {8, 3, 3, 3}, {1, 8, 4, 3}, {2, 2}, {1, 1}, {1, 1}, 2},
      // Four channels together: places that are no words, the last block of two, then of two
      // images.
      {{1, 3, 7, 7}, {6, 3, 1, 1}, {1, 6, 7, 7}, {1, 1}, {0, 0}, {1, 1}, 1},
      {{2, 3, 5, 7}, {8, 3, 3, 3}, {2, 8, 5, 7}, {1, 1}, {1, 1}, {1, 1}, 1},
      {{2, 3, 5, 7}, {6, 3, 3, 3}, {2, 6, 5, 7}, {1, 1}, {1, 1}, {1, 1}, 1},
      // Three words of a row for four places: of channels that are no whole block, of groups, of
      // rows that are no words, of every second place.
      {{2, 3, 4, 8}, {10, 3, 3, 3}, {2, 10, 4, 8}, {1, 1}, {1, 1}, {1, 1}, 1},
      {{1, 16, 5, 6}, {16, 8, 3, 3}, {1, 16, 3, 4}, {1, 1}, {0, 0}, {1, 1}, 2},
      {{1, 3, 7, 7}, {10, 3, 3, 3}, {1, 10, 7, 7}, {1, 1}, {1, 1}, {1, 1}, 1},
      {{2, 3, 9, 16}, {12, 3, 3, 3}, {2, 12, 5, 8}, {2, 2}, {1, 1}, {1, 1}, 1},
      // Each channel by itself: alone, four together, every second place.
      {{2, 3, 6, 10}, {3, 1, 3, 3}, {2, 3, 4, 8}, {1, 1}, {0, 0}, {1, 1}, 3},
      {{1, 6, 7, 7}, {6, 1, 3, 3}, {1, 6, 7, 7}, {1, 1}, {1, 1}, {1, 1}, 6},
      {{2, 8, 5, 5}, {8, 1, 3, 3}, {2, 8, 5, 5}, {1, 1}, {1, 1}, {1, 1}, 8},
      {{1, 3, 8, 8}, {3, 1, 3, 3}, {1, 3, 4, 4}, {2, 2}, {1, 1}, {1, 1}, 3},
      {{1, 2, 14, 14}, {2, 1, 3, 3}, {1, 2, 7, 7}, {2, 2}, {1, 1}, {1, 1}, 2},
      // Four weights a read, also where places are no words.
      {{2, 8, 4, 5}, {12, 8, 1, 1}, {2, 12, 4, 5}, {1, 1}, {0, 0}, {1, 1}, 1},
      {{1, 8, 7, 7}, {10, 8, 1, 1}, {1, 10, 7, 7}, {1, 1}, {0, 0}, {1, 1}, 1},
      // Four channels of the input at once: every second place, rows that go on in the next one and
      // a kernel with holes, a word within a row that begins outside.
      {{1, 4, 9, 9}, {5, 4, 3, 3}, {1, 5, 5, 5}, {2, 2}, {1, 1}, {1, 1}, 1},
      {{2, 8, 7, 7}, {4, 8, 3, 3}, {2, 4, 7, 7}, {1, 1}, {2, 2}, {2, 2}, 1},
      {{1, 8, 3, 9}, {12, 4, 1, 2}, {1, 12, 3, 12}, {1, 1}, {0, 2}, {1, 1}, 2},
      // More places than are made together.
      {{1, 2, 17, 17}, {5, 2, 1, 1}, {1, 5, 17, 17}, {1, 1}, {0, 0}, {1, 1}, 1},
  };
  for (const Geometry& g : all) {
    SCOPED_TRACE(::testing::PrintToString(g.weights));
    Runner runner(GetParam());
    const Array x = whole(g.in, -128, 128);
    const Array weights = whole(g.weights, -10, 10, 2);
    const Array factors = some({g.out[1]}, 0.125, 0.5, 3);
    const Array bias = some({g.out[1]}, -4, 4, 4);
    std::vector<int32_t> arguments = layer_of(runner, x, weights, factors, &bias);
    arguments.insert(arguments.end(), {runner.graph.ints({g.stride[0], g.stride[1]}),
                                       runner.graph.ints({g.padding[0], g.padding[1]}),
                                       runner.graph.ints({g.dilation[0], g.dilation[1]}),
                                       runner.graph.integer(g.groups), bytes_out(runner, g.out)});
    runner.graph.call("et_vk.conv_int8.default", arguments);
    runner.check(convolved(g, x, weights, factors, bias));
  }
}

TEST_P(Int8Test, SumsThatNoFloatHoldsAreExact) {
  // Of so many channels the first half adds up to more than 2^24, odd numbers all of them, and the
  // second half takes that away, but for one product.
  constexpr int64_t kChannels = 2400;
  for (const int64_t kernel : {1, 3}) {
    const int64_t taps = kernel * kernel;
    const int64_t channels = kernel == 1 ? kChannels : 268;
    const Geometry g = {{1, channels, 4, 4},
                        {4, channels, kernel, kernel},
                        {1, 4, 4, 4},
                        {1, 1},
                        {kernel / 2, kernel / 2},
                        {1, 1},
                        1};
    Runner runner(GetParam());
    Array x = zeros(g.in);
    for (double& value : x.values) {
      value = -128;
    }
    Array weights = zeros(g.weights);
    for (int64_t i = 0; i < testing::numel(g.weights); ++i) {
      weights[i] = i / taps % channels < channels / 2 ? 125 : -125;
    }
    for (int64_t row = 0; row < 4; ++row) {
      weights[row * channels * taps] = static_cast<double>(126 - row);
    }
    Array factors = zeros({4});
    Array bias = zeros({4});
    for (int64_t row = 0; row < 4; ++row) {
      factors[row] = 0.125;
    }
    std::vector<int32_t> arguments = layer_of(runner, x, weights, factors, &bias);
    arguments.insert(
        arguments.end(),
        {runner.graph.ints({1, 1}), runner.graph.ints({kernel / 2, kernel / 2}),
         runner.graph.ints({1, 1}), runner.graph.integer(1), bytes_out(runner, g.out)});
    runner.graph.call("et_vk.conv_int8.default", arguments);
    runner.check(convolved(g, x, weights, factors, bias));
  }
}

TEST_P(Int8Test, WhatDoesNotFitIsRefused) {
  const auto refused = [](const std::function<void(Runner&)>& make) {
    Runner runner(GetParam());
    make(runner);
    return runner.load() == Error::NotSupported;
  };
  const Array x = whole({4, 4}, -8, 8);
  EXPECT_TRUE(refused([&](Runner& r) {
    r.graph.call("aten.relu.default", {bytes_in(r, x), bytes_out(r, {4, 4})});
  })) << "an operator that has no form for int8";
  EXPECT_TRUE(refused([&](Runner& r) {
    r.graph.call("aten.relu.default", {r.in(x), bytes_out(r, {4, 4})});
  })) << "a result of int8";
  EXPECT_TRUE(refused([&](Runner& r) {
    const int32_t zero = r.graph.number(0);
    const int32_t one = r.graph.integer(1);
    r.graph.call("quantized_decomposed.quantize_per_tensor.default",
                 {r.in(x), zero, one, one, one, r.graph.none(), bytes_out(r, {4, 4})});
  })) << "a scale of zero";
  EXPECT_TRUE(refused([&](Runner& r) {
    std::vector<int32_t> arguments = layer_of(r, x, x, some({4}), nullptr);
    arguments[2] = bytes_in(r, x);
    arguments.push_back(bytes_out(r, {4, 4}));
    r.graph.call("et_vk.linear_int8.default", arguments);
  })) << "weights that are no constant";
  EXPECT_TRUE(refused([&](Runner& r) {
    std::vector<int32_t> arguments = layer_of(r, x, x, some({3}), nullptr);
    arguments.push_back(bytes_out(r, {4, 4}));
    r.graph.call("et_vk.linear_int8.default", arguments);
  })) << "factors of another number";
}

}  // namespace
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
