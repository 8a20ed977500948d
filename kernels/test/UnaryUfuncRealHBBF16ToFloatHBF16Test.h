/**
 * @file
 * What holds for every operator of one input whose result is a floating-point number: values of
 * each dtype, resizing of dynamic outputs, and failure on outputs of a wrong type or shape.
 */
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/test/FunctionHeaderWrapper.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/kernels/test/supported_features.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_includes.h>

namespace torch {
namespace executor {
namespace testing {

/// A test suite says what the operator is and what it shall compute;
/// IMPLEMENT_UNARY_UFUNC_REALHB_TO_FLOATH_TEST defines its tests.
class UnaryUfuncRealHBBF16ToFloatHBF16Test : public OperatorTest {
 protected:
  using Tensor = ::executorch::aten::Tensor;
  using ScalarType = ::executorch::aten::ScalarType;
  using Dynamism = ::executorch::aten::TensorShapeDynamism;
  using Floats = TensorFactory<ScalarType::Float>;
  using Ints = TensorFactory<ScalarType::Int>;
  using Bools = TensorFactory<ScalarType::Bool>;

  /// Calls the operator with `context_`.
  virtual Tensor& op_out(const Tensor& self, Tensor& out) = 0;
  /// What the operator shall give for `x`.
  virtual double op_reference(double x) const = 0;
  /// What the library under test can do.
  virtual SupportedFeatures* get_supported_features() const { return SupportedFeatures::get(); }

  void check_values_of_each_floating_type() {
    check_values<ScalarType::Float>(1e-5);
    check_values<ScalarType::Double>(1e-5);
    check_values<ScalarType::Half>(1e-2);
    check_values<ScalarType::BFloat16>(5e-2);
  }

  void check_integers_and_bools_give_floats() {
    Floats tf;
    const auto expected = tf.full({2}, reference(1));
    Tensor out = tf.zeros({2});
    op_out(Ints().ones({2}), out);
    EXPECT_TENSOR_CLOSE(out, expected);
    out = tf.zeros({2});
    op_out(Bools().ones({2}), out);
    EXPECT_TENSOR_CLOSE(out, expected);
  }

  void check_an_integer_output_fails() {
    Ints ints;
    Tensor out = ints.zeros({2});
    ET_EXPECT_KERNEL_FAILURE(context_, op_out(Floats().full({2}, 0.5f), out));
  }

  void check_a_static_output_of_another_shape_fails() {
    ET_SKIP_IF(get_supported_features()->is_aten, "ATen resizes it");
    Floats tf;
    Tensor out = tf.zeros({3});
    ET_EXPECT_KERNEL_FAILURE(context_, op_out(tf.full({2}, 0.5f), out));
  }

  void check_a_dynamic_output_is_resized_within_its_bound() {
    Floats tf;
    Tensor out = tf.zeros({4, 3}, Dynamism::DYNAMIC_BOUND);
    op_out(tf.full({2, 3}, 0.5f), out);
    EXPECT_TENSOR_CLOSE(out, tf.full({2, 3}, reference(0.5)));
  }

  void check_a_dynamic_output_beyond_its_bound_fails() {
    const SupportedFeatures& features = *get_supported_features();
    ET_SKIP_IF(features.is_aten || features.output_resize, "the library resizes it");
    Floats tf;
    Tensor out = tf.zeros({1, 3}, Dynamism::DYNAMIC_BOUND);
    ET_EXPECT_KERNEL_FAILURE(context_, op_out(tf.full({2, 3}, 0.5f), out));
  }

  void check_empty_tensors_and_channels_last() {
    Floats tf;
    Tensor nothing = tf.zeros({0, 3});
    op_out(tf.zeros({0, 3}), nothing);
    EXPECT_TENSOR_EQ(nothing, tf.zeros({0, 3}));
    if (!get_supported_features()->channels_last) {
      return;
    }
    const Tensor in = tf.make_channels_last({1, 2, 1, 2}, arguments());
    Tensor out = tf.zeros_channels_last({1, 2, 1, 2});
    op_out(in, out);
    Tensor contiguous = tf.zeros({1, 2, 1, 2});
    op_out(tf.make({1, 2, 1, 2}, arguments()), contiguous);
    EXPECT_TENSOR_DATA_EQ(out, tf.make({4}, {contiguous.const_data_ptr<float>(),
                                             contiguous.const_data_ptr<float>() + 4}));
  }

 private:
  // Between 0 and 1, which suits most of these operators; where one is not defined there, its
  // reference is not either.
  static std::vector<float> arguments() { return {0.125f, 0.25f, 0.5f, 0.75f}; }

  float reference(double x) const { return static_cast<float>(op_reference(x)); }

  template <ScalarType kType>
  void check_values(double tolerance) {
    TensorFactory<kType> tf;
    const auto numbers = arguments();
    const Tensor in = tf.make({2, 2}, {numbers.begin(), numbers.end()});
    Floats floats;
    std::vector<float> expected;
    for (const float x : numbers) {
      expected.push_back(reference(x));
    }
    Tensor out = floats.zeros({2, 2});
    op_out(in, out);
    EXPECT_TENSOR_CLOSE_WITH_TOL(out, floats.make({2, 2}, expected), tolerance, tolerance);
  }
};

}  // namespace testing
}  // namespace executor
}  // namespace torch

/// Defines the tests of a suite; TEST is TEST_F, or TEST_P for one with parameters.
#define ET_INTERNAL_FLOAT_UNARY_TESTS(TEST, SUITE)                                    \
  TEST(SUITE, ValuesOfEachFloatingType) { check_values_of_each_floating_type(); }     \
  TEST(SUITE, IntegersAndBoolsGiveFloats) { check_integers_and_bools_give_floats(); } \
  TEST(SUITE, AnIntegerOutputFails) { check_an_integer_output_fails(); }              \
  TEST(SUITE, AStaticOutputOfAnotherShapeFails) {                                     \
    check_a_static_output_of_another_shape_fails();                                   \
  }                                                                                   \
  TEST(SUITE, ADynamicOutputIsResizedWithinItsBound) {                                \
    check_a_dynamic_output_is_resized_within_its_bound();                             \
  }                                                                                   \
  TEST(SUITE, ADynamicOutputBeyondItsBoundFails) {                                    \
    check_a_dynamic_output_beyond_its_bound_fails();                                  \
  }                                                                                   \
  TEST(SUITE, EmptyTensorsAndChannelsLast) { check_empty_tensors_and_channels_last(); }

/// The tests of one operator's suite, and the features of the library that it runs against, which
/// the suite declares as `SupportedFeatures* get_supported_features() const override;`.
#define IMPLEMENT_UNARY_UFUNC_REALHB_TO_FLOATH_TEST(SUITE)                               \
  ::torch::executor::testing::SupportedFeatures* SUITE::get_supported_features() const { \
    return ::torch::executor::testing::SupportedFeatures::get();                         \
  }                                                                                      \
  ET_INTERNAL_FLOAT_UNARY_TESTS(TEST_F, SUITE)
