#include <map>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/tensor/tensor.h>
#include <executorch/extension/training/optimizer/sgd.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::Tensor;
using executorch::extension::make_tensor_ptr;
using executorch::extension::training::optimizer::SGD;
using executorch::extension::training::optimizer::SGDOptions;
using executorch::extension::training::optimizer::SGDParamGroup;
using executorch::extension::training::optimizer::SGDParamState;
using executorch::runtime::Error;

using Named = std::map<std::string_view, Tensor>;

class SgdTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }

  /// The parameter, first 1, after each of the steps with gradient 1, then 2.
  std::vector<float> run(const SGDOptions& options) {
    const auto p = make_tensor_ptr({1}, {1.0f});
    SGD optimizer(Named{{"p", *p}}, options);
    std::vector<float> values;
    for (const float g : {1.0f, 2.0f}) {
      const auto gradient = make_tensor_ptr({1}, {g});
      EXPECT_EQ(optimizer.step({{"p", *gradient}}), Error::Ok);
      values.push_back(p->const_data_ptr<float>()[0]);
    }
    return values;
  }
};

// The expected values are those of torch.optim.SGD.
TEST_F(SgdTest, Steps) { EXPECT_EQ(run(SGDOptions(0.5)), (std::vector<float>{0.5f, -0.5f})); }

TEST_F(SgdTest, Momentum) {
  EXPECT_EQ(run(SGDOptions(0.5, 0.5)), (std::vector<float>{0.5f, -0.75f}));
  EXPECT_EQ(run(SGDOptions(0.5, 0.5, 0.5)), (std::vector<float>{0.5f, -0.25f}));
  EXPECT_EQ(run(SGDOptions(0.5, 0.5, 0, 0, true)), (std::vector<float>{0.25f, -1.375f}));
}

TEST_F(SgdTest, WeightDecay) {
  EXPECT_EQ(run(SGDOptions(0.5, 0, 0, 0.5)), (std::vector<float>{0.25f, -0.8125f}));
}

TEST_F(SgdTest, Options) {
  SGDOptions options(0.1, 1, 2, 3, true);
  const auto copy = options.clone();
  options.lr(0.2);
  EXPECT_EQ(options.lr(), 0.2);
  EXPECT_EQ(copy->lr(), 0.1);
  EXPECT_EQ(copy->momentum(), 1);
  EXPECT_EQ(copy->dampening(), 2);
  EXPECT_EQ(copy->weight_decay(), 3);
  EXPECT_TRUE(copy->nesterov());
}

TEST_F(SgdTest, GroupsHaveTheirOwnOptions) {
  const auto a = make_tensor_ptr({1}, {1.0f});
  const auto b = make_tensor_ptr({1}, {1.0f});
  SGDParamGroup own(Named{{"b", *b}}, std::make_unique<SGDOptions>(0.25));
  EXPECT_FALSE(SGDParamGroup(Named{}).has_options());
  SGD optimizer(std::vector<SGDParamGroup>{SGDParamGroup(Named{{"a", *a}})}, SGDOptions(1));
  optimizer.add_param_group(own);
  ASSERT_EQ(optimizer.param_groups().size(), 2u);
  EXPECT_EQ(optimizer.param_groups()[0].options().lr(), 1);
  const auto gradient = make_tensor_ptr({1}, {1.0f});
  ASSERT_EQ(optimizer.step({{"a", *gradient}, {"b", *gradient}}), Error::Ok);
  EXPECT_EQ(a->const_data_ptr<float>()[0], 0);
  EXPECT_EQ(b->const_data_ptr<float>()[0], 0.75f);
  ASSERT_EQ(optimizer.step({{"b", *gradient}}), Error::Ok);
  EXPECT_EQ(a->const_data_ptr<float>()[0], 0) << "a parameter without gradient stays";
}

TEST_F(SgdTest, RefusesGradientsOfSomethingElse) {
  const auto p = make_tensor_ptr({2}, {1.0f, 1.0f});
  SGD optimizer(Named{{"p", *p}}, SGDOptions(1));
  const auto longer = make_tensor_ptr({3}, {1.0f, 1.0f, 1.0f});
  const auto wider = make_tensor_ptr({2}, std::vector<double>{1, 1});
  EXPECT_EQ(optimizer.step({{"p", *longer}}), Error::InvalidArgument);
  EXPECT_EQ(optimizer.step({{"p", *wider}}), Error::InvalidArgument);
  EXPECT_EQ(p->const_data_ptr<float>()[0], 1);
}

TEST_F(SgdTest, StateRefersToItsBuffer) {
  const auto buffer = make_tensor_ptr({1}, {3.0f});
  SGDParamState state(*buffer);
  EXPECT_EQ(state.momentum_buffer().const_data_ptr(), buffer->const_data_ptr());
}

}  // namespace
