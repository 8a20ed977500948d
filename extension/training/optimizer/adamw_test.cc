#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/tensor/tensor.h>
#include <executorch/extension/training/optimizer/adamw.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::BFloat16;
using executorch::aten::Half;
using executorch::aten::Tensor;
using executorch::extension::make_tensor_ptr;
using executorch::extension::training::optimizer::AdamW;
using executorch::extension::training::optimizer::AdamWOptions;
using executorch::extension::training::optimizer::AdamWParamGroup;
using executorch::runtime::Error;

using Named = std::map<std::string_view, Tensor>;

class AdamwTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }

  /// The parameter, first (1, -2), after each of three steps with gradients (1, 2), (2, 4), (3, 6).
  template <typename T>
  std::vector<double> run(const AdamWOptions& options) {
    const auto p = make_tensor_ptr(std::vector<T>{static_cast<T>(1.0f), static_cast<T>(-2.0f)});
    AdamW optimizer(Named{{"p", *p}}, options);
    std::vector<double> values;
    for (const float g : {1.0f, 2.0f, 3.0f}) {
      const auto gradient =
          make_tensor_ptr(std::vector<T>{static_cast<T>(g), static_cast<T>(2 * g)});
      EXPECT_EQ(optimizer.step({{"p", *gradient}}), Error::Ok);
      for (int i = 0; i < 2; ++i) {
        values.push_back(static_cast<double>(p->template const_data_ptr<T>()[i]));
      }
    }
    return values;
  }

  void expect_near(const std::vector<double>& values, const std::vector<double>& expected,
                   double tolerance) {
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], expected[i], tolerance) << "value " << i;
    }
  }
};

// The expected values are those of torch.optim.AdamW.
TEST_F(AdamwTest, DefaultSettings) {
  expect_near(run<float>(AdamWOptions()),
              {0.998989999294281, -2.0009799003601074, 0.9980148077011108, -2.001924991607666,
               0.9970467686653137, -2.0028629302978516},
              2.5e-7);
}

TEST_F(AdamwTest, EverySetting) {
  const AdamWOptions options(0.1, 0.5, 0.75, 1e-3, 0.5);
  expect_near(run<double>(options),
              {0.8500999000999, -1.9999500249875062, 0.7064934415779552, -2.001084661076361,
               0.5670168153559596, -2.0052047203105796},
              1e-14);
  expect_near(run<float>(options),
              {0.8500999212265015, -1.9999500513076782, 0.7064934372901917, -2.001084566116333,
               0.5670167803764343, -2.005204677581787},
              2.5e-7);
}

// The values of doubles, rounded once a step: within half a unit in the last place for each step.
TEST_F(AdamwTest, HalfTypes) {
  const AdamWOptions options(0.1);
  const std::vector<double> exact = run<double>(options);
  expect_near(run<Half>(options), exact, 3 * std::ldexp(1.0, -10));
  expect_near(run<BFloat16>(options), exact, 3 * std::ldexp(1.0, -7));
}

TEST_F(AdamwTest, Options) {
  AdamWOptions options(0.1, 1, 2, 3, 4);
  const auto copy = options.clone();
  options.lr(0.2);
  EXPECT_EQ(options.lr(), 0.2);
  EXPECT_EQ(copy->lr(), 0.1);
  EXPECT_EQ(copy->beta1(), 1);
  EXPECT_EQ(copy->beta2(), 2);
  EXPECT_EQ(copy->eps(), 3);
  EXPECT_EQ(copy->weight_decay(), 4);
}

TEST_F(AdamwTest, GroupsHaveTheirOwnOptions) {
  const auto a = make_tensor_ptr({1}, {1.0f});
  const auto b = make_tensor_ptr({1}, {1.0f});
  AdamW optimizer(std::vector<AdamWParamGroup>{AdamWParamGroup(Named{{"a", *a}})},
                  AdamWOptions(1, 0.5, 0.5, 0, 0));
  optimizer.add_param_group(
      AdamWParamGroup(Named{{"b", *b}}, std::make_unique<AdamWOptions>(0.25, 0.5, 0.5, 0.0, 0.0)));
  ASSERT_EQ(optimizer.param_groups().size(), 2u);
  const auto gradient = make_tensor_ptr({1}, {3.0f});
  // A first step is as long as the learning rate, whatever the gradient.
  ASSERT_EQ(optimizer.step({{"a", *gradient}, {"b", *gradient}}), Error::Ok);
  EXPECT_NEAR(a->const_data_ptr<float>()[0], 0, 1e-6);
  EXPECT_NEAR(b->const_data_ptr<float>()[0], 0.75f, 1e-6);
  const float before = a->const_data_ptr<float>()[0];
  ASSERT_EQ(optimizer.step({{"b", *gradient}}), Error::Ok);
  EXPECT_EQ(a->const_data_ptr<float>()[0], before) << "a parameter without gradient stays";
}

TEST_F(AdamwTest, RefusesGradientsOfSomethingElse) {
  const auto p = make_tensor_ptr({2}, {1.0f, 1.0f});
  AdamW optimizer(Named{{"p", *p}}, AdamWOptions(1));
  const auto longer = make_tensor_ptr({3}, {1.0f, 1.0f, 1.0f});
  const auto wider = make_tensor_ptr({2}, std::vector<double>{1, 1});
  EXPECT_EQ(optimizer.step({{"p", *longer}}), Error::InvalidArgument);
  EXPECT_EQ(optimizer.step({{"p", *wider}}), Error::InvalidArgument);
  EXPECT_EQ(p->const_data_ptr<float>()[0], 1);
}

}  // namespace
