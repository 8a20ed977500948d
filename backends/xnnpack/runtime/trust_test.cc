#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/xnnpack/runtime/XNNWeightsCache.h>
#include <executorch/backends/xnnpack/runtime/XnnpackBackendOptions.h>
#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_for_tests.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/platform/runtime.h>

// Weights of one program do not reach another, whatever they are called.

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using aten::ScalarType;
using runtime::BackendInitContext;
using runtime::BackendOption;
using runtime::BackendOptions;
using runtime::Error;
using runtime::EValue;
using runtime::MemoryAllocator;
using testing::GraphForTests;

class TrustTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  std::shared_ptr<PackedWeights> resolve(const runtime::NamedDataMap* named,
                                         runtime::Span<const BackendOption> options = {}) {
    return resolve(allocator_, named, options);
  }
  std::shared_ptr<PackedWeights> resolve(MemoryAllocator& allocator,
                                         const runtime::NamedDataMap* named,
                                         runtime::Span<const BackendOption> options = {}) {
    BackendInitContext context(&allocator, nullptr, "forward", named, options);
    const auto found = options_.resolve_packed_weights(context);
    return found.ok() ? *found : nullptr;
  }

  uint8_t memory_[64] = {};
  MemoryAllocator allocator_{sizeof(memory_), memory_};
  XnnpackBackendOptions options_;
};

TEST_F(TrustTest, ProgramsShareWithinThemselves) {
  const testing::NamedData one;
  const testing::NamedData other;
  const auto store = resolve(&one);
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store, resolve(&one));
  EXPECT_NE(store, resolve(&other));
}

TEST_F(TrustTest, MethodsWithoutNamedDataShareWithinThemselves) {
  MemoryAllocator other(sizeof(memory_), memory_);
  const auto store = resolve(nullptr);
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store, resolve(nullptr));
  EXPECT_NE(store, resolve(other, nullptr));
}

TEST_F(TrustTest, GroupsAreNamedByTheApplication) {
  const testing::NamedData one;
  const testing::NamedData other;
  BackendOptions<1> mine;
  ASSERT_EQ(mine.set_option(weight_cache_group_option_key, "mine"), Error::Ok);
  BackendOptions<1> theirs;
  ASSERT_EQ(theirs.set_option(weight_cache_group_option_key, "theirs"), Error::Ok);
  const auto store = resolve(&one, mine.view());
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store, resolve(&other, mine.view()));
  EXPECT_NE(store, resolve(&other, theirs.view()));
  EXPECT_NE(store, resolve(&one)) << "outside of the group";
}

TEST_F(TrustTest, OneNameForOtherWeights) {
  // Digits of digests, which lowering gives to weights, of something else.
  const std::string filter(64, 'a');
  const std::string bias(64, 'b');
  for (const bool is_grouped : {false, true}) {
    BackendOptions<1> group;
    ASSERT_EQ(group.set_option(weight_cache_group_option_key, is_grouped ? "one" : ""), Error::Ok);
    std::vector<std::unique_ptr<Executor>> executors;
    std::vector<std::unique_ptr<GraphForTests>> graphs;
    int wrong = 0;
    for (const uint32_t seed : {1u, 2u}) {
      graphs.push_back(std::make_unique<GraphForTests>(seed));
      GraphForTests& graph = *graphs.back();
      graph.rename(filter, bias);
      const std::string blob = graph.blob();
      const auto parsed = Blob::parse(blob.data(), blob.size());
      ASSERT_TRUE(parsed.ok());
      const ExecutorOptions options = {resolve(&graph.named(), group.view()), nullptr, false};
      auto made = Executor::create(*parsed, &graph.named(), options);
      ASSERT_TRUE(made.ok());
      executors.push_back(std::move(*made));
      runtime::testing::TensorFactory<ScalarType::Float> factory;
      const std::vector<float> x = graph.input(8);
      EValue in(factory.make({8, GraphForTests::kInputs}, x));
      EValue out(factory.zeros({8, GraphForTests::kOutputs}));
      EValue* args[] = {&in, &out};
      ASSERT_EQ(executors.back()->execute({args, 2}), Error::Ok);
      const std::vector<float> expected = graph.expected(x);
      for (size_t i = 0; i < expected.size(); ++i) {
        wrong += std::abs(out.toTensor().const_data_ptr<float>()[i] - expected[i]) < 1e-4f ? 0 : 1;
      }
    }
    if (is_grouped) {
      EXPECT_GT(wrong, 0) << "in a group names are believed: this is what it means";
    } else {
      EXPECT_EQ(wrong, 0);
    }
  }
}

TEST_F(TrustTest, WeightsThatAreTooShortArePackedAgain) {
  const auto store = std::make_shared<PackedWeights>();
  const std::vector<float> kernel(100);
  const auto owner = std::make_shared<std::vector<char>>(16);
  const auto held = store->insert({"name", 5}, {owner->data(), owner->size(), owner});
  delegate::XNNWeightsCache cache(store);
  ASSERT_EQ(cache.initialize_for_runtime(nullptr, nullptr), Error::Ok);
  xnn_weights_cache_look_up_key key = {};
  key.seed = 5;
  key.kernel = kernel.data();
  xnn_weights_cache_provider* const provider = cache.get();
  cache.name_packed(kernel.data(), nullptr, "name", 16);
  EXPECT_NE(provider->look_up(provider->context, &key), SIZE_MAX);
  delegate::XNNWeightsCache stricter(store);
  ASSERT_EQ(stricter.initialize_for_runtime(nullptr, nullptr), Error::Ok);
  stricter.name_packed(kernel.data(), nullptr, "name", 17);
  xnn_weights_cache_provider* const other = stricter.get();
  EXPECT_EQ(other->look_up(other->context, &key), SIZE_MAX);
  EXPECT_EQ(store->find({"name", 5}), nullptr);
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
