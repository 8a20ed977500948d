/**
 * @file
 * What holds for logical operators of two inputs: their values for every combination of dtypes.
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
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/kernel/kernel_includes.h>

namespace torch {
namespace executor {
namespace testing {

/// A test suite says what the operator is and what it shall compute;
/// IMPLEMENT_BINARY_LOGICAL_OP_TEST defines its tests.
class BinaryLogicalOpTest : public OperatorTest {
 protected:
  using Tensor = ::executorch::aten::Tensor;
  using ScalarType = ::executorch::aten::ScalarType;

  /// Calls the operator with `context_`.
  virtual Tensor& op_out(const Tensor& lhs, const Tensor& rhs, Tensor& out) = 0;
  /// What the operator shall give for the numbers `x` and `y`: 0 or 1.
  virtual double op_reference(double x, double y) const = 0;

  /// Left, right and output of every dtype that holds numbers.
  void test_all_dtypes() {
#define ET_INTERNAL_LEFT(ctype, dtype) test_left<ScalarType::dtype>();
    ET_FORALL_REALHBBF16_TYPES(ET_INTERNAL_LEFT)
#undef ET_INTERNAL_LEFT
  }

 private:
  template <ScalarType kLeft>
  void test_left() {
#define ET_INTERNAL_RIGHT(ctype, dtype) test_inputs<kLeft, ScalarType::dtype>();
    ET_FORALL_REALHBBF16_TYPES(ET_INTERNAL_RIGHT)
#undef ET_INTERNAL_RIGHT
  }

  template <ScalarType kLeft, ScalarType kRight>
  void test_inputs() {
    TensorFactory<kLeft> left;
    TensorFactory<kRight> right;
    const Tensor lhs = left.make({2, 2}, {0, 1, 0, 1});
    const Tensor rhs = right.make({2, 2}, {0, 0, 1, 1});
#define ET_INTERNAL_OUT(ctype, dtype) test_output<ScalarType::dtype>(lhs, rhs);
    ET_FORALL_REALHBBF16_TYPES(ET_INTERNAL_OUT)
#undef ET_INTERNAL_OUT
  }

  template <ScalarType kOut>
  void test_output(const Tensor& lhs, const Tensor& rhs) {
    TensorFactory<kOut> tf;
    using ctype = typename TensorFactory<kOut>::ctype;
    std::vector<ctype> expected;
    for (const double y : {0.0, 1.0}) {
      for (const double x : {0.0, 1.0}) {
        expected.push_back(static_cast<ctype>(static_cast<float>(op_reference(x, y))));
      }
    }
    Tensor out = tf.zeros({2, 2});
    op_out(lhs, rhs, out);
    EXPECT_TENSOR_EQ(out, tf.make({2, 2}, expected));
  }
};

}  // namespace testing
}  // namespace executor
}  // namespace torch

/// The tests of one operator's suite.
#define IMPLEMENT_BINARY_LOGICAL_OP_TEST(SUITE) \
  TEST_F(SUITE, SimpleTestAllDtypes) { test_all_dtypes(); }
