/**
 * @file
 * Shapes and dim orders of outputs: static ones must fit, dynamic ones are resized within their
 * bound, and what does not agree fails without being written.
 */

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/test/FunctionHeaderWrapper.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>

using executorch::aten::ArrayRef;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorList;
using executorch::aten::TensorShapeDynamism;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using torch::executor::testing::TensorFactory;
using torch::executor::testing::TensorListFactory;
namespace ops = torch::executor::aten;

namespace {

using Sizes = std::vector<int32_t>;

/// A call of an operator with a float output of the given sizes.
struct Case {
  const char* name;
  Sizes sizes;
  std::function<void(KernelRuntimeContext&, Tensor&)> call;
};

class OpShapesTest : public OperatorTest {
 protected:
  /// Element by element, movers and reductions.
  std::vector<Case> plain_cases() {
    const Tensor a = tf_.full({2, 3}, 2);
    static const int64_t k10[] = {1, 0};
    static const int64_t k22[] = {2, 2};
    static const int64_t k6[] = {6};
    const auto list = [](const auto& array) { return ArrayRef<int64_t>(array, std::size(array)); };
    return {
        {"mul", {2, 3}, [=](auto& c, Tensor& out) { ops::mul_outf(c, a, a, out); }},
        {"exp", {2, 3}, [=](auto& c, Tensor& out) { ops::exp_outf(c, a, out); }},
        {"clone", {2, 3}, [=](auto& c, Tensor& out) { ops::clone_outf(c, a, {}, out); }},
        {"permute",
         {3, 2},
         [=](auto& c, Tensor& out) { ops::permute_copy_outf(c, a, list(k10), out); }},
        {"repeat", {4, 6}, [=](auto& c, Tensor& out) { ops::repeat_outf(c, a, list(k22), out); }},
        {"select", {3}, [=](auto& c, Tensor& out) { ops::select_copy_outf(c, a, 0, -1, out); }},
        {"slice",
         {2, 2},
         [=](auto& c, Tensor& out) { ops::slice_copy_outf(c, a, 1, 0, 9, 2, out); }},
        {"unsqueeze",
         {2, 1, 3},
         [=](auto& c, Tensor& out) { ops::unsqueeze_copy_outf(c, a, 1, out); }},
        {"view", {6}, [=](auto& c, Tensor& out) { ops::view_copy_outf(c, a, list(k6), out); }},
        {"pad",
         {4, 5},
         [a](auto& c, Tensor& out) {
           const int64_t pad[] = {1, 1, 2, 0};
           ops::constant_pad_nd_outf(c, a, ArrayRef<int64_t>(pad, 4), Scalar(7), out);
         }},
        {"stack",
         {2, 2, 3},
         [a](auto& c, Tensor& out) {
           const Tensor both[] = {a, a};
           ops::stack_outf(c, TensorList(both, 2), 1, out);
         }},
        {"mm",
         {2, 2},
         [this, a](auto& c, Tensor& out) { ops::mm_outf(c, a, tf_.ones({3, 2}), out); }},
        {"amax",
         {2, 1},
         [a](auto& c, Tensor& out) {
           const int64_t dim = -1;
           ops::amax_outf(c, a, ArrayRef<int64_t>(&dim, 1), true, out);
         }},
    };
  }

  /// Layers over images.
  std::vector<Case> image_cases() {
    const Tensor image = tf_.ones({1, 4, 4, 6});
    static const int64_t k22[] = {2, 2};
    static const int64_t k11[] = {1, 1};
    static const int64_t k00[] = {0, 0};
    const auto list = [](const auto& array) { return ArrayRef<int64_t>(array, std::size(array)); };
    return {
        {"avg_pool2d",
         {1, 4, 2, 3},
         [=](auto& c, Tensor& out) {
           ops::avg_pool2d_outf(c, image, list(k22), {}, list(k00), false, true, {}, out);
         }},
        {"convolution",
         {1, 2, 4, 6},
         [this, image, list](auto& c, Tensor& out) {
           ops::convolution_outf(c, image, tf_.ones({2, 4, 3, 3}), {}, list(k11), list(k11),
                                 list(k11), false, list(k00), 1, out);
         }},
        {"pixel_shuffle",
         {1, 1, 8, 12},
         [=](auto& c, Tensor& out) { ops::pixel_shuffle_outf(c, image, 2, out); }},
    };
  }

  std::vector<Case> cases() {
    std::vector<Case> all = plain_cases();
    for (Case& one : image_cases()) {
      all.push_back(std::move(one));
    }
    return all;
  }

  TensorFactory<ScalarType::Float> tf_;
};

TEST_F(OpShapesTest, OutputsWithinTheirBoundAreResized) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Tensor expected = tf_.zeros(one.sizes);
    one.call(context_, expected);
    Sizes larger = one.sizes;
    for (int32_t& size : larger) {
      size += 2;
    }
    for (const auto dynamism :
         {TensorShapeDynamism::DYNAMIC_BOUND, TensorShapeDynamism::DYNAMIC_UNBOUND}) {
      for (const Sizes& bound : {one.sizes, larger}) {
        Tensor out = tf_.zeros(bound, dynamism);
        one.call(context_, out);
        ASSERT_EQ(context_.failure_state(), Error::Ok);
        EXPECT_TENSOR_EQ(out, expected);
      }
    }
  }
}

TEST_F(OpShapesTest, OutputsOfOtherSizesFailAndAreNotWritten) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    for (const auto dynamism : {TensorShapeDynamism::STATIC, TensorShapeDynamism::DYNAMIC_BOUND}) {
      Sizes other = one.sizes;
      // A dynamic output that is larger would be resized.
      other.back() += dynamism == TensorShapeDynamism::STATIC ? 1 : -1;
      Tensor out = tf_.full(other, 5, dynamism);
      KernelRuntimeContext context;
      one.call(context, out);
      EXPECT_EQ(context.failure_state(), Error::InvalidArgument);
      EXPECT_TENSOR_EQ(out, tf_.full(other, 5));
    }
  }
}

TEST_F(OpShapesTest, OutputsOfAnotherRankFail) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Sizes other = one.sizes;
    other.push_back(1);
    Tensor out = tf_.full(other, 5);
    KernelRuntimeContext context;
    one.call(context, out);
    EXPECT_EQ(context.failure_state(), Error::InvalidArgument);
  }
}

TEST_F(OpShapesTest, InputsThatDoNotBroadcastFail) {
  Tensor out = tf_.zeros({2, 3});
  for (const Sizes& sizes : {Sizes{2}, Sizes{3, 2}, Sizes{4, 3}, Sizes{0}}) {
    KernelRuntimeContext context;
    ops::sub_outf(context, tf_.ones({2, 3}), tf_.ones(sizes), Scalar(1), out);
    EXPECT_EQ(context.failure_state(), Error::InvalidArgument);
  }
}

TEST_F(OpShapesTest, DimOrdersOfInputAndOutput) {
  const Tensor in = tf_.make({1, 2, 1, 2}, {-1, 2, -3, 4});
  const Tensor last = tf_.channels_last_like(in);
  const Tensor expected = tf_.make({1, 2, 1, 2}, {0, 2, 0, 4});

  Tensor out_last = tf_.zeros_channels_last({1, 2, 1, 2});
  ops::relu_outf(context_, last, out_last);
  EXPECT_TENSOR_EQ(out_last, tf_.channels_last_like(expected));

  // Elements keep their places if the output has another dim order.
  Tensor out = tf_.zeros({1, 2, 1, 2});
  ops::relu_outf(context_, last, out);
  EXPECT_TENSOR_EQ(out, expected);

  // The operators on dim orders do nothing else.
  const int64_t contiguous[] = {0, 1, 2, 3};
  torch::executor::dim_order_ops::_to_dim_order_copy_outf(
      context_, last, false, std::optional<ArrayRef<int64_t>>(ArrayRef<int64_t>(contiguous, 4)),
      out);
  EXPECT_TENSOR_EQ(out, in);
}

TEST_F(OpShapesTest, ListsOfOutputs) {
  const Tensor in = tf_.make({2, 2}, {1, 2, 3, 4});
  TensorListFactory<ScalarType::Float> lists;
  const TensorList out = lists.zeros_like({tf_.zeros({2}), tf_.zeros({2})});
  ops::unbind_copy_outf(context_, in, 1, out);
  EXPECT_TENSOR_EQ(out[0], tf_.make({2}, {1, 3}));
  EXPECT_TENSOR_EQ(out[1], tf_.make({2}, {2, 4}));

  const TensorList few = lists.zeros_like({tf_.zeros({2})});
  ET_EXPECT_KERNEL_FAILURE(context_, ops::unbind_copy_outf(context_, in, 1, few));
}

TEST_F(OpShapesTest, NoElementsAndNoDimensions) {
  Tensor empty = tf_.zeros({0, 3});
  ops::mul_outf(context_, tf_.ones({0, 3}), tf_.ones({3}), empty);
  ops::exp_outf(context_, tf_.ones({0, 3}), empty);
  Tensor one = tf_.zeros({});
  ops::mul_outf(context_, tf_.full({}, 3), tf_.full({}, 4), one);
  EXPECT_TENSOR_EQ(one, tf_.full({}, 12));
  Tensor product = tf_.ones({2, 2});
  ops::mm_outf(context_, tf_.ones({2, 0}), tf_.ones({0, 2}), product);
  EXPECT_TENSOR_EQ(product, tf_.zeros({2, 2}));
}

}  // namespace
