/**
 * @file
 * The kernels as C++ functions: values that can be followed by hand, and what they leave alone when
 * they refuse.
 */

#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/custom_ops/op_fast_hadamard_transform.h>
#include <executorch/extension/llm/custom_ops/op_sdpa.h>
#include <executorch/extension/llm/custom_ops/op_update_cache.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace {

namespace native = torch::executor::native;

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using torch::executor::testing::TensorFactory;

class CustomOpsTest : public OperatorTest {
 protected:
  /// One query of two, two keys of three positions with values 1, 10 and 100.
  Tensor attend(const std::optional<Tensor>& mask, int64_t start, bool causal) {
    Tensor key = floats_.make({1, 3, 1, 2}, {0, 0, 0, 0, 0, 0});
    Tensor value = floats_.make({1, 3, 1, 2}, {1, 2, 10, 20, 100, 200});
    Tensor query = floats_.make({1, 2, 1, 2}, {1, 1, 1, 1});
    Tensor out = floats_.zeros({1, 2, 1, 2});
    native::custom_sdpa_out(context_, query, key, value, start, mask, 0.0, causal, std::nullopt,
                            out);
    return out;
  }

  static void expect_values(const Tensor& t, const std::vector<float>& values) {
    ASSERT_EQ(static_cast<size_t>(t.numel()), values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(t.const_data_ptr<float>()[i], values[i], 1e-4) << i;
    }
  }

  TensorFactory<ScalarType::Float> floats_;
};

TEST_F(CustomOpsTest, EqualScoresGiveTheMeanOfWhatIsSeen) {
  expect_values(attend(std::nullopt, 0, false), {5.5f, 11, 5.5f, 11});
  expect_values(attend(std::nullopt, 0, true), {1, 2, 5.5f, 11});
  expect_values(attend(std::nullopt, 1, true), {5.5f, 11, 37, 74});
}

TEST_F(CustomOpsTest, AMaskIsAddedToTheScores) {
  const float none = -INFINITY;
  const Tensor mask = floats_.make({2, 3}, {none, 0, none, 0, std::log(3.0f), none});
  expect_values(attend(mask, 0, false), {10, 20, 7.75f, 15.5f});
}

TEST_F(CustomOpsTest, NothingIsWrittenBehindTheCache) {
  ET_EXPECT_KERNEL_FAILURE(context_, expect_values(attend(std::nullopt, 2, true), {0, 0, 0, 0}));
}

TEST_F(CustomOpsTest, AMaskThatIsCausalAsWellIsRefused) {
  const Tensor mask = floats_.zeros({2, 3});
  ET_EXPECT_KERNEL_FAILURE(context_, attend(mask, 0, true));
}

TEST_F(CustomOpsTest, ACacheIsWrittenWhereItShouldBe) {
  const Tensor value = floats_.make({1, 1, 1, 2}, {7, 8});
  Tensor cache = floats_.zeros({1, 3, 1, 2});
  Tensor out = floats_.ones({1});
  native::update_cache_out(context_, value, cache, 1, out);
  expect_values(cache, {0, 0, 7, 8, 0, 0});
  TensorFactory<ScalarType::Long> longs;
  native::update_cache_with_indices_out(context_, value, cache, 0, longs.make({1, 1}, {2}), out);
  expect_values(cache, {0, 0, 7, 8, 7, 8});
  ET_EXPECT_KERNEL_FAILURE(context_, native::update_cache_out(context_, value, cache, 3, out));
  expect_values(cache, {0, 0, 7, 8, 7, 8});
}

TEST_F(CustomOpsTest, AttentionWritesItsCachesFirst) {
  Tensor key_cache = floats_.zeros({1, 3, 1, 2});
  Tensor value_cache = floats_.make({1, 3, 1, 2}, {1, 2, 0, 0, 0, 0});
  const Tensor key = floats_.zeros({1, 1, 1, 2});
  const Tensor value = floats_.make({1, 1, 1, 2}, {10, 20});
  const Tensor query = floats_.ones({1, 1, 1, 2});
  Tensor out = floats_.zeros({1, 1, 1, 2});
  native::sdpa_with_kv_cache_out(context_, query, key, value, key_cache, value_cache, 1, 1,
                                 std::nullopt, 0.0, true, std::nullopt, out);
  expect_values(value_cache, {1, 2, 10, 20, 0, 0});
  expect_values(out, {5.5f, 11});
}

TEST_F(CustomOpsTest, TransformedTwiceIsAsBefore) {
  const Tensor matrix = floats_.make({1, 4}, {1, 2, 3, 4});
  Tensor once = floats_.zeros({1, 4});
  Tensor twice = floats_.zeros({1, 4});
  native::fast_hadamard_transform_out(context_, matrix, once);
  expect_values(once, {5, -1, -2, 0});
  native::fast_hadamard_transform_out(context_, once, twice);
  expect_values(twice, {1, 2, 3, 4});
}

TEST(CustomOps, ProgramsFindThem) {
  for (const char* name :
       {"llama::channelwise_gated_delta_rule.out", "llama::custom_quantized_sdpa.out",
        "llama::custom_sdpa.out", "llama::fallback.out", "llama::fast_hadamard_transform.out",
        "llama::gated_delta_rule.out", "llama::sdpa_with_kv_cache.out", "llama::update_cache.out",
        "llama::update_cache_with_indices.out", "preprocess::tile_crop.out"}) {
    EXPECT_TRUE(executorch::runtime::registry_has_op_function(name)) << name;
  }
}

}  // namespace
