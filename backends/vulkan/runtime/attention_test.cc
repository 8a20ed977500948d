#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <executorch/backends/vulkan/runtime/testing/runner_for_tests.h>

// Caches, attention over them and rotary embeddings, beside the same in double precision.

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

using runtime::Error;
using testing::Array;
using testing::numel;
using testing::Runner;
using testing::Shape;
using testing::some;
using testing::zeros;

using AttentionTest = testing::FloatsTest;

INSTANTIATE_TEST_SUITE_P(, AttentionTest, testing::floats(), testing::name_of_float);

/// A number of each run: the first element of an input.
int32_t position_of(Runner& runner, double value) {
  const int32_t given = runner.in({{1}, {value}}, DType::Int32, DType::Int64);
  const int32_t position = runner.graph.size();
  runner.graph.call("et_vk.select_as_symint.default",
                    {given, runner.graph.integer(0), runner.graph.integer(0), position});
  return position;
}

int32_t state(Runner& runner, const Shape& sizes, int32_t first) {
  const int32_t made = runner.graph.tensor(sizes, runner.type(), DType::Float);
  runner.graph.call("et_vk.state.default", {first, made});
  return made;
}

struct Case {
  int64_t batches, queries, heads, key_heads, size, capacity;
};

/// @param seen How many keys the first query sees; each that follows sees one more if `is_causal`.
Array attended(const Case& at, const Array& q, const Array& k, const Array& v, int64_t seen,
               bool is_causal, const Array* mask) {
  Array made = zeros(q.sizes);
  for (int64_t row = 0; row < at.batches * at.queries * at.heads; ++row) {
    const int64_t head = row % at.heads;
    const int64_t query = row / at.heads % at.queries;
    const int64_t batch = row / at.heads / at.queries;
    const int64_t key_head = head / (at.heads / at.key_heads);
    const int64_t keys = is_causal ? seen + query : seen;
    double total = 0;
    for (int64_t key = 0; key < keys; ++key) {
      const int64_t place = ((batch * at.capacity + key) * at.key_heads + key_head) * at.size;
      double score = 0;
      for (int64_t d = 0; d < at.size; ++d) {
        score += q[row * at.size + d] * k[place + d];
      }
      score = score / std::sqrt(double(at.size)) +
              (mask == nullptr ? 0 : (*mask)[query * at.capacity + key]);
      total += std::exp(score);
      for (int64_t d = 0; d < at.size; ++d) {
        made[row * at.size + d] += std::exp(score) * v[place + d];
      }
    }
    for (int64_t d = 0; d < at.size && total > 0; ++d) {
      made[row * at.size + d] /= total;
    }
  }
  return made;
}

constexpr Case kCases[] = {{1, 1, 4, 2, 32, 130}, {2, 5, 2, 2, 4, 7},   {1, 3, 3, 1, 36, 200},
                           {1, 2, 2, 1, 256, 9},  {1, 1, 1, 1, 64, 64}, {1, 65, 2, 1, 8, 70}};

TEST_P(AttentionTest, OverCaches) {
  for (const Case& at : kCases) {
    const Shape keys = {at.batches, at.capacity, at.key_heads, at.size};
    const Array q = some({at.batches, at.queries, at.heads, at.size}, -1, 1);
    const Array k = some(keys, -1, 1, 2);
    const Array v = some(keys, -1, 1, 3);
    for (const bool is_causal : {true, false}) {
      Runner runner(GetParam());
      const int32_t query = runner.in(q);
      const int32_t key = runner.in(k);
      const int32_t value = runner.in(v);
      const int32_t position = position_of(runner, 0);
      runner.graph.call(
          "llama.custom_sdpa.default",
          {query, key, value, position, runner.graph.none(), runner.graph.number(0),
           runner.graph.boolean(is_causal), runner.graph.none(), runner.out(q.sizes)});
      ASSERT_EQ(runner.load(), Error::Ok);
      for (const int64_t start : {int64_t(0), at.capacity - at.queries}) {
        runner.set(3, {{1}, {double(start)}});
        ASSERT_EQ(runner.execute(), Error::Ok);
        const int64_t seen = is_causal ? start + 1 : start + at.queries;
        runner.compare(attended(at, q, k, v, seen, is_causal, nullptr), runner.result());
      }
      runner.set(3, {{1}, {double(at.capacity - at.queries + 1)}});
      EXPECT_EQ(runner.execute(), Error::InvalidArgument);
      runner.set(3, {{1}, {-1}});
      EXPECT_EQ(runner.execute(), Error::InvalidArgument);
    }
  }
}

TEST_P(AttentionTest, UnderAMask) {
  for (const Case& at : kCases) {
    const Shape keys = {at.batches, at.capacity, at.key_heads, at.size};
    const Array q = some({at.batches, at.queries, at.heads, at.size}, -1, 1);
    const Array k = some(keys, -1, 1, 2);
    const Array v = some(keys, -1, 1, 3);
    Array mask = some({at.queries, at.capacity}, -1, 1, 4);
    for (int64_t i = 0; i < at.queries * at.capacity; ++i) {
      // The first query sees nothing at all.
      if (i < at.capacity || i % 3 == 0) {
        mask[i] = -std::numeric_limits<double>::infinity();
      }
    }
    Runner runner(GetParam());
    const int32_t query = runner.in(q);
    const int32_t key = runner.in(k);
    const int32_t value = runner.in(v);
    runner.graph.call(
        "llama.custom_sdpa.default",
        {query, key, value, runner.graph.integer(0), runner.in(mask), runner.graph.number(0),
         runner.graph.boolean(false), runner.graph.none(), runner.out(q.sizes)});
    runner.check(attended(at, q, k, v, at.capacity, false, &mask));
  }
}

/// Integers of int8, spread over all of them.
Array bytes(const Shape& sizes, uint32_t seed) {
  Array made = some(sizes, -128, 128, seed);
  for (double& value : made.values) {
    value = std::floor(value);
  }
  return made;
}

/// A tensor of int8 with a scale and a zero point for each line, and what it stands for.
struct Quantized {
  Array integers, zeros, scales, floats;

  Quantized(const Shape& sizes, uint32_t seed) : integers(bytes(sizes, seed)) {
    Shape lines = sizes;
    lines.back() = 1;
    zeros = bytes(lines, seed + 1);
    scales = some(lines, 0.25, 1, seed + 2);
    for (double& scale : scales.values) {
      scale /= 128;
    }
    floats = integers;
    for (size_t i = 0; i < floats.values.size(); ++i) {
      const int64_t line = int64_t(i) / sizes.back();
      floats.values[i] = (floats.values[i] - zeros[line]) * scales[line];
    }
  }
};

TEST_P(AttentionTest, OverCachesOfBytes) {
  for (const Case& at : kCases) {
    const Shape keys = {at.batches, at.capacity, at.key_heads, at.size};
    const Quantized q({at.batches, at.queries, at.heads, at.size}, 1);
    const Quantized k(keys, 11);
    const Quantized v(keys, 21);
    for (const bool is_causal : {true, false}) {
      Runner runner(GetParam());
      std::vector<int32_t> integers;
      std::vector<int32_t> factors;
      for (const Quantized* one : {&q, &k, &v}) {
        integers.push_back(runner.in(one->integers, DType::Int8, DType::Int8));
        factors.push_back(runner.in(one->zeros, DType::Int8, DType::Int8));
        factors.push_back(runner.in(one->scales, DType::Float, DType::Float));
      }
      const int32_t position = position_of(runner, 0);
      std::vector<int32_t> given = {integers[0],
                                    integers[1],
                                    integers[2],
                                    position,
                                    runner.graph.none(),
                                    runner.graph.number(0),
                                    runner.graph.boolean(is_causal),
                                    runner.graph.none()};
      given.insert(given.end(), factors.begin(), factors.end());
      given.push_back(runner.graph.boolean(false));
      given.push_back(runner.out(q.integers.sizes));
      runner.graph.call("llama.custom_quantized_sdpa.default", given);
      ASSERT_EQ(runner.load(), Error::Ok);
      for (const int64_t start : {int64_t(0), at.capacity - at.queries}) {
        runner.set(9, {{1}, {double(start)}});
        ASSERT_EQ(runner.execute(), Error::Ok);
        const int64_t seen = is_causal ? start + 1 : start + at.queries;
        runner.compare(attended(at, q.floats, k.floats, v.floats, seen, is_causal, nullptr),
                       runner.result());
      }
    }
  }
}

TEST_P(AttentionTest, LinesAreQuantizedEachByItsOwn) {
  for (const Shape& sizes : {Shape{2, 3, 2, 64}, Shape{1, 5, 1, 6}, Shape{7, 1}, Shape{3, 130}}) {
    const Array x = some(sizes, -3, 1);
    Shape lines = sizes;
    lines.back() = 1;
    Runner runner(GetParam());
    const int32_t given = runner.in(x);
    const int32_t values = runner.out(sizes, DType::Int8, DType::Int8);
    const int32_t scales = runner.out(lines, DType::Float, DType::Float);
    const int32_t zeros = runner.out(lines, DType::Int8, DType::Int8);
    runner.graph.call("et_vk.quantize_per_token.default",
                      {given, runner.graph.list({values, scales, zeros})});
    ASSERT_EQ(runner.load(), Error::Ok);
    ASSERT_EQ(runner.execute(), Error::Ok);
    for (int64_t line = 0; line < numel(lines); ++line) {
      double low = 0;
      double high = 0;
      for (int64_t i = line * sizes.back(); i < (line + 1) * sizes.back(); ++i) {
        low = std::min(low, x[i]);
        high = std::max(high, x[i]);
      }
      const double scale = std::max((high - low) / 255, 1.1920929e-07);
      const bool is_from_low = (low + high) / scale - 1 > 0;
      const double zero = is_from_low ? -128 - low / scale : 127 - high / scale;
      EXPECT_NEAR(runner.result(1)[line], scale, scale * 1e-6);
      ASSERT_NEAR(runner.result(2)[line], std::min(std::max(zero, -128.0), 127.0), 0.501);
      for (int64_t i = line * sizes.back(); i < (line + 1) * sizes.back(); ++i) {
        const double want = x[i] / scale + runner.result(2)[line];
        // Numbers between two integers may be rounded either way.
        ASSERT_NEAR(runner.result(0)[i], std::min(std::max(want, -128.0), 127.0), 0.501);
      }
    }
  }
}

TEST_P(AttentionTest, FloatsOfBytes) {
  for (const Shape& sizes : {Shape{2, 3, 2, 8}, Shape{1, 5, 1, 3}, Shape{7, 1}}) {
    const Quantized x(sizes, 5);
    Runner runner(GetParam());
    const int32_t integers = runner.in(x.integers, DType::Int8, DType::Int8);
    const int32_t scales = runner.in(x.scales, DType::Float, DType::Float);
    const int32_t zeros = runner.in(x.zeros, DType::Int8, DType::Int8);
    runner.graph.call("quantized_decomposed.dequantize_per_token.default",
                      {integers, scales, zeros, runner.out(sizes)});
    runner.check(x.floats);
  }
}

TEST_P(AttentionTest, BytesAreWrittenWhereNoWordBegins) {
  struct Places {
    Shape values;
    int64_t capacity;
  };
  for (const Places& at : {Places{{1, 2, 3, 1}, 7}, Places{{1, 1, 1, 1}, 5},
                           Places{{1, 3, 2, 4}, 6}, Places{{2, 1, 2, 1}, 4}}) {
    Shape sizes = at.values;
    sizes[1] = at.capacity;
    const Array first = bytes(sizes, 3);
    Runner runner(GetParam());
    const int32_t value = runner.in(bytes(at.values, 1), DType::Int8, DType::Int8);
    const int32_t position = position_of(runner, 0);
    const int32_t cache = runner.graph.tensor(sizes, DType::Int8, DType::Int8);
    runner.graph.call("et_vk.state.default",
                      {runner.constant(first, DType::Int8, DType::Int8), cache});
    runner.graph.call("llama.update_cache.default", {value, cache, position, cache});
    const Shape turned = {sizes[0], sizes[2], sizes[1], sizes[3]};
    runner.graph.call("aten.permute_copy.default", {cache, runner.graph.ints({0, 2, 1, 3}),
                                                    runner.out(turned, DType::Int8, DType::Int8)});
    ASSERT_EQ(runner.load(), Error::Ok);
    Array expected = first;
    const int64_t row = sizes[2] * sizes[3];
    for (int64_t start = 0; start + at.values[1] <= at.capacity; ++start) {
      const Array given = bytes(at.values, uint32_t(start) + 7);
      runner.set(0, given);
      runner.set(1, {{1}, {double(start)}});
      ASSERT_EQ(runner.execute(), Error::Ok);
      Array moved = zeros(turned);
      for (int64_t batch = 0; batch < sizes[0]; ++batch) {
        std::copy_n(given.values.begin() + batch * at.values[1] * row, at.values[1] * row,
                    expected.values.begin() + (batch * at.capacity + start) * row);
      }
      for (int64_t i = 0; i < numel(sizes); ++i) {
        const int64_t d = i % sizes[3];
        const int64_t head = i / sizes[3] % sizes[2];
        const int64_t place = i / row % at.capacity;
        const int64_t batch = i / row / at.capacity;
        moved[((batch * sizes[2] + head) * at.capacity + place) * sizes[3] + d] = expected[i];
      }
      runner.compare(moved, runner.result());
    }
  }
}

TEST_P(AttentionTest, CachesLastFromRunToRun) {
  const Shape sizes = {1, 6, 2, 4};
  const Array first = some(sizes, -1, 1, 7);
  const Array values = some({1, 2, 2, 4}, -1, 1, 2);
  Runner runner(GetParam());
  const int32_t value = runner.in(values);
  const int32_t position = position_of(runner, 1);
  const int32_t empty = state(runner, sizes, runner.graph.none());
  const int32_t full = state(runner, sizes, runner.constant(first));
  for (const int32_t cache : {empty, full}) {
    runner.graph.call("llama.update_cache.default", {value, cache, position, cache});
    runner.graph.call("aten.mul.Scalar", {cache, runner.graph.number(2), runner.out(sizes)});
  }
  ASSERT_EQ(runner.load(), Error::Ok);
  Array expected[] = {zeros(sizes), first};
  for (const int64_t start : {1, 4, 3}) {
    const Array given = some({1, 2, 2, 4}, -1, 1, uint32_t(start));
    runner.set(0, given);
    runner.set(1, {{1}, {double(start)}});
    ASSERT_EQ(runner.execute(), Error::Ok);
    EXPECT_TRUE(runner.executor().is_recorded());
    for (size_t nth = 0; nth < 2; ++nth) {
      std::copy(given.values.begin(), given.values.end(), expected[nth].values.begin() + start * 8);
      Array twice = expected[nth];
      for (double& one : twice.values) {
        one *= 2;
      }
      runner.compare(twice, runner.result(nth));
    }
  }
  // Behind the end, nothing is written.
  runner.set(1, {{1}, {5}});
  EXPECT_EQ(runner.execute(), Error::InvalidArgument);
}

TEST_P(AttentionTest, SlicesAreReadElsewhereThanTheyAreWritten) {
  enum class Own { Nothing, Values, Places };
  const auto load = [&](Own own) {
    Runner runner(GetParam());
    const int32_t numbers = runner.constant({{3}, {2, 0, 1}}, DType::Int32, DType::Int32);
    const int32_t kept = runner.graph.tensor({3}, DType::Int32, DType::Int32);
    runner.graph.call("et_vk.state.default", {numbers, kept});
    runner.graph.call("aten.index_put.default",
                      {kept, runner.graph.list({own == Own::Places ? kept : numbers}),
                       own == Own::Values ? kept : numbers, runner.graph.boolean(false), kept});
    const int32_t out = runner.out({3}, DType::Int32, DType::Int32);
    runner.graph.call("aten.abs.default", {kept, out});
    return runner.load();
  };
  EXPECT_EQ(load(Own::Nothing), Error::Ok);
  EXPECT_EQ(load(Own::Values), Error::NotSupported);
  EXPECT_EQ(load(Own::Places), Error::NotSupported);
}

TEST_P(AttentionTest, StateThatIsNoneIsRefused) {
  const auto load = [&](const auto& add) {
    Runner runner(GetParam());
    const int32_t given = runner.in(some({4}));
    add(runner, given);
    runner.graph.call("aten.relu.default", {given, runner.out({4})});
    return runner.load();
  };
  EXPECT_EQ(load([](Runner& runner, int32_t given) { (void)state(runner, {4}, given); }),
            Error::DelegateInvalidCompatibility);
  EXPECT_EQ(
      load([](Runner& runner, int32_t) { (void)state(runner, {4}, runner.constant(some({3}))); }),
      Error::DelegateInvalidCompatibility);
  EXPECT_EQ(load([](Runner& runner, int32_t) {
              const int32_t twice = state(runner, {4}, runner.graph.none());
              runner.graph.call("et_vk.state.default", {runner.graph.none(), twice});
            }),
            Error::DelegateInvalidCompatibility);
  EXPECT_EQ(load([](Runner& runner, int32_t) { runner.graph.call("et_vk.state.default", {}); }),
            Error::DelegateInvalidCompatibility);
  EXPECT_EQ(load([](Runner& runner, int32_t given) {
              runner.graph.call(
                  "et_vk.select_as_symint.default",
                  {given, runner.graph.integer(0), runner.graph.integer(0), runner.graph.size()});
            }),
            Error::DelegateInvalidCompatibility);
}

TEST_P(AttentionTest, APositionThatBecomesASizeIsRecordedAnew) {
  Runner runner(GetParam());
  const Array x = some({5});
  const int32_t given = runner.in(x);
  const int32_t position = position_of(runner, 1);
  runner.graph.call("aten.slice_copy.Tensor",
                    {given, runner.graph.integer(0), runner.graph.integer(0), position,
                     runner.graph.integer(1), runner.out({5})});
  ASSERT_EQ(runner.load(), Error::Ok);
  for (const int64_t count : {2, 5, 1}) {
    runner.set(1, {{1}, {double(count)}});
    ASSERT_EQ(runner.execute(), Error::Ok);
    runner.compare({{count}, {x.values.begin(), x.values.begin() + count}}, runner.result());
  }
}

TEST_P(AttentionTest, RotaryEmbeddings) {
  const Shape sizes = {2, 3, 2, 6};
  const Array x = some(sizes, -1, 1);
  const Array cosines = some({7, 3}, -1, 1, 2);
  const Array sines = some({7, 3}, -1, 1, 3);
  for (const bool is_live : {true, false}) {
    Runner runner(GetParam());
    const int32_t given = runner.in(x);
    const int32_t position = is_live ? position_of(runner, 0) : runner.graph.integer(4);
    runner.graph.call(
        "et_vk.rotary_embedding.default",
        {given, runner.constant(cosines), runner.constant(sines), position, runner.out(sizes)});
    ASSERT_EQ(runner.load(), Error::Ok);
    for (const int64_t start : {0, 4}) {
      if (is_live) {
        runner.set(1, {{1}, {double(start)}});
      } else if (start != 4) {
        continue;
      }
      Array expected = zeros(sizes);
      for (int64_t i = 0; i < 36; ++i) {
        const int64_t angle = (start + i / 6 % 3) * 3 + i % 3;
        const double a = x[2 * i];
        const double b = x[2 * i + 1];
        expected[2 * i] = a * cosines[angle] - b * sines[angle];
        expected[2 * i + 1] = a * sines[angle] + b * cosines[angle];
      }
      ASSERT_EQ(runner.execute(), Error::Ok);
      runner.compare(expected, runner.result());
    }
  }
}

}  // namespace
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
