#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

using namespace executorch::runtime;  // NOLINT: dozens of helpers under test
using executorch::aten::ArrayRef;
using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::testing::TensorFactory;

namespace {

class TensorUtilTest : public ::testing::Test {
 protected:
  TensorFactory<ScalarType::Float> tf_float_;
  TensorFactory<ScalarType::Int> tf_int_;
  TensorFactory<ScalarType::Bool> tf_bool_;
  TensorFactory<ScalarType::Half> tf_half_;
};

TEST_F(TensorUtilTest, Ranks) {
  const Tensor t = tf_float_.zeros({2, 3});
  EXPECT_TRUE(tensor_is_rank(t, 2));
  EXPECT_FALSE(tensor_is_rank(t, 3));
  EXPECT_TRUE(tensor_has_rank_greater_or_equal_to(t, 2));
  EXPECT_FALSE(tensor_has_rank_greater_or_equal_to(t, 3));
  EXPECT_TRUE(tensor_has_rank_smaller_or_equal_to(t, 2));
  EXPECT_FALSE(tensor_has_rank_smaller_or_equal_to(t, 1));
  EXPECT_TRUE(tensors_have_same_rank(t, tf_int_.zeros({5, 5})));
  EXPECT_FALSE(tensors_have_same_rank(t, tf_int_.zeros({5})));
  EXPECT_TRUE(tensor_is_scalar(tf_float_.zeros({})));
  EXPECT_FALSE(tensor_is_scalar(tf_float_.zeros({1})));
}

TEST_F(TensorUtilTest, Dims) {
  const Tensor t = tf_float_.zeros({2, 0, 3});
  const Tensor scalar = tf_float_.zeros({});
  EXPECT_TRUE(tensor_has_dim(t, 2) && tensor_has_dim(t, -3));
  EXPECT_FALSE(tensor_has_dim(t, 3) || tensor_has_dim(t, -4));
  EXPECT_TRUE(tensor_has_dim(scalar, 0) && tensor_has_dim(scalar, -1));
  EXPECT_FALSE(tensor_has_dim(scalar, 1));
  EXPECT_FALSE(tensor_has_dim(t, INT64_MAX) || tensor_has_dim(t, INT64_MIN));
  EXPECT_TRUE(tensor_has_non_empty_dim(t, -1));
  EXPECT_FALSE(tensor_has_non_empty_dim(t, 1));
  EXPECT_FALSE(tensor_has_non_empty_dim(t, -2));
  EXPECT_FALSE(tensor_has_non_empty_dim(t, 3));
  EXPECT_TRUE(tensor_dim_has_index(t, 2, -3) && tensor_dim_has_index(t, 2, 2));
  EXPECT_FALSE(tensor_dim_has_index(t, 2, 3) || tensor_dim_has_index(t, 1, 0));
  EXPECT_FALSE(tensor_dim_has_index(t, 3, 0) || tensor_dim_has_index(t, -1, 0));
  EXPECT_EQ(nonzero_dim(scalar), 1);
  EXPECT_EQ(nonempty_size(scalar, 0), 1);
  EXPECT_EQ(nonempty_size(t, 1), 0);
  EXPECT_TRUE(dim_is_valid(-3, 3) && !dim_is_valid(3, 3) && !dim_is_valid(-4, 3));
}

TEST_F(TensorUtilTest, Shapes) {
  const Tensor a = tf_float_.zeros({2, 3});
  const Tensor b = tf_int_.zeros({2, 3});
  const Tensor c = tf_float_.zeros({3, 2});
  EXPECT_TRUE(tensors_have_same_shape(a, b));
  EXPECT_FALSE(tensors_have_same_shape(a, c));
  EXPECT_TRUE(tensors_have_same_shape(a, b, a));
  EXPECT_FALSE(tensors_have_same_shape(a, b, c));
  EXPECT_TRUE(tensors_have_same_shape(tf_float_.zeros({}), tf_float_.zeros({1, 1})));
  EXPECT_FALSE(tensors_have_same_shape_and_dtype(a, b));
  EXPECT_TRUE(tensors_have_same_shape_and_dtype(a, tf_float_.ones({2, 3})));
  EXPECT_TRUE(tensor_has_expected_size(a, ArrayRef<SizesType>({2, 3})));
  EXPECT_FALSE(tensor_has_expected_size(a, ArrayRef<SizesType>({2})));
  EXPECT_TRUE(tensors_have_same_size_at_dims(a, 0, c, 1));
  EXPECT_FALSE(tensors_have_same_size_at_dims(a, 0, c, 0));
  EXPECT_FALSE(tensors_have_same_size_at_dims(a, 2, c, 0));
}

TEST_F(TensorUtilTest, Dtypes) {
  const Tensor f = tf_float_.zeros({1});
  const Tensor i = tf_int_.zeros({1});
  const Tensor b = tf_bool_.zeros({1});
  const Tensor h = tf_half_.zeros({1});
  EXPECT_TRUE(tensors_have_same_dtype(f, f, f));
  EXPECT_FALSE(tensors_have_same_dtype(f, f, i));
  EXPECT_TRUE(tensor_is_type(f, ScalarType::Float));
  EXPECT_FALSE(tensor_is_type(f, ScalarType::Int));
  EXPECT_TRUE(tensor_is_type(f, ScalarType::Int, ScalarType::Float));
  EXPECT_FALSE(tensor_is_type(h, ScalarType::Int, ScalarType::Float, ScalarType::Bool));
  EXPECT_TRUE(tensor_is_bool_type(b) && !tensor_is_bool_type(i));
  EXPECT_TRUE(tensor_is_integral_type(i) && !tensor_is_integral_type(b));
  EXPECT_TRUE(tensor_is_integral_type(b, true));
  EXPECT_TRUE(tensor_is_floating_type(h) && !tensor_is_floating_type(i));
  EXPECT_TRUE(tensor_is_real_type(i) && !tensor_is_real_type(h));
  EXPECT_TRUE(tensor_is_realh_type(h) && !tensor_is_realh_type(b));
  EXPECT_TRUE(tensor_is_realhb_type(b) && tensor_is_realhbf16_type(h));
  EXPECT_TRUE(tensor_is_realhbbf16_type(b) && !tensor_is_realhbf16_type(b));
  EXPECT_FALSE(tensor_is_complex_type(f) || tensor_is_bits_type(f));
  EXPECT_TRUE(tensor_can_cast_to(i, ScalarType::Float));
  EXPECT_FALSE(tensor_can_cast_to(f, ScalarType::Int));
}

TEST_F(TensorUtilTest, Layouts) {
  const Tensor contiguous = tf_float_.zeros({2, 3, 4, 5});
  const Tensor nhwc = tf_float_.zeros_channels_last({2, 3, 4, 5});
  const Tensor transposed = tf_float_.make_with_dimorder({2, 3}, {1, 2, 3, 4, 5, 6}, {1, 0});
  EXPECT_TRUE(tensor_is_contiguous(contiguous));
  EXPECT_FALSE(tensor_is_contiguous(nhwc));
  // One channel: the same memory, whatever the strides of the dimension of size 1.
  EXPECT_TRUE(tensor_is_contiguous(tf_float_.zeros_channels_last({2, 1, 4, 5})));
  EXPECT_TRUE(tensor_is_default_dim_order(contiguous) && !tensor_is_default_dim_order(nhwc));
  EXPECT_TRUE(tensor_is_channels_last_dim_order(nhwc));
  EXPECT_FALSE(tensor_is_channels_last_dim_order(contiguous));
  EXPECT_TRUE(tensor_is_default_or_channels_last_dim_order(nhwc));
  EXPECT_FALSE(tensor_is_default_or_channels_last_dim_order(transposed));
  EXPECT_TRUE(tensors_have_same_dim_order(contiguous, tf_int_.zeros({3})));
  EXPECT_FALSE(tensors_have_same_dim_order(contiguous, nhwc));
  EXPECT_TRUE(tensors_have_same_dim_order(nhwc, nhwc, nhwc));
  EXPECT_TRUE(tensors_have_same_dim_order(transposed, transposed));
  EXPECT_FALSE(tensors_have_same_dim_order(transposed, tf_float_.zeros({2, 3})));
  EXPECT_FALSE(tensors_have_same_dim_order(contiguous, contiguous, contiguous, nhwc));
  EXPECT_TRUE(tensors_have_same_strides(nhwc, nhwc, nhwc));
  EXPECT_FALSE(tensors_have_same_strides(contiguous, nhwc));

  DimOrderType order[4];
  EXPECT_EQ(get_dim_order(nhwc, order, 4), Error::Ok);
  EXPECT_EQ(order[1], 2);
  EXPECT_EQ(get_dim_order(nhwc, order, 3), Error::InvalidArgument);
}

TEST_F(TensorUtilTest, ValidDimOrders) {
  SizesType sizes[] = {2, 3};
  DimOrderType order[] = {1, 0};
  DimOrderType twice[] = {1, 1};
  TensorImpl valid(ScalarType::Float, 2, sizes, nullptr, order);
  TensorImpl invalid(ScalarType::Float, 2, sizes, nullptr, twice);
  TensorImpl without(ScalarType::Float, 2, sizes);
  EXPECT_TRUE(executorch::runtime::tensor_has_valid_dim_order(Tensor(&valid)));
  EXPECT_TRUE(executorch::runtime::tensor_has_valid_dim_order(Tensor(&without)));
  EXPECT_FALSE(executorch::runtime::tensor_has_valid_dim_order(Tensor(&invalid)));
}

TEST_F(TensorUtilTest, ShapesAsText) {
  const int32_t narrow[] = {2, -3};
  EXPECT_STREQ(executorch::runtime::tensor_shape_to_c_string({narrow, 2}).data(), "(2, -3)");
  const int64_t wide[] = {2, int64_t{1} << 40};
  EXPECT_STREQ(executorch::runtime::tensor_shape_to_c_string({wide, 2}).data(),
               "(2, 1099511627776)");
  EXPECT_STREQ(executorch::runtime::tensor_shape_to_c_string({wide, size_t{0}}).data(), "()");
  const std::vector<int64_t> longest(16, std::numeric_limits<int64_t>::min());
  const auto text = executorch::runtime::tensor_shape_to_c_string({longest.data(), longest.size()});
  EXPECT_THAT(text.data(), ::testing::EndsWith("808...)"));
  const std::vector<int32_t> limit(16, std::numeric_limits<int32_t>::min());
  EXPECT_THAT(executorch::runtime::tensor_shape_to_c_string({limit.data(), limit.size()}).data(),
              ::testing::EndsWith(", -2147483648)"));
}

TEST_F(TensorUtilTest, MissingDimOrderIsContiguous) {
  SizesType sizes[] = {2, 3};
  executorch::aten::TensorImpl impl(ScalarType::Float, 2, sizes);
  const Tensor t(&impl);
  EXPECT_TRUE(tensor_is_contiguous(t) && tensor_is_default_dim_order(t));
  EXPECT_TRUE(tensors_have_same_dim_order(t, tf_float_.zeros({2, 3})));
  DimOrderType order[2] = {9, 9};
  EXPECT_EQ(get_dim_order(t, order, 2), Error::Ok);
  EXPECT_EQ(order[1], 1);
}

TEST_F(TensorUtilTest, Indices) {
  const Tensor t = tf_float_.zeros({2, 3, 4});
  EXPECT_EQ(getLeadingDims(t, 2), 6u);
  EXPECT_EQ(getLeadingDims(t, 0), 1u);
  EXPECT_EQ(getTrailingDims(t, 0), 12u);
  EXPECT_EQ(getTrailingDims(t, 2), 1u);
  EXPECT_EQ(getTrailingDims(t, -1), 24u);
  EXPECT_EQ(getLeadingDims(t, 3), 24u);
  EXPECT_DEATH(getLeadingDims(t, -1), "dimension -1 of a tensor of rank 3");
  EXPECT_DEATH(getLeadingDims(t, 4), "dimension 4 of a tensor of rank 3");
  EXPECT_DEATH(getTrailingDims(t, -2), "dimension -2 of a tensor of rank 3");
  EXPECT_DEATH(getTrailingDims(t, 3), "dimension 3 of a tensor of rank 3");
  size_t trailing[kTensorDimensionLimit];
  memoizeTrailingDims(t, trailing);
  for (size_t index = 0; index < 24; ++index) {
    size_t coordinate[3];
    indexToCoordinate(t, index, coordinate);
    EXPECT_EQ(coordinateToIndex(t, coordinate), index);
    EXPECT_EQ(coordinateToIndexWithTrailingDimsMemo(t, coordinate, trailing), index);
    const SizesType as_sizes[] = {static_cast<SizesType>(coordinate[0]),
                                  static_cast<SizesType>(coordinate[1]),
                                  static_cast<SizesType>(coordinate[2])};
    EXPECT_EQ(calculate_linear_index(as_sizes, t.strides().data(), 3), index);
  }
}

TEST_F(TensorUtilTest, ExtractScalar) {
  TensorFactory<ScalarType::Long> tf_long;
  TensorFactory<ScalarType::Double> tf_double;
  int8_t narrow = 0;
  EXPECT_TRUE(extract_scalar_tensor(tf_long.make({1}, {-128}), &narrow));
  EXPECT_EQ(narrow, -128);
  EXPECT_FALSE(extract_scalar_tensor(tf_long.make({}, {128}), &narrow));
  uint8_t unsigned_narrow = 0;
  EXPECT_FALSE(extract_scalar_tensor(tf_long.make({}, {-1}), &unsigned_narrow));
  uint64_t wide = 0;
  EXPECT_TRUE(extract_scalar_tensor(tf_long.make({}, {INT64_MAX}), &wide));
  EXPECT_FALSE(extract_scalar_tensor(tf_long.make({2}, {1, 2}), &wide));
  EXPECT_FALSE(extract_scalar_tensor(tf_float_.make({}, {1}), &wide));
  EXPECT_FALSE(extract_scalar_tensor(tf_bool_.make({}, {true}), &wide));
  float f = 0;
  EXPECT_TRUE(extract_scalar_tensor(tf_double.make({}, {1.5}), &f));
  EXPECT_EQ(f, 1.5f);
  EXPECT_TRUE(extract_scalar_tensor(tf_long.make({}, {3}), &f));
  EXPECT_EQ(f, 3.0f);
  EXPECT_FALSE(extract_scalar_tensor(tf_double.make({}, {1e300}), &f));
  EXPECT_TRUE(
      extract_scalar_tensor(tf_double.make({}, {std::numeric_limits<double>::infinity()}), &f));
  EXPECT_TRUE(extract_scalar_tensor(tf_half_.make({}, {2.5f}), &f));
  EXPECT_EQ(f, 2.5f);
  bool b = false;
  EXPECT_TRUE(extract_scalar_tensor(tf_bool_.make({}, {true}), &b));
  EXPECT_TRUE(b);
  EXPECT_FALSE(extract_scalar_tensor(tf_int_.make({}, {1}), &b));
}

TEST_F(TensorUtilTest, DataPointers) {
  const Tensor a = tf_float_.make({2}, {1, 2});
  const Tensor b = tf_float_.make({2}, {3, 4});
  const Tensor c = tf_float_.zeros({3});
  EXPECT_EQ(internal::copy_tensor_data(a, b), Error::Ok);
  EXPECT_TENSOR_EQ(a, b);
  EXPECT_EQ(internal::copy_tensor_data(a, c), Error::InvalidArgument);
  EXPECT_EQ(internal::copy_tensor_data(a, a), Error::Ok);

  float buffer[2] = {5, 6};
  EXPECT_EQ(internal::set_tensor_data(a, buffer, sizeof(buffer)), Error::Ok);
  EXPECT_EQ(a.const_data_ptr<float>()[1], 6.0f);
  EXPECT_EQ(internal::set_tensor_data(a, buffer, 7), Error::InvalidArgument);

  EXPECT_EQ(internal::share_tensor_data(b, a), Error::Ok);
  EXPECT_EQ(b.const_data_ptr(), a.const_data_ptr());
  EXPECT_EQ(internal::share_tensor_data(c, a), Error::InvalidArgument);

  internal::reset_data_ptr(a);
  EXPECT_EQ(a.const_data_ptr(), nullptr);
  EXPECT_EQ(internal::copy_tensor_data(a, b), Error::InvalidArgument);
  EXPECT_EQ(internal::copy_tensor_data(b, a), Error::InvalidArgument);
  EXPECT_EQ(internal::share_tensor_data(b, a), Error::InvalidArgument);
}

TEST_F(TensorUtilTest, EmptyTensorsNeedNoData) {
  SizesType sizes[] = {0};
  executorch::aten::TensorImpl first(ScalarType::Float, 1, sizes);
  executorch::aten::TensorImpl second(ScalarType::Float, 1, sizes);
  EXPECT_EQ(internal::copy_tensor_data(Tensor(&first), Tensor(&second)), Error::Ok);
  EXPECT_EQ(internal::share_tensor_data(Tensor(&first), Tensor(&second)), Error::Ok);
}

TEST_F(TensorUtilTest, AbortingChecks) {
  const Tensor a = tf_float_.zeros({2});
  const Tensor b = tf_int_.zeros({3});
  ET_CHECK_SAME_SHAPE2(a, a);
  ET_CHECK_SAME_DTYPE3(a, a, a);
  ET_CHECK_CONTIGUOUS(a);
  ET_CHECK_VALID_DIM(-1, 1);
  EXPECT_DEATH(ET_CHECK_SAME_SHAPE2(a, b), "shapes");
  EXPECT_DEATH(ET_CHECK_SAME_DTYPE2(a, b), "dtypes");
  EXPECT_DEATH(ET_CHECK_SAME_SHAPE_AND_DTYPE2(a, b), "");
  EXPECT_DEATH(ET_CHECK_VALID_DIM(1, 1), "dim 1");
  EXPECT_DEATH(ET_CHECK_NON_ZERO_DIM_SIZE(1, a), "");
  const int64_t ix = -1;
  EXPECT_EQ(ET_NORMALIZE_IX(ix, 3), 2);
  EXPECT_EQ(ET_MIN3(3, 1, 2), 1);
}

// What the macros ask of the context of a kernel, so that they need no more than this header.
struct FailedKernel {
  Error error = Error::Ok;
  void fail(Error reason) { error = reason; }
};

int checked(FailedKernel& context, int rank) {
  ET_KERNEL_CHECK(context, rank >= 0, InvalidArgument, -1);
  ET_KERNEL_CHECK_MSG(context, rank < 3, NotSupported, -2, "rank %d", rank);
  return rank;
}

TEST_F(TensorUtilTest, MacrosThatFailAKernelAreHere) {
  FailedKernel context;
  EXPECT_EQ(checked(context, 2), 2);
  EXPECT_EQ(context.error, Error::Ok);
  EXPECT_EQ(checked(context, -1), -1);
  EXPECT_EQ(context.error, Error::InvalidArgument);
  EXPECT_EQ(checked(context, 3), -2);
  EXPECT_EQ(context.error, Error::NotSupported);
  int64_t value = 0;
  ET_EXTRACT_SCALAR_TENSOR(tf_int_.make({1}, {7}), value);
  EXPECT_EQ(value, 7);
}

}  // namespace
