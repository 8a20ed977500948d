#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/kernel/tensor_access.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::BoxedEvalueList;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::get_op_function_from_registry;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::Span;
using executorch::runtime::TensorShapeDynamism;
using executorch::runtime::testing::TensorFactory;

/// Calls an operator; the values are its stack.
Error call(const char* name, std::vector<EValue>& values) {
  std::vector<EValue*> stack;
  for (EValue& value : values) {
    stack.push_back(&value);
  }
  const auto op = get_op_function_from_registry(name);
  EXPECT_TRUE(op.ok()) << name;
  KernelRuntimeContext context;
  (*op)(context, Span<EValue*>(stack.data(), stack.size()));
  return context.failure_state();
}

/// Calls an operator with one result, for which a slot is added.
EValue result_of(const char* name, std::vector<EValue> arguments, Error expected = Error::Ok) {
  arguments.emplace_back();
  EXPECT_EQ(call(name, arguments), expected) << name;
  return arguments.back();
}

class PrimOpsTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }
};

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST_F(PrimOpsTest, SizesOfTensors) {
  TensorFactory<ScalarType::Float> tf;
  const EValue t(tf.zeros({3, 5}));
  EXPECT_EQ(result_of("aten::sym_size.int", {t, EValue(1)}).toInt(), 5);
  EXPECT_EQ(result_of("aten::sym_size.int", {t, EValue(-2)}).toInt(), 3);
  EXPECT_EQ(result_of("aten::sym_numel", {t}).toInt(), 15);
  result_of("aten::sym_size.int", {t, EValue(2)}, Error::InvalidArgument);
  result_of("aten::sym_size.int", {t, EValue(-3)}, Error::InvalidArgument);
  result_of("aten::sym_size.int", {EValue(1), EValue(0)}, Error::InvalidType);
  result_of("aten::sym_size.int", {t}, Error::InvalidProgram);
}

TEST_F(PrimOpsTest, ElementOfTensor) {
  TensorFactory<ScalarType::Double> doubles;
  TensorFactory<ScalarType::Short> shorts;
  TensorFactory<ScalarType::Bool> bools;
  TensorFactory<ScalarType::Half> halves;
  const char* op = "aten::_local_scalar_dense";
  EXPECT_EQ(result_of(op, {EValue(doubles.make({1}, {2.5}))}).toDouble(), 2.5);
  EXPECT_EQ(result_of(op, {EValue(shorts.make({}, {-7}))}).toInt(), -7);
  EXPECT_TRUE(result_of(op, {EValue(bools.make({1, 1}, {1}))}).toBool());
  EXPECT_EQ(result_of(op, {EValue(halves.make({1}, {1.5f}))}).toDouble(), 1.5);
  result_of(op, {EValue(doubles.make({2}, {1, 2}))}, Error::InvalidArgument);
}

TEST_F(PrimOpsTest, Arithmetic) {
  EXPECT_EQ(result_of("executorch_prim::add.Scalar", {EValue(3), EValue(4)}).toInt(), 7);
  EXPECT_EQ(result_of("executorch_prim::add.Scalar", {EValue(3), EValue(0.5)}).toDouble(), 3.5);
  EXPECT_EQ(result_of("executorch_prim::add.Scalar", {EValue(kMax), EValue(1)}).toInt(), kMin);
  EXPECT_EQ(result_of("executorch_prim::sub.Scalar", {EValue(3), EValue(4)}).toInt(), -1);
  EXPECT_EQ(result_of("executorch_prim::mul.Scalar", {EValue(3), EValue(-4)}).toInt(), -12);
  EXPECT_EQ(result_of("executorch_prim::truediv.Scalar", {EValue(3), EValue(2)}).toDouble(), 1.5);
  EXPECT_EQ(result_of("executorch_prim::sym_max.Scalar", {EValue(3), EValue(-4)}).toInt(), 3);
  EXPECT_EQ(result_of("executorch_prim::sym_min.Scalar", {EValue(3), EValue(-4)}).toInt(), -4);
  EXPECT_EQ(result_of("executorch_prim::neg.Scalar", {EValue(kMin)}).toInt(), kMin);
  EXPECT_EQ(result_of("executorch_prim::neg.Scalar", {EValue(2.5)}).toDouble(), -2.5);
  result_of("executorch_prim::add.Scalar", {EValue(true), EValue(1)}, Error::InvalidType);
  result_of("executorch_prim::sym_max.Scalar", {EValue(1.0), EValue(1)}, Error::InvalidType);
  result_of("executorch_prim::add.Scalar", {EValue(1)}, Error::InvalidProgram);
}

TEST_F(PrimOpsTest, DivisionRoundsAsPython) {
  struct Case {
    int64_t a, b, quotient, remainder;
  };
  for (const Case& c : {Case{7, 2, 3, 1}, Case{-7, 2, -4, 1}, Case{7, -2, -4, -1},
                        Case{-7, -2, 3, -1}, Case{6, -2, -3, 0}, Case{kMin, -1, kMin, 0}}) {
    for (const char* name : {"executorch_prim::floordiv.Scalar", "executorch_prim::floordiv.int"}) {
      EXPECT_EQ(result_of(name, {EValue(c.a), EValue(c.b)}).toInt(), c.quotient);
    }
    for (const char* name : {"executorch_prim::mod.Scalar", "executorch_prim::mod.int"}) {
      EXPECT_EQ(result_of(name, {EValue(c.a), EValue(c.b)}).toInt(), c.remainder);
    }
  }
  for (const char* name : {"executorch_prim::floordiv.Scalar", "executorch_prim::mod.Scalar",
                           "executorch_prim::truediv.Scalar"}) {
    result_of(name, {EValue(1), EValue(0)}, Error::InvalidArgument);
  }
}

TEST_F(PrimOpsTest, Comparisons) {
  struct Case {
    const char* name;
    bool less, equal, greater;
  };
  for (const Case& c : {Case{"executorch_prim::eq.Scalar", false, true, false},
                        Case{"executorch_prim::gt.Scalar", false, false, true},
                        Case{"executorch_prim::lt.Scalar", true, false, false},
                        Case{"executorch_prim::ge.Scalar", false, true, true},
                        Case{"executorch_prim::le.Scalar", true, true, false}}) {
    EXPECT_EQ(result_of(c.name, {EValue(1), EValue(2)}).toBool(), c.less) << c.name;
    EXPECT_EQ(result_of(c.name, {EValue(2), EValue(2.0)}).toBool(), c.equal) << c.name;
    EXPECT_EQ(result_of(c.name, {EValue(2.5), EValue(2)}).toBool(), c.greater) << c.name;
    result_of(c.name, {EValue(), EValue(2)}, Error::InvalidType);
  }
}

TEST_F(PrimOpsTest, Rounding) {
  EXPECT_EQ(result_of("executorch_prim::ceil.Scalar", {EValue(-1.5)}).toInt(), -1);
  EXPECT_EQ(result_of("executorch_prim::trunc.Scalar", {EValue(-1.5)}).toInt(), -1);
  for (const auto& [x, rounded] : {std::pair(0.5, 0), std::pair(1.5, 2), std::pair(2.5, 2),
                                   std::pair(-0.5, 0), std::pair(-1.5, -2), std::pair(2.51, 3)}) {
    EXPECT_EQ(result_of("executorch_prim::round.Scalar", {EValue(x)}).toInt(), rounded) << x;
  }
  EXPECT_EQ(result_of("executorch_prim::sym_float.Scalar", {EValue(3)}).toDouble(), 3.0);
  EXPECT_EQ(result_of("executorch_prim::sym_int.Scalar", {EValue(-3.9)}).toInt(), -3);
  for (const char* name : {"executorch_prim::ceil.Scalar", "executorch_prim::round.Scalar",
                           "executorch_prim::sym_int.Scalar"}) {
    result_of(name, {EValue(1e300)}, Error::InvalidArgument);
    result_of(name, {EValue(std::nan(""))}, Error::InvalidArgument);
    result_of(name, {EValue()}, Error::InvalidType);
  }
}

TEST_F(PrimOpsTest, TruthValues) {
  EXPECT_FALSE(result_of("executorch_prim::sym_not.Scalar", {EValue(true)}).toBool());
  result_of("executorch_prim::sym_not.Scalar", {EValue(1)}, Error::InvalidType);
  EXPECT_EQ(
      result_of("executorch_prim::sym_ite.Scalar", {EValue(true), EValue(1), EValue(2.5)}).toInt(),
      1);
  EXPECT_EQ(result_of("executorch_prim::sym_ite.Scalar", {EValue(false), EValue(1), EValue(2.5)})
                .toDouble(),
            2.5);
  result_of("executorch_prim::sym_ite.Scalar", {EValue(1), EValue(1), EValue(2)},
            Error::InvalidType);
}

TEST_F(PrimOpsTest, CopyIndexAppends) {
  TensorFactory<ScalarType::Int> tf;
  Tensor to = tf.zeros({3, 2}, TensorShapeDynamism::DYNAMIC_BOUND);
  ASSERT_EQ(executorch::runtime::resize_tensor(to, {std::vector<int32_t>{1, 2}.data(), 2}),
            Error::Ok);
  for (int32_t i = 0; i < 3; ++i) {
    std::vector<EValue> stack = {EValue(to), EValue(tf.make({2}, {10 * i, 10 * i + 1})), EValue(i)};
    EXPECT_EQ(call("executorch_prim::et_copy_index.tensor", stack), Error::Ok);
    EXPECT_EQ(to.size(0), i + 1);
  }
  EXPECT_TENSOR_EQ(to, tf.make({3, 2}, {0, 1, 10, 11, 20, 21}));
}

TEST_F(PrimOpsTest, CopyIndexRefuses) {
  TensorFactory<ScalarType::Int> tf;
  TensorFactory<ScalarType::Float> other;
  Tensor to = tf.zeros({2, 2}, TensorShapeDynamism::DYNAMIC_BOUND);
  const Tensor from = tf.ones({2});
  const auto error_of = [](std::vector<EValue> stack) {
    return call("executorch_prim::et_copy_index.tensor", stack);
  };
  EXPECT_EQ(error_of({EValue(to), EValue(from)}), Error::InvalidProgram);
  EXPECT_EQ(error_of({EValue(to), EValue(from), EValue(1.0)}), Error::InvalidType);
  EXPECT_EQ(error_of({EValue(1), EValue(from), EValue(1)}), Error::InvalidType);
  EXPECT_EQ(error_of({EValue(to), EValue(from), EValue(-1)}), Error::InvalidArgument);
  EXPECT_NE(error_of({EValue(to), EValue(from), EValue(2)}), Error::Ok);
  EXPECT_NE(error_of({EValue(to), EValue(from), EValue(kMax)}), Error::Ok);
  EXPECT_EQ(error_of({EValue(to), EValue(tf.ones({3})), EValue(1)}), Error::InvalidArgument);
  EXPECT_EQ(error_of({EValue(to), EValue(tf.ones({2, 2})), EValue(0)}), Error::InvalidArgument);
  EXPECT_EQ(error_of({EValue(to), EValue(other.ones({2})), EValue(0)}), Error::InvalidArgument);
}

/// A list of integers and an et_view call with it.
Error view(const Tensor& self, std::vector<int64_t> sizes, const Tensor& out) {
  std::vector<EValue> elements(sizes.begin(), sizes.end());
  std::vector<EValue*> pointers;
  for (EValue& element : elements) {
    pointers.push_back(&element);
  }
  BoxedEvalueList<int64_t> list(pointers.data(), sizes.data(), static_cast<int>(sizes.size()));
  std::vector<EValue> stack = {EValue(self), EValue(&list), EValue(out)};
  return call("executorch_prim::et_view.default", stack);
}

TEST_F(PrimOpsTest, ViewSharesMemory) {
  TensorFactory<ScalarType::Int> tf;
  const Tensor self = tf.make({3, 2}, {1, 2, 3, 4, 5, 6});
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{1, 3, 2, 1}, std::vector<int64_t>{1, -1, 2, 1}}) {
    Tensor out = tf.ones({1, 3, 2, 1});
    executorch::runtime::internal::reset_data_ptr(out);
    EXPECT_EQ(view(self, sizes, out), Error::Ok);
    EXPECT_EQ(out.const_data_ptr(), self.const_data_ptr());
    EXPECT_TENSOR_EQ(out, tf.make({1, 3, 2, 1}, {1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(view(self, sizes, out), Error::Ok) << "again";
  }
}

TEST_F(PrimOpsTest, ViewRefuses) {
  TensorFactory<ScalarType::Int> tf;
  TensorFactory<ScalarType::Float> other;
  const Tensor self = tf.make({3, 2}, {1, 2, 3, 4, 5, 6});
  Tensor out = tf.ones({1, 3, 2, 1});
  EXPECT_EQ(view(self, {1, 3, 2, 1}, out), Error::InvalidArgument) << "it has memory of its own";
  executorch::runtime::internal::reset_data_ptr(out);
  EXPECT_EQ(view(self, {1, 3, -1, -1}, out), Error::InvalidArgument);
  EXPECT_EQ(view(self, {1, 4, -1, 1}, out), Error::InvalidArgument);
  EXPECT_EQ(view(self, {1, 3, -3, 1}, out), Error::InvalidArgument);
  EXPECT_EQ(view(self, {1, 3, 3, 1}, out), Error::InvalidArgument);
  EXPECT_NE(view(self, {3, 2}, out), Error::Ok) << "rank";
  EXPECT_NE(view(self, {1, 2, 3, 1}, out), Error::Ok) << "a static output";
  Tensor floats = other.ones({6});
  executorch::runtime::internal::reset_data_ptr(floats);
  EXPECT_EQ(view(self, {6}, floats), Error::InvalidArgument);
}

// Calls that read a constant count on where it lies.
TEST_F(PrimOpsTest, ViewDoesNotMoveConstants) {
  using executorch::aten::TensorImpl;
  int32_t memory[2][2] = {{1, 2}, {3, 4}};
  int32_t size = 2;
  int32_t stride = 1;
  uint8_t order = 0;
  TensorImpl tensors[] = {TensorImpl(ScalarType::Int, 1, &size, memory[0], &order, &stride),
                          TensorImpl(ScalarType::Int, 1, &size, memory[1], &order, &stride)};
  uint8_t flags[2] = {};
  executorch::runtime::internal::TensorAccess access(tensors, flags, 2);
  access.set_fixed(&tensors[1]);
  EValue two(2);
  EValue* elements[] = {&two};
  int64_t unboxed[1];
  BoxedEvalueList<int64_t> list(elements, unboxed, 1);
  EValue self{Tensor(&tensors[0])};
  EValue sizes(&list);
  EValue out{Tensor(&tensors[1])};
  EValue* stack[] = {&self, &sizes, &out};
  KernelRuntimeContext context(nullptr, nullptr, &access);
  const auto op = get_op_function_from_registry("executorch_prim::et_view.default");
  (*op)(context, Span<EValue*>(stack, 3));
  EXPECT_EQ(context.failure_state(), Error::InvalidArgument);
  EXPECT_EQ(tensors[1].data(), memory[1]);
}

}  // namespace
