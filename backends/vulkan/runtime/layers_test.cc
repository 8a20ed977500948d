#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <executorch/backends/vulkan/runtime/testing/runner_for_tests.h>

// Layers of networks, beside the same in double precision.

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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using LayersTest = testing::FloatsTest;

INSTANTIATE_TEST_SUITE_P(, LayersTest, testing::floats(), testing::name_of_float);

/// A[m, k] B[k, n], or B[n, k] if it is turned.
Array product(const Array& a, const Array& b, bool is_turned) {
  const int64_t rows = a.sizes[0];
  const int64_t depth = a.sizes[1];
  const int64_t columns = b.sizes[is_turned ? 0 : 1];
  Array made = zeros({rows, columns});
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t k = 0; k < depth; ++k) {
        made[i * columns + j] += a[i * depth + k] * b[is_turned ? j * depth + k : k * columns + j];
      }
    }
  }
  return made;
}

TEST_P(LayersTest, Products) {
  for (const Shape& shape : {Shape{1, 9, 130},
                             {3, 17, 5},
                             {20, 8, 300},
                             {9, 33, 64},
                             {1, 70, 1},
                             {33, 8, 300},
                             {34, 12, 303}}) {
    const int64_t rows = shape[0];
    const int64_t depth = shape[1];
    const int64_t columns = shape[2];
    const Array a = some({rows, depth}, -1, 1);
    const Array b = some({depth, columns}, -1, 1, 3);
    const Array bias = some({columns}, -1, 1, 4);
    const Array turned = some({columns, depth}, -1, 1, 5);
    Runner runner(GetParam());
    const int32_t left = runner.in(a);
    const int32_t right = runner.in(b);
    runner.graph.call("aten.mm.default", {left, right, runner.out({rows, columns})});
    runner.graph.call("aten.addmm.default",
                      {runner.constant(bias), left, right, runner.graph.number(2),
                       runner.graph.number(0.5), runner.out({rows, columns})});
    runner.graph.call("aten.linear.default", {left, runner.constant(turned), runner.constant(bias),
                                              runner.out({rows, columns})});
    runner.graph.call("aten.linear.default",
                      {left, runner.in(turned), runner.graph.none(), runner.out({rows, columns})});
    const Array plain = product(a, b, false);
    runner.check(plain);
    Array expected = plain;
    for (int64_t i = 0; i < rows * columns; ++i) {
      expected[i] = 0.5 * plain[i] + 2 * bias[i % columns];
    }
    runner.compare(expected, runner.result(1));
    const Array linear = product(a, turned, true);
    runner.compare(linear, runner.result(3));
    for (int64_t i = 0; i < rows * columns; ++i) {
      expected[i] = linear[i] + bias[i % columns];
    }
    runner.compare(expected, runner.result(2));
  }
}

TEST_P(LayersTest, ProductsOfBatches) {
  Runner runner(GetParam());
  const Array a = some({3, 10, 7}, -1, 1);
  const Array b = some({3, 7, 150}, -1, 1, 2);
  runner.graph.call("aten.bmm.default", {runner.in(a), runner.in(b), runner.out({3, 10, 150})});
  Array expected = zeros({3, 10, 150});
  for (size_t i = 0; i < 3; ++i) {
    const auto part = [&](const Array& whole, const Shape& sizes) {
      const auto begin = whole.values.begin() + static_cast<std::ptrdiff_t>(i) * numel(sizes);
      return Array{sizes, {begin, begin + numel(sizes)}};
    };
    const Array one = product(part(a, {10, 7}), part(b, {7, 150}), false);
    std::copy(one.values.begin(), one.values.end(),
              expected.values.begin() + static_cast<std::ptrdiff_t>(i) * 1500);
  }
  runner.check(expected);
}

struct Conv {
  Shape x, w;
  Shape stride, padding, dilation;
  int64_t groups;
  bool is_transposed;
  Shape extra;
};

/// By scattering or gathering with loops over everything; [N, C, H, W].
Array convolved(const Conv& conv, const Array& x, const Array& w, const Array& bias) {
  const int64_t channels = conv.x[1];
  const int64_t out = conv.is_transposed ? conv.w[1] * conv.groups : conv.w[0];
  int64_t plane[2];
  for (size_t d = 0; d < 2; ++d) {
    const int64_t reach = conv.dilation[d] * (conv.w[2 + d] - 1) + 1;
    plane[d] =
        conv.is_transposed
            ? (conv.x[2 + d] - 1) * conv.stride[d] - 2 * conv.padding[d] + reach + conv.extra[d]
            : (conv.x[2 + d] + 2 * conv.padding[d] - reach) / conv.stride[d] + 1;
  }
  Array y = zeros({conv.x[0], out, plane[0], plane[1]});
  for (int64_t i = 0; i < numel(y.sizes); ++i) {
    y[i] = bias[i / (plane[0] * plane[1]) % out];
  }
  const int64_t in_group = channels / conv.groups;
  const int64_t out_group = out / conv.groups;
  const int64_t small[2] = {conv.is_transposed ? conv.x[2] : plane[0],
                            conv.is_transposed ? conv.x[3] : plane[1]};
  const int64_t large[2] = {conv.is_transposed ? plane[0] : conv.x[2],
                            conv.is_transposed ? plane[1] : conv.x[3]};
  for (int64_t n = 0; n < conv.x[0]; ++n) {
    for (int64_t o = 0; o < out; ++o) {
      for (int64_t c = 0; c < in_group; ++c) {
        const int64_t in = o / out_group * in_group + c;
        for (int64_t ky = 0; ky < conv.w[2]; ++ky) {
          for (int64_t kx = 0; kx < conv.w[3]; ++kx) {
            const double weight =
                conv.is_transposed
                    ? w[((in * out_group + o % out_group) * conv.w[2] + ky) * conv.w[3] + kx]
                    : w[((o * in_group + c) * conv.w[2] + ky) * conv.w[3] + kx];
            for (int64_t sy = 0; sy < small[0]; ++sy) {
              for (int64_t sx = 0; sx < small[1]; ++sx) {
                const int64_t ly = sy * conv.stride[0] - conv.padding[0] + ky * conv.dilation[0];
                const int64_t lx = sx * conv.stride[1] - conv.padding[1] + kx * conv.dilation[1];
                if (ly < 0 || ly >= large[0] || lx < 0 || lx >= large[1]) {
                  continue;
                }
                const int64_t at_small = sy * small[1] + sx;
                const int64_t at_large = ly * large[1] + lx;
                const int64_t at_x = (n * channels + in) * conv.x[2] * conv.x[3] +
                                     (conv.is_transposed ? at_small : at_large);
                const int64_t at_y = (n * out + o) * plane[0] * plane[1] +
                                     (conv.is_transposed ? at_large : at_small);
                y[at_y] += weight * x[at_x];
              }
            }
          }
        }
      }
    }
  }
  return y;
}

TEST_P(LayersTest, Convolutions) {
  const Conv convs[] = {
      {{2, 3, 9, 8}, {5, 3, 3, 3}, {2, 1}, {1, 1}, {1, 1}, 1, false, {0, 0}},
      {{1, 4, 7, 7}, {6, 2, 3, 2}, {1, 2}, {0, 1}, {2, 1}, 2, false, {0, 0}},
      {{2, 6, 8, 8}, {6, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 6, false, {0, 0}},
      {{2, 5, 9, 7}, {5, 1, 3, 3}, {2, 2}, {1, 0}, {1, 1}, 5, false, {0, 0}},
      {{2, 3, 9, 6}, {14, 3, 3, 3}, {1, 1}, {0, 2}, {1, 1}, 1, false, {0, 0}},
      {{1, 4, 10, 9}, {4, 4, 3, 3}, {2, 2}, {1, 1}, {1, 1}, 1, false, {0, 0}},
      {{1, 6, 6, 5}, {24, 2, 3, 3}, {2, 2}, {1, 1}, {1, 1}, 3, false, {0, 0}},
      {{1, 4, 6, 5}, {8, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 2, false, {0, 0}},
      {{1, 4, 33, 20}, {12, 4, 5, 3}, {2, 1}, {2, 1}, {1, 1}, 1, false, {0, 0}},
      {{1, 3, 8, 8}, {6, 1, 5, 5}, {2, 2}, {2, 2}, {1, 1}, 3, false, {0, 0}},
      {{2, 9, 5, 5}, {11, 9, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, false, {0, 0}},
      {{1, 5, 15, 15}, {10, 5, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, false, {0, 0}},
      {{1, 5, 6, 6}, {7, 5, 1, 1}, {2, 2}, {0, 0}, {1, 1}, 1, false, {0, 0}},
      {{2, 4, 5, 6}, {4, 3, 3, 3}, {2, 2}, {1, 1}, {1, 1}, 1, true, {1, 0}},
      {{1, 4, 5, 4}, {4, 3, 2, 3}, {3, 1}, {0, 1}, {1, 2}, 2, true, {0, 0}},
  };
  for (const Conv& conv : convs) {
    for (const bool is_clamped : {false, true}) {
      Runner runner(GetParam());
      const Array x = some(conv.x, -1, 1);
      const Array w = some(conv.w, -1, 1, 2);
      const int64_t out = conv.is_transposed ? conv.w[1] * conv.groups : conv.w[0];
      const Array bias = some({out}, -1, 1, 3);
      Array expected = convolved(conv, x, w, bias);
      std::vector<int32_t> ids = {runner.in(x),
                                  runner.constant(w),
                                  runner.constant(bias),
                                  runner.graph.ints(conv.stride),
                                  runner.graph.ints(conv.padding),
                                  runner.graph.ints(conv.dilation),
                                  runner.graph.boolean(conv.is_transposed),
                                  runner.graph.ints(conv.extra),
                                  runner.graph.integer(conv.groups)};
      if (is_clamped) {
        ids.push_back(runner.graph.integer(0));
        ids.push_back(runner.graph.number(1.5));
        for (double& value : expected.values) {
          value = std::fmin(std::fmax(value, 0), 1.5);
        }
      }
      ids.push_back(runner.out(expected.sizes));
      runner.graph.call(is_clamped ? "et_vk.conv_with_clamp.default" : "aten.convolution.default",
                        ids);
      runner.check(expected);
      EXPECT_EQ(runner.executor().num_dispatches(), 1u);
    }
  }
}

TEST_P(LayersTest, ConvolutionsOfOneDimension) {
  Runner runner(GetParam());
  const Array x = some({2, 4, 11}, -1, 1);
  const Array w = some({6, 2, 3}, -1, 1, 2);
  Array expected =
      convolved({{2, 4, 1, 11}, {6, 2, 1, 3}, {1, 2}, {0, 1}, {1, 1}, 2, false, {0, 0}},
                {{2, 4, 1, 11}, x.values}, {{6, 2, 1, 3}, w.values}, zeros({6}));
  expected.sizes = {2, 6, 6};
  runner.graph.call("aten.convolution.default",
                    {runner.in(x), runner.constant(w), runner.graph.none(), runner.graph.ints({2}),
                     runner.graph.ints({1}), runner.graph.ints({1}), runner.graph.boolean(false),
                     runner.graph.ints({0}), runner.graph.integer(2), runner.out({2, 6, 6})});
  runner.check(expected);
}

TEST_P(LayersTest, Pools) {
  const Array x = some({2, 3, 9, 8});
  Runner runner(GetParam());
  const int32_t in = runner.in(x);
  const auto ints = [&](const Shape& items) { return runner.graph.ints(items); };
  const int32_t no = runner.graph.boolean(false);
  const int32_t yes = runner.graph.boolean(true);
  // [3, 2] by [2, 2], padded by [1, 1], the last windows reach over the edge: 5 by 5.
  const int32_t greatest = runner.out({2, 3, 5, 5});
  const int32_t places = runner.out({2, 3, 5, 5}, DType::Int32, DType::Int64);
  runner.graph.call("aten.max_pool2d_with_indices.default",
                    {in, ints({3, 2}), ints({2, 2}), ints({1, 1}), ints({1, 1}), yes,
                     runner.graph.list({greatest, places})});
  runner.graph.call("aten.avg_pool2d.default",
                    {in, ints({3, 2}), ints({2, 2}), ints({1, 1}), yes, yes, runner.graph.none(),
                     runner.out({2, 3, 5, 5})});
  runner.graph.call("aten.avg_pool2d.default", {in, ints({3, 2}), ints({2, 2}), ints({1, 1}), yes,
                                                no, runner.graph.none(), runner.out({2, 3, 5, 5})});
  runner.graph.call("aten._adaptive_avg_pool2d.default",
                    {in, ints({4, 3}), runner.out({2, 3, 4, 3})});
  Array most = zeros({2, 3, 5, 5});
  Array where = most;
  Array mean = most;
  Array inside = most;
  for (int64_t i = 0; i < 150; ++i) {
    const int64_t plane = i / 25;
    const int64_t top = i / 5 % 5 * 2 - 1;
    const int64_t left = i % 5 * 2 - 1;
    double sum = 0;
    int64_t count = 0;
    most[i] = -kInfinity;
    for (int64_t y = std::max<int64_t>(top, 0); y < std::min<int64_t>(top + 3, 9); ++y) {
      for (int64_t z = std::max<int64_t>(left, 0); z < std::min<int64_t>(left + 2, 8); ++z) {
        const double v = x[(plane * 9 + y) * 8 + z];
        where[i] = v > most[i] ? static_cast<double>(y * 8 + z) : where[i];
        most[i] = std::fmax(most[i], v);
        sum += v;
        ++count;
      }
    }
    const int64_t size =
        (std::min<int64_t>(top + 3, 10) - top) * (std::min<int64_t>(left + 2, 9) - left);
    mean[i] = sum / static_cast<double>(size);
    inside[i] = sum / static_cast<double>(count);
  }
  runner.check(most);
  runner.compare(where, runner.result(1), 1e-9);
  runner.compare(mean, runner.result(2));
  runner.compare(inside, runner.result(3));
  Array adaptive = zeros({2, 3, 4, 3});
  for (int64_t i = 0; i < 72; ++i) {
    const int64_t y = i / 3 % 4;
    const int64_t z = i % 3;
    int64_t count = 0;
    for (int64_t u = y * 9 / 4; u < ((y + 1) * 9 + 3) / 4; ++u) {
      for (int64_t v = z * 8 / 3; v < ((z + 1) * 8 + 2) / 3; ++v, ++count) {
        adaptive[i] += x[(i / 12 * 9 + u) * 8 + v];
      }
    }
    adaptive[i] /= static_cast<double>(count);
  }
  runner.compare(adaptive, runner.result(4));
}

TEST_P(LayersTest, Upsampling) {
  const Array x = some({1, 2, 3, 4});
  Runner runner(GetParam());
  const int32_t in = runner.in(x);
  const int32_t none = runner.graph.none();
  runner.graph.call("aten.upsample_nearest2d.vec",
                    {in, none, runner.graph.numbers({2, 1.5}), runner.out({1, 2, 6, 6})});
  runner.graph.call(
      "aten.upsample_bilinear2d.vec",
      {in, runner.graph.ints({5, 7}), runner.graph.boolean(true), none, runner.out({1, 2, 5, 7})});
  runner.graph.call(
      "aten.upsample_bilinear2d.vec",
      {in, runner.graph.ints({6, 2}), runner.graph.boolean(false), none, runner.out({1, 2, 6, 2})});
  Array nearest = zeros({1, 2, 6, 6});
  for (int64_t i = 0; i < 72; ++i) {
    const int64_t column = static_cast<int64_t>(static_cast<double>(i % 6) / 1.5);
    nearest[i] = x[(i / 36 * 3 + i / 6 % 6 / 2) * 4 + column];
  }
  const auto bilinear = [&](int64_t height, int64_t width, bool is_aligned) {
    Array made = zeros({1, 2, height, width});
    const auto source = [&](int64_t at, int64_t from, int64_t to) {
      const double f = static_cast<double>(from);
      const double t = static_cast<double>(to);
      return is_aligned ? static_cast<double>(at) * (f - 1) / (t - 1)
                        : std::fmax((static_cast<double>(at) + 0.5) * f / t - 0.5, 0);
    };
    for (int64_t i = 0; i < 2 * height * width; ++i) {
      const double y = source(i / width % height, 3, height);
      const double z = source(i % width, 4, width);
      const int64_t top = std::min<int64_t>(static_cast<int64_t>(y), 2);
      const int64_t left = std::min<int64_t>(static_cast<int64_t>(z), 3);
      const double v = y - static_cast<double>(top);
      const double u = z - static_cast<double>(left);
      const auto pixel = [&](int64_t row, int64_t column) {
        return x[(i / (height * width) * 3 + std::min<int64_t>(row, 2)) * 4 +
                 std::min<int64_t>(column, 3)];
      };
      made[i] = (1 - v) * ((1 - u) * pixel(top, left) + u * pixel(top, left + 1)) +
                v * ((1 - u) * pixel(top + 1, left) + u * pixel(top + 1, left + 1));
    }
    return made;
  };
  runner.check(nearest);
  runner.compare(bilinear(5, 7, true), runner.result(1));
  runner.compare(bilinear(6, 2, false), runner.result(2));
}

}  // namespace
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
