#include <cmath>

#include <gtest/gtest.h>

#include <executorch/backends/vulkan/runtime/testing/runner_for_tests.h>

// Norms, reductions and integer weights, beside the same in double precision.

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

using testing::Array;
using testing::numel;
using testing::Runner;
using testing::Shape;
using testing::some;
using testing::zeros;

using LinesTest = testing::FloatsTest;

INSTANTIATE_TEST_SUITE_P(, LinesTest, testing::floats(), testing::name_of_float);

TEST_P(LinesTest, Softmax) {
  for (const int64_t length : {7, 100}) {
    Runner runner(GetParam());
    const Array x = some({3, length, 5}, -4, 4);
    const int32_t in = runner.in(x);
    const int32_t no = runner.graph.boolean(false);
    runner.graph.call("aten._softmax.default",
                      {in, runner.graph.integer(1), no, runner.out(x.sizes)});
    runner.graph.call("aten._log_softmax.default",
                      {in, runner.graph.integer(1), no, runner.out(x.sizes)});
    Array soft = x;
    Array logarithm = x;
    for (int64_t line = 0; line < 15; ++line) {
      double sum = 0;
      const auto at = [&](int64_t k) { return line / 5 * length * 5 + k * 5 + line % 5; };
      for (int64_t k = 0; k < length; ++k) {
        sum += std::exp(x[at(k)]);
      }
      for (int64_t k = 0; k < length; ++k) {
        soft[at(k)] = std::exp(x[at(k)]) / sum;
        logarithm[at(k)] = x[at(k)] - std::log(sum);
      }
    }
    runner.check(soft);
    runner.compare(logarithm, runner.result(1));
  }
}

/// Lines brought to mean 0 and variance 1.
Array normalized(const Array& x, int64_t length, double eps) {
  Array y = x;
  for (int64_t begin = 0; begin < numel(x.sizes); begin += length) {
    double mean = 0;
    double variance = 0;
    for (int64_t k = begin; k < begin + length; ++k) {
      mean += x[k] / static_cast<double>(length);
    }
    for (int64_t k = begin; k < begin + length; ++k) {
      variance += (x[k] - mean) * (x[k] - mean) / static_cast<double>(length);
    }
    for (int64_t k = begin; k < begin + length; ++k) {
      y[k] = (x[k] - mean) / std::sqrt(variance + eps);
    }
  }
  return y;
}

TEST_P(LinesTest, Norms) {
  const double eps = 1e-5;
  const Array x = some({2, 6, 4, 5});
  const Array line = some({4, 5}, 0.5, 2, 2);
  const Array shift = some({4, 5}, -1, 1, 3);
  const Array scale = some({6}, 0.5, 2, 4);
  const Array bias = some({6}, -1, 1, 5);
  Runner runner(GetParam());
  const int32_t in = runner.in(x);
  const int32_t none = runner.graph.none();
  const int32_t epsilon = runner.graph.number(eps);
  const auto outs = [&] { return runner.graph.list({runner.out(x.sizes), none, none}); };
  const auto integer = [&](int64_t value) { return runner.graph.integer(value); };
  runner.graph.call("aten.native_layer_norm.default",
                    {in, runner.graph.ints({4, 5}), runner.constant(line), runner.constant(shift),
                     epsilon, outs()});
  runner.graph.call("aten.native_group_norm.default",
                    {in, runner.constant(scale), runner.constant(bias), integer(2), integer(6),
                     integer(20), integer(3), epsilon, outs()});
  runner.graph.call("aten._native_batch_norm_legit_no_training.default",
                    {in, runner.constant(scale), runner.constant(bias), runner.constant(bias),
                     runner.constant(scale), runner.graph.number(0.1), epsilon, outs()});
  Array expected = normalized(x, 20, eps);
  for (int64_t i = 0; i < 240; ++i) {
    expected[i] = expected[i] * line[i % 20] + shift[i % 20];
  }
  runner.check(expected);
  expected = normalized(x, 40, eps);
  Array batch = x;
  for (int64_t i = 0; i < 240; ++i) {
    const int64_t channel = i / 20 % 6;
    expected[i] = expected[i] * scale[channel] + bias[channel];
    batch[i] =
        (x[i] - bias[channel]) / std::sqrt(scale[channel] + eps) * scale[channel] + bias[channel];
  }
  runner.compare(expected, runner.result(1));
  runner.compare(batch, runner.result(2));
}

TEST_P(LinesTest, LongLines) {
  Runner runner(GetParam());
  const Array x = some({3, 200});
  const int32_t none = runner.graph.none();
  runner.graph.call("aten.native_layer_norm.default",
                    {runner.in(x), runner.graph.ints({200}), none, none, runner.graph.number(1e-5),
                     runner.graph.list({runner.out(x.sizes), none, none})});
  runner.check(normalized(x, 200, 1e-5));
}

TEST_P(LinesTest, Reductions) {
  const Array x = some({3, 4, 70}, -1, 1);
  Runner runner(GetParam());
  const int32_t in = runner.in(x);
  const int32_t yes = runner.graph.boolean(true);
  const int32_t no = runner.graph.boolean(false);
  const int32_t none = runner.graph.none();
  runner.graph.call("aten.mean.dim",
                    {in, runner.graph.ints({0, 2}), yes, none, runner.out({1, 4, 1})});
  runner.graph.call("aten.sum.dim_IntList",
                    {in, runner.graph.ints({1}), no, none, runner.out({3, 70})});
  runner.graph.call("aten.amax.default", {in, runner.graph.ints({2}), no, runner.out({3, 4})});
  runner.graph.call("aten.argmin.default", {in, runner.graph.integer(2), yes,
                                            runner.out({3, 4, 1}, DType::Int32, DType::Int64)});
  runner.graph.call("aten.cumsum.default",
                    {in, runner.graph.integer(1), none, runner.out(x.sizes)});
  runner.graph.call("aten.mean.dim", {in, runner.graph.ints({}), no, none, runner.out({})});
  Array mean = zeros({1, 4, 1});
  Array sum = zeros({3, 70});
  Array most = zeros({3, 4});
  Array least = zeros({3, 4, 1});
  Array running = x;
  Array all = zeros({});
  for (int64_t i = 0; i < 840; ++i) {
    const int64_t a = i / 280;
    const int64_t b = i / 70 % 4;
    const int64_t c = i % 70;
    mean[b] += x[i] / 210;
    sum[a * 70 + c] += x[i];
    most[a * 4 + b] = c == 0 ? x[i] : std::fmax(most[a * 4 + b], x[i]);
    const int64_t line = i - c;
    least[a * 4 + b] = x[i] < x[line + static_cast<int64_t>(least[a * 4 + b])]
                           ? static_cast<double>(c)
                           : least[a * 4 + b];
    running[i] = b == 0 ? x[i] : running[i - 70] + x[i];
    all[0] += x[i] / 840;
  }
  runner.check(mean);
  runner.compare(sum, runner.result(1));
  runner.compare(most, runner.result(2));
  runner.compare(least, runner.result(3), 1e-9);
  runner.compare(running, runner.result(4));
  runner.compare(all, runner.result(5));
}

/// Weights of 4 and of 8 bits, two of the former in a byte, and the sums of both by groups.
struct IntegerWeights {
  IntegerWeights(int64_t columns, int64_t depth, int64_t group)
      : small(some({columns, depth}, -8, 8, 4)),
        large(some({columns, depth}, -127, 127, 5)),
        packed(zeros({columns, depth / 2})),
        small_sums(zeros({depth / group, columns})),
        large_sums(small_sums) {
    for (int64_t i = 0; i < columns * depth; ++i) {
      small[i] = std::floor(small[i]);
      large[i] = std::floor(large[i]);
      packed[i / 2] += (small[i] + 8) * (i % 2 == 0 ? 1 : 16);
      const int64_t at = i % depth / group * columns + i / depth;
      small_sums[at] += small[i];
      large_sums[at] += large[i];
    }
  }

  Array small;
  Array large;
  Array packed;
  Array small_sums;
  Array large_sums;
};

/// Rows by columns of weights [columns, depth], which have a scale for each group of the depth.
Array product(const Array& x, const Array& weights, const Array& scales, int64_t group) {
  const int64_t columns = weights.sizes[0];
  const int64_t depth = weights.sizes[1];
  Array made = zeros({x.sizes[0], columns});
  for (int64_t i = 0; i < x.sizes[0] * columns; ++i) {
    const int64_t column = i % columns;
    for (int64_t k = 0; k < depth; ++k) {
      made[i] += x[i / columns * depth + k] * weights[column * depth + k] *
                 scales[k / group * columns + column];
    }
  }
  return made;
}

/// Each row as it is after it was quantized to int8 by a scale and a zero point of its own.
Array rounded_rows(const Array& x, Array& scales, Array& zeros_of_rows) {
  Array made = x;
  const int64_t depth = x.sizes[1];
  for (int64_t i = 0; i < x.sizes[0]; ++i) {
    double low = 0;
    double high = 0;
    for (int64_t k = 0; k < depth; ++k) {
      low = std::fmin(low, x[i * depth + k]);
      high = std::fmax(high, x[i * depth + k]);
    }
    const double scale = (high - low) / 255;
    const double zero = std::fmin(std::fmax(-128 - std::nearbyint(low / scale), -128), 127);
    scales[i] = scale;
    zeros_of_rows[i] = zero;
    for (int64_t k = 0; k < depth; ++k) {
      double& value = made[i * depth + k];
      value =
          (std::fmin(std::fmax(std::nearbyint(value / scale) + zero, -128), 127) - zero) * scale;
    }
  }
  return made;
}

TEST_P(LinesTest, QuantizedLinears) {
  const int64_t rows = 6;
  const int64_t depth = 64;
  const int64_t columns = 70;
  const int64_t group = 32;
  const Array x = some({rows, depth}, -1, 1);
  const Array bias = some({columns}, -1, 1, 2);
  const Array scales = some({depth / group, columns}, 0.125, 0.5, 3);
  const IntegerWeights weights_of(columns, depth, group);
  const Array& small = weights_of.small;
  const Array& large = weights_of.large;
  Runner runner(GetParam());
  const int32_t in = runner.in(x);
  const int32_t none = runner.graph.none();
  const int32_t group_size = runner.graph.integer(group);
  const int32_t weights = runner.constant(weights_of.packed, DType::UInt8, DType::UInt8);
  const int32_t steps = runner.constant(scales);
  runner.graph.call(
      "et_vk.linear_q4gsw.default",
      {in, weights, steps, group_size, runner.constant(bias), runner.out({rows, columns})});
  const int32_t bytes = runner.constant(large, DType::Int8, DType::Int8);
  const Array line = {{columns}, {scales.values.begin(), scales.values.begin() + columns}};
  runner.graph.call("et_vk.linear_q8csw.default",
                    {in, bytes, runner.constant(line), none, runner.out({rows, columns})});
  const int32_t row_scales = runner.out({rows, 1}, DType::Float, DType::Float);
  const int32_t row_zeros = runner.out({rows, 1}, DType::Int32, DType::Int32);
  runner.graph.call(
      "torchao.choose_qparams_affine.default",
      {in, runner.graph.text("ASYMMETRIC"), runner.graph.ints({1, depth}), none,
       runner.graph.integer(-128), runner.graph.integer(127), runner.graph.number(1e-6), none, none,
       runner.graph.boolean(true), runner.graph.list({row_scales, row_zeros})});
  runner.graph.call("et_vk.linear_dq8ca_q4gsw.default",
                    {in, row_scales, row_zeros, weights,
                     runner.constant(weights_of.small_sums, DType::Int32, DType::Int32), steps,
                     group_size, none, runner.out({rows, columns})});
  runner.graph.call("et_vk.linear_dq8ca_q8gsw.default",
                    {in, row_scales, row_zeros, bytes,
                     runner.constant(weights_of.large_sums, DType::Int32, DType::Int32), steps,
                     group_size, none, runner.out({rows, columns})});
  runner.graph.call("et_vk.linear_q8gsw.default",
                    {in, bytes, steps, group_size, none, runner.out({rows, columns})});
  Array row_steps = zeros({rows, 1});
  Array zero_points = row_steps;
  const Array rounded = rounded_rows(x, row_steps, zero_points);
  Array four = product(x, small, scales, group);
  for (int64_t i = 0; i < rows * columns; ++i) {
    four[i] += bias[i % columns];
  }
  runner.check(four);
  runner.compare(product(x, large, line, depth), runner.result(1));
  runner.compare(row_steps, runner.result(2), 1e-5);
  runner.compare(zero_points, runner.result(3), 1e-9);
  // Where a value lies between two steps, either will do: half a step of one factor.
  runner.compare(product(rounded, small, scales, group), runner.result(4), 2e-2);
  runner.compare(product(rounded, large, scales, group), runner.result(5), 2e-2);
  runner.compare(product(x, large, scales, group), runner.result(6));
}

}  // namespace
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
