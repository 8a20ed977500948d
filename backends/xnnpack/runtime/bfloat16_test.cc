#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/xnnpack/runtime/bfloat16.h>
#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_builder.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_for_tests.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/platform/runtime.h>

// Numbers of bfloat16: each is a float, a float has the nearest of them, and graphs of them
// calculate.

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using aten::ScalarType;
using runtime::Error;
using runtime::EValue;
using testing::NamedData;
using Graph = testing::GraphBuilder;
using Factory = runtime::testing::TensorFactory<ScalarType::BFloat16>;

constexpr testing::Type kNarrow = {testing::Datatype::xnn_datatype_bf16};

uint16_t narrowed(float wide) {
  uint16_t bits = 0;
  narrow(&wide, 1, &bits);
  return bits;
}

TEST(Bfloat16Test, EveryNumberIsItselfAgain) {
  for (uint32_t bits = 0; bits <= UINT16_MAX; ++bits) {
    const auto one = static_cast<uint16_t>(bits);
    float wide = 0;
    widen(&one, 1, &wide);
    if (std::isnan(wide)) {
      EXPECT_EQ(narrowed(wide) & 0x7FC0, 0x7FC0) << bits;
    } else {
      EXPECT_EQ(narrowed(wide), one);
    }
  }
}

TEST(Bfloat16Test, IsTheNearestOrOfTwoTheEvenOne) {
  EXPECT_EQ(narrowed(1.0F + 0x1p-8F), 0x3F80);
  EXPECT_EQ(narrowed(1.0F + 0x1.8p-8F), 0x3F81);
  EXPECT_EQ(narrowed(1.0F + 0x1.8p-7F), 0x3F82);
  EXPECT_EQ(narrowed(-1.0F - 0x1.8p-7F), 0xBF82);
  EXPECT_EQ(narrowed(std::numeric_limits<float>::max()), 0x7F80);
  // Of a NaN whose lower bits alone say so, too.
  const uint32_t bits = 0x7F800001;
  float wide = 0;
  std::memcpy(&wide, &bits, sizeof(wide));
  EXPECT_EQ(narrowed(wide), 0x7FC0);
}

class Bfloat16GraphTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  /// A constant of bfloat16 in the named data: two numbers to a float.
  void store(const std::string& key, const std::vector<float>& numbers) {
    std::vector<float>& stored = named_.data[key];
    stored.resize((numbers.size() + 1) / 2);
    narrow(numbers.data(), numbers.size(), reinterpret_cast<uint16_t*>(stored.data()));
  }

  std::unique_ptr<Executor> make(Graph& graph) {
    bytes_ = graph.blob();
    const auto blob = Blob::parse(bytes_.data(), bytes_.size());
    EXPECT_TRUE(blob.ok());
    auto made = Executor::create(*blob, &named_, {});
    return made.ok() ? std::move(*made) : nullptr;
  }

  void expect(Executor& executor, const std::vector<float>& x, const std::vector<float>& wanted,
              int32_t columns) {
    EValue in(factory_.make({1, int32_t(x.size())}, {x.begin(), x.end()}));
    EValue out(factory_.zeros({1, columns}));
    EValue* args[] = {&in, &out};
    ASSERT_EQ(executor.execute({args, 2}), Error::Ok);
    for (int32_t i = 0; i < columns; ++i) {
      EXPECT_EQ(float(out.toTensor().const_data_ptr<aten::BFloat16>()[i]), wanted[size_t(i)]);
    }
  }

  NamedData named_;
  std::string bytes_;
  Factory factory_;
};

TEST_F(Bfloat16GraphTest, ALinearLayerAddsUpFloats) {
  store("filter", {256, 1, 1, 0, 1, -1});
  named_.data["bias"] = {0.5F, 0.25F};
  Graph graph;
  const auto x = graph.input({1, 3}, kNarrow);
  const auto filter = graph.constant({2, 3}, "filter", kNarrow);
  const auto bias = graph.constant({2}, "bias");
  graph.linear(x, filter, bias, graph.output({1, 2}, kNarrow));
  const auto executor = make(graph);
  ASSERT_NE(executor, nullptr);
  // 256 + 1 would be 256 in bfloat16, and so with another 1: 258.5 is rounded once.
  expect(*executor, {1, 1, 1}, {258, 0.25F}, 2);
  EXPECT_EQ(named_.num_freed, 2) << "packed weights are all that is left";
}

TEST_F(Bfloat16GraphTest, AConstantIsReadWheneverItRuns) {
  store("summand", {1, 2, 3});
  Graph graph;
  const auto x = graph.input({1, 3}, kNarrow);
  const auto summand = graph.constant({1, 3}, "summand", kNarrow);
  graph.binary(Graph::Kind::XNNAdd, x, summand, graph.output({1, 3}, kNarrow));
  const auto executor = make(graph);
  ASSERT_NE(executor, nullptr);
  expect(*executor, {10, 20, 30}, {11, 22, 33}, 3);
  expect(*executor, {0, 0, 0.5F}, {1, 2, 3.5F}, 3);
}

TEST_F(Bfloat16GraphTest, ConstantsThatAreTooShortAndOtherDtypesAreRefused) {
  const auto layer = [this] {
    Graph graph;
    const auto x = graph.input({1, 3}, kNarrow);
    const auto filter = graph.constant({2, 3}, "filter", kNarrow);
    graph.linear(x, filter, testing::kNone, graph.output({1, 2}, kNarrow));
    return make(graph);
  };
  store("filter", {1, 1, 1, 1});
  EXPECT_EQ(layer(), nullptr);

  store("filter", {1, 1, 1, 1, 1, 1});
  const auto executor = layer();
  ASSERT_NE(executor, nullptr);
  runtime::testing::TensorFactory<ScalarType::Float> floats;
  EValue in(floats.ones({1, 3}));
  EValue out(factory_.zeros({1, 2}));
  EValue* args[] = {&in, &out};
  EXPECT_EQ(executor->execute({args, 2}), Error::InvalidArgument);
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
