#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <executorch/backends/vulkan/runtime/testing/runner_for_tests.h>
#include <executorch/runtime/platform/runtime.h>

// Functions of elements, and what moves them, beside the same in double precision.

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

using ElementwiseTest = testing::FloatsTest;

INSTANTIATE_TEST_SUITE_P(, ElementwiseTest, testing::floats(), testing::name_of_float);

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }
double hardsigmoid(double v) { return std::fmin(std::fmax(v + 3, 0), 6) / 6; }

struct Function {
  const char* name;
  double (*of)(double);
  double low;
  double high;
};

const Function kFunctions[] = {
    {"aten.relu.default", [](double v) { return v < 0 ? 0 : v; }, -3, 3},
    {"aten.abs.default", [](double v) { return std::fabs(v); }, -3, 3},
    {"aten.neg.default", [](double v) { return -v; }, -3, 3},
    {"aten.sign.default", [](double v) { return double((v > 0) - (v < 0)); }, -1, 1},
    {"aten.sigmoid.default", sigmoid, -20, 20},
    {"aten.tanh.default", [](double v) { return std::tanh(v); }, -40, 40},
    {"aten.silu.default", [](double v) { return v * sigmoid(v); }, -8, 8},
    {"aten.hardsigmoid.default", hardsigmoid, -5, 5},
    {"aten.hardswish.default", [](double v) { return v * hardsigmoid(v); }, -5, 5},
    {"aten.exp.default", [](double v) { return std::exp(v); }, -4, 4},
    {"aten.log.default", [](double v) { return std::log(v); }, 0.25, 9},
    {"aten.sqrt.default", [](double v) { return std::sqrt(v); }, 0, 9},
    {"aten.rsqrt.default", [](double v) { return 1 / std::sqrt(v); }, 0.25, 9},
    {"aten.sin.default", [](double v) { return std::sin(v); }, -3, 3},
    {"aten.cos.default", [](double v) { return std::cos(v); }, -3, 3},
    {"aten.tan.default", [](double v) { return std::tan(v); }, -1, 1},
    {"aten.atan.default", [](double v) { return std::atan(v); }, -9, 9},
    {"aten.floor.default", [](double v) { return std::floor(v); }, -5, 5},
    {"aten.ceil.default", [](double v) { return std::ceil(v); }, -5, 5},
    {"aten.round.default", [](double v) { return std::nearbyint(v); }, -5, 5},
    {"aten.trunc.default", [](double v) { return std::trunc(v); }, -5, 5},
    {"aten.reciprocal.default", [](double v) { return 1 / v; }, 0.25, 5},
    {"aten.erf.default", [](double v) { return std::erf(v); }, -4, 4},
    {"aten.log1p.default", [](double v) { return std::log1p(v); }, 0, 4},
    {"aten.expm1.default", [](double v) { return std::expm1(v); }, -2, 2},
    {"aten.mish.default", [](double v) { return v * std::tanh(std::log1p(std::exp(v))); }, -9, 30},
};

TEST_P(ElementwiseTest, Functions) {
  for (const Function& function : kFunctions) {
    SCOPED_TRACE(function.name);
    Runner runner(GetParam());
    const Array x = some({3, 67}, function.low, function.high);
    Array expected = x;
    for (double& value : expected.values) {
      value = function.of(value);
    }
    runner.graph.call(function.name, {runner.in(x), runner.out(x.sizes)});
    runner.check(expected);
  }
}

TEST_P(ElementwiseTest, FunctionsWithNumbers) {
  const Array x = some({301}, -4, 4);
  const auto check = [&](const char* name, const std::function<double(double)>& of,
                         const std::function<std::vector<int32_t>(Runner&)>& arguments) {
    SCOPED_TRACE(name);
    Runner runner(GetParam());
    Array expected = x;
    for (double& value : expected.values) {
      value = of(value);
    }
    std::vector<int32_t> ids = {runner.in(x)};
    for (const int32_t id : arguments(runner)) {
      ids.push_back(id);
    }
    ids.push_back(runner.out(x.sizes));
    runner.graph.call(name, ids);
    runner.check(expected);
  };
  using Ids = std::vector<int32_t>;
  check(
      "aten.hardtanh.default", [](double v) { return std::fmin(std::fmax(v, 0), 2.5); },
      [](Runner& r) { return Ids{r.graph.integer(0), r.graph.number(2.5)}; });
  check(
      "aten.clamp.default", [](double v) { return std::fmax(v, -1); },
      [](Runner& r) { return Ids{r.graph.number(-1), r.graph.none()}; });
  check(
      "aten.leaky_relu.default", [](double v) { return v < 0 ? v * 0.25 : v; },
      [](Runner& r) { return Ids{r.graph.number(0.25)}; });
  check(
      "aten.gelu.default", [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); },
      [](Runner& r) { return Ids{r.graph.text("none")}; });
  check(
      "aten.gelu.default",
      [](double v) {
        return 0.5 * v *
               (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (v + 0.044715 * v * v * v)));
      },
      [](Runner& r) { return Ids{r.graph.text("tanh")}; });
  check(
      "aten.add.Scalar", [](double v) { return v + 2 * 3.5; },
      [](Runner& r) { return Ids{r.graph.number(3.5), r.graph.integer(2)}; });
  check(
      "aten.mul.Scalar", [](double v) { return v * 3; },
      [](Runner& r) { return Ids{r.graph.integer(3)}; });
  check(
      "aten.pow.Tensor_Scalar", [](double v) { return v * v * v; },
      [](Runner& r) { return Ids{r.graph.integer(3)}; });
  check(
      "aten.remainder.Scalar", [](double v) { return v - std::floor(v / 1.5) * 1.5; },
      [](Runner& r) { return Ids{r.graph.number(1.5)}; });
}

/// The element of a broadcast array at an index of the whole.
double at(const Array& array, const Shape& whole, int64_t index) {
  int64_t place = 0;
  int64_t stride = 1;
  for (size_t i = 0; i < whole.size(); ++i) {
    const int64_t size = whole[whole.size() - 1 - i];
    const int64_t d = index % size;
    index /= size;
    if (i < array.sizes.size()) {
      const int64_t own = array.sizes[array.sizes.size() - 1 - i];
      place += own == 1 ? 0 : d * stride;
      stride *= own;
    }
  }
  return array[place];
}

TEST_P(ElementwiseTest, TwoArgumentsBroadcast) {
  const std::pair<Shape, Shape> shapes[] = {{{4, 5, 6}, {4, 5, 6}},
                                            {{4, 5, 6}, {6}},
                                            {{4, 1, 6}, {5, 1}},
                                            {{1}, {3, 2}},
                                            {{2, 1, 3, 1, 2}, {1, 2, 1, 2, 1}},
                                            {{}, {7}}};
  struct Named {
    const char* name;
    double (*of)(double, double);
    bool has_alpha;
    bool is_truth;
  };
  const Named functions[] = {
      {"aten.add.Tensor", [](double u, double v) { return u + 0.5 * v; }, true, false},
      {"aten.sub.Tensor", [](double u, double v) { return u - 0.5 * v; }, true, false},
      {"aten.mul.Tensor", [](double u, double v) { return u * v; }, false, false},
      {"aten.div.Tensor", [](double u, double v) { return u / v; }, false, false},
      {"aten.maximum.default", [](double u, double v) { return std::fmax(u, v); }, false, false},
      {"aten.minimum.default", [](double u, double v) { return std::fmin(u, v); }, false, false},
      {"aten.pow.Tensor_Tensor", [](double u, double v) { return std::pow(u, v); }, false, false},
      {"aten.lt.Tensor", [](double u, double v) { return u < v ? 1.0 : 0.0; }, false, true},
      {"aten.eq.Tensor", [](double u, double v) { return u == v ? 1.0 : 0.0; }, false, true},
  };
  for (const auto& [left, right] : shapes) {
    for (const Named& function : functions) {
      SCOPED_TRACE(function.name);
      Runner runner(GetParam());
      const Array a = some(left, 0.5, 3);
      const Array b = some(right, 0.5, 3, 7);
      Shape whole = left.size() > right.size() ? left : right;
      for (size_t i = 0; i < whole.size(); ++i) {
        const size_t from_end = whole.size() - i;
        const int64_t u = from_end <= left.size() ? left[left.size() - from_end] : 1;
        const int64_t v = from_end <= right.size() ? right[right.size() - from_end] : 1;
        whole[i] = std::max(u, v);
      }
      Array expected = zeros(whole);
      for (int64_t i = 0; i < numel(whole); ++i) {
        expected[i] = function.of(at(a, whole, i), at(b, whole, i));
      }
      std::vector<int32_t> ids = {runner.in(a), runner.in(b)};
      if (function.has_alpha) {
        ids.push_back(runner.graph.number(0.5));
      }
      ids.push_back(function.is_truth ? runner.out(whole, DType::Bool, DType::Bool)
                                      : runner.out(whole));
      runner.graph.call(function.name, ids);
      runner.check(expected);
    }
  }
}

TEST_P(ElementwiseTest, ChoiceAndConversion) {
  Runner runner(GetParam());
  const Array condition = {{2, 1, 2}, {0, 1, 1, 0}};
  const Array a = some({3, 2});
  const Array b = some({2, 3, 1}, -2, 2, 5);
  const Shape whole = {2, 3, 2};
  const int32_t chosen = runner.out(whole);
  runner.graph.call("aten.where.self", {runner.in(condition, DType::Bool, DType::Bool),
                                        runner.in(a), runner.in(b), chosen});
  const int32_t numbers = runner.out(whole, DType::Int32, DType::Int64);
  std::vector<int32_t> ids(7, runner.graph.none());
  ids.front() = chosen;
  ids.push_back(numbers);
  runner.graph.call("aten._to_copy.default", ids);
  const int32_t truth = runner.out(whole, DType::Bool, DType::Bool);
  ids.front() = numbers;
  ids.back() = truth;
  runner.graph.call("aten._to_copy.default", ids);
  Array expected = zeros(whole);
  for (int64_t i = 0; i < 12; ++i) {
    expected[i] = at(condition, whole, i) != 0 ? at(a, whole, i) : at(b, whole, i);
  }
  runner.check(expected);
  for (double& value : expected.values) {
    value = std::trunc(value);
  }
  runner.compare(expected, runner.result(1));
  for (double& value : expected.values) {
    value = value != 0 ? 1 : 0;
  }
  runner.compare(expected, runner.result(2));
}

/// One call of an operator that moves elements: result element i is x[from(i)], or `otherwise`.
void check_move(DType type, const char* name, const Array& x, const Shape& sizes,
                const std::function<std::vector<int32_t>(Runner&)>& arguments,
                const std::function<int64_t(const Shape&)>& from, double otherwise = 0) {
  SCOPED_TRACE(name);
  Runner runner(type);
  std::vector<int32_t> ids = {runner.in(x)};
  for (const int32_t id : arguments(runner)) {
    ids.push_back(id);
  }
  ids.push_back(runner.out(sizes));
  runner.graph.call(name, ids);
  Array expected = zeros(sizes);
  for (int64_t i = 0; i < numel(sizes); ++i) {
    Shape index(sizes.size());
    int64_t rest = i;
    for (size_t d = sizes.size(); d-- > 0;) {
      index[d] = rest % sizes[d];
      rest /= sizes[d];
    }
    const int64_t place = from(index);
    expected[i] = place < 0 ? otherwise : x[place];
  }
  runner.check(expected);
}

TEST_P(ElementwiseTest, Moves) {
  using Ids = std::vector<int32_t>;
  const Array x = some({2, 3, 4, 5});
  const auto place = [](int64_t a, int64_t b, int64_t c, int64_t d) {
    return ((a * 3 + b) * 4 + c) * 5 + d;
  };
  check_move(
      GetParam(), "aten.permute_copy.default", x, {4, 2, 5, 3},
      [](Runner& r) { return Ids{r.graph.ints({2, 0, 3, 1})}; },
      [&](const Shape& i) { return place(i[1], i[3], i[0], i[2]); });
  check_move(
      GetParam(), "aten.slice_copy.Tensor", x, {2, 3, 4, 2},
      [](Runner& r) {
        return Ids{r.graph.integer(3), r.graph.integer(1), r.graph.integer(INT64_MAX),
                   r.graph.integer(2)};
      },
      [&](const Shape& i) { return place(i[0], i[1], i[2], 1 + 2 * i[3]); });
  check_move(
      GetParam(), "aten.select_copy.int", x, {2, 4, 5},
      [](Runner& r) { return Ids{r.graph.integer(1), r.graph.integer(2)}; },
      [&](const Shape& i) { return place(i[0], 2, i[1], i[2]); });
  check_move(
      GetParam(), "aten.view_copy.default", x, {6, 20},
      [](Runner& r) { return Ids{r.graph.ints({6, -1})}; },
      [](const Shape& i) { return i[0] * 20 + i[1]; });
  check_move(
      GetParam(), "aten.flip.default", x, {2, 3, 4, 5},
      [](Runner& r) { return Ids{r.graph.ints({1, 3})}; },
      [&](const Shape& i) { return place(i[0], 2 - i[1], i[2], 4 - i[3]); });
  check_move(
      GetParam(), "aten.repeat.default", x, {2, 2, 6, 4, 10},
      [](Runner& r) { return Ids{r.graph.ints({2, 1, 2, 1, 2})}; },
      [&](const Shape& i) { return place(i[1], i[2] % 3, i[3], i[4] % 5); });
  check_move(
      GetParam(), "aten.constant_pad_nd.default", x, {2, 3, 5, 8},
      [](Runner& r) { return Ids{r.graph.ints({2, 1, -1, 2}), r.graph.number(0.5)}; },
      [&](const Shape& i) {
        const int64_t c = i[2] + 1;
        const int64_t d = i[3] - 2;
        return c < 4 && d >= 0 && d < 5 ? place(i[0], i[1], c, d) : -1;
      },
      0.5);
  check_move(
      GetParam(), "aten.reflection_pad2d.default", x, {2, 3, 4, 9},
      [](Runner& r) { return Ids{r.graph.ints({2, 2, 0, 0})}; },
      [&](const Shape& i) {
        const int64_t d = std::abs(i[3] - 2);
        return place(i[0], i[1], i[2], d > 4 ? 8 - d : d);
      });
  const Array line = some({3, 1, 2});
  check_move(
      GetParam(), "aten.expand_copy.default", line, {2, 3, 4, 2},
      [](Runner& r) { return Ids{r.graph.ints({2, -1, 4, 2}), r.graph.boolean(false)}; },
      [](const Shape& i) { return i[1] * 2 + i[3]; });
}

TEST_P(ElementwiseTest, Parts) {
  Runner runner(GetParam());
  const Array a = some({2, 3, 2});
  const Array b = some({2, 1, 2}, -2, 2, 3);
  const int32_t whole = runner.out({2, 4, 2});
  runner.graph.call("aten.cat.default", {runner.graph.list({runner.in(a), runner.in(b)}),
                                         runner.graph.integer(1), whole});
  Array expected = zeros({2, 4, 2});
  for (int64_t i = 0; i < 2; ++i) {
    std::copy_n(&a.values[static_cast<size_t>(i * 6)], 6,
                &expected.values[static_cast<size_t>(i * 8)]);
    std::copy_n(&b.values[static_cast<size_t>(i * 2)], 2,
                &expected.values[static_cast<size_t>(i * 8 + 6)]);
  }
  runner.check(expected);
  EXPECT_EQ(runner.executor().num_dispatches(), 2u);
}

TEST_P(ElementwiseTest, Numbers) {
  Runner runner(GetParam());
  const Array x = some({5, 4, 3});
  const Array index = {{2, 2}, {4, 0, 1, -1}};
  const Array flat = {{3}, {2, 2, 0}};
  const int32_t table = runner.constant(x);
  const int32_t rows = runner.constant({{5, 12}, x.values});
  const int32_t none = runner.graph.none();
  runner.graph.call("aten.embedding.default", {rows, runner.in(index, DType::Int32, DType::Int64),
                                               none, none, none, runner.out({2, 2, 12})});
  const int32_t chosen = runner.in(flat, DType::Int32, DType::Int64);
  runner.graph.call("aten.index_select.default",
                    {table, runner.graph.integer(1), chosen, runner.out({5, 3, 3})});
  const Array places = {{5, 4, 1}, std::vector<double>(20, 2)};
  runner.graph.call("aten.gather.default",
                    {table, runner.graph.integer(2), runner.in(places, DType::Int32, DType::Int64),
                     none, runner.out({5, 4, 1})});
  runner.graph.call("aten.arange.start_step",
                    {runner.graph.integer(3), runner.graph.integer(11), runner.graph.integer(2),
                     none, none, none, none, runner.out({4}, DType::Int32, DType::Int64)});
  runner.graph.call("aten.full.default", {runner.graph.ints({2, 2}), runner.graph.number(1.5), none,
                                          none, none, none, runner.out({2, 2})});
  Array expected = zeros({2, 2, 12});
  const int64_t numbers[] = {4, 0, 1, 4};
  for (int64_t i = 0; i < 48; ++i) {
    expected[i] = x[numbers[i / 12] * 12 + i % 12];
  }
  runner.check(expected);
  expected = zeros({5, 3, 3});
  for (int64_t i = 0; i < 45; ++i) {
    expected[i] = x[i / 9 * 12 + static_cast<int64_t>(flat[i / 3 % 3]) * 3 + i % 3];
  }
  runner.compare(expected, runner.result(1));
  expected = zeros({5, 4, 1});
  for (int64_t i = 0; i < 20; ++i) {
    expected[i] = x[i * 3 + 2];
  }
  runner.compare(expected, runner.result(2));
  runner.compare({{4}, {3, 5, 7, 9}}, runner.result(3));
  runner.compare({{2, 2}, {1.5, 1.5, 1.5, 1.5}}, runner.result(4));
}

TEST(IntegersTest, AreExactAndKeepTheirSigns) {
  runtime::runtime_init();
  Runner runner;
  const Array a = {{6}, {7, -7, 7, -7, 0, 2147483000}};
  const Array b = {{6}, {2, 2, -2, -2, 5, 1}};
  const int32_t left = runner.in(a, DType::Int32, DType::Int64);
  const int32_t right = runner.in(b, DType::Int32, DType::Int32);
  const auto out = [&] { return runner.out({6}, DType::Int32, DType::Int64); };
  runner.graph.call("aten.floor_divide.default", {left, right, out()});
  runner.graph.call("aten.remainder.Tensor", {left, right, out()});
  runner.graph.call("aten.add.Tensor", {left, right, runner.graph.integer(3), out()});
  runner.graph.call("aten.bitwise_and.Tensor", {left, right, out()});
  runner.check({{6}, {3, -4, -4, 3, 0, 2147483000}}, 1e-12);
  runner.compare({{6}, {1, 1, -1, -1, 0, 0}}, runner.result(1), 1e-12);
  runner.compare({{6}, {13, -1, 1, -13, 15, 2147483003}}, runner.result(2), 1e-12);
  runner.compare({{6}, {2, 0, 6, -8, 0, 0}}, runner.result(3), 1e-12);
  runner.set(0, {{6}, {3e9, 0, 0, 0, 0, 0}});
  EXPECT_EQ(runner.execute(), runtime::Error::InvalidArgument);
}

}  // namespace
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
