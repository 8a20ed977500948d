#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>

using executorch::aten::ArrayRef;
using executorch::aten::DimOrderType;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::StridesType;
using executorch::aten::Tensor;
using executorch::aten::TensorShapeDynamism;
using executorch::runtime::testing::TensorFactory;
using executorch::runtime::testing::TensorListFactory;

namespace {

TEST(TensorFactoryTest, MakesEveryType) {
#define CHECK_TYPE(ctype, name)                   \
  {                                               \
    TensorFactory<ScalarType::name> tf;           \
    const Tensor t = tf.ones({2, 2});             \
    EXPECT_EQ(t.scalar_type(), ScalarType::name); \
    EXPECT_EQ(t.nbytes(), 4 * sizeof(ctype));     \
    EXPECT_TENSOR_EQ(t, tf.full({2, 2}, 1));      \
    EXPECT_TENSOR_NE(t, tf.zeros({2, 2}));        \
  }
  ET_FORALL_REALHBBF16_TYPES(CHECK_TYPE)
  ET_FORALL_UINT_TYPES(CHECK_TYPE)
#undef CHECK_TYPE
  TensorFactory<ScalarType::QInt8> quantized;
  EXPECT_EQ(quantized.zeros({3}).nbytes(), 3u);
  TensorFactory<ScalarType::ComplexFloat> complex;
  EXPECT_TENSOR_CLOSE(complex.ones({2}), complex.ones({2}));
}

TEST(TensorFactoryTest, TypesOfBitsAreMadeOfNumbers) {
  TensorFactory<ScalarType::Bits16> tf;
  const Tensor t = tf.make({2}, {1, 65535});
  EXPECT_EQ(t.scalar_type(), ScalarType::Bits16);
  EXPECT_EQ(t.nbytes(), 4u);
  EXPECT_EQ(static_cast<const uint16_t*>(t.const_data_ptr())[1], 65535);
  TensorFactory<ScalarType::Bits4x2> small;
  EXPECT_EQ(small.full({3}, 7).nbytes(), 3u);
  using internal =
      executorch::runtime::testing::internal::ScalarTypeToCppTypeWrapper<ScalarType::Bool>;
  static_assert(std::is_same<internal::ctype, uint8_t>::value, "");
}

TEST(TensorFactoryTest, MoreDimensionsThanTheRuntimeTakes) {
  TensorFactory<ScalarType::Int> tf;
  std::vector<int32_t> sizes(20, 1);
  sizes[0] = 3;
  sizes[19] = 2;
  const Tensor t = tf.make(sizes, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(t.dim(), 20);
  EXPECT_EQ(t.strides()[0], 2);
  std::vector<int32_t> strides(20, 3);
  strides[0] = 1;
  EXPECT_EQ(tf.make(sizes, {1, 4, 2, 5, 3, 6}, strides).dim_order()[19], 0);
}

TEST(TensorFactoryTest, ShapesStridesAndOrders) {
  TensorFactory<ScalarType::Int> tf;
  const Tensor strided = tf.make({2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2});
  EXPECT_EQ(strided.dim_order(), ArrayRef<DimOrderType>({1, 0}));
  const Tensor ordered = tf.make_with_dimorder({2, 3}, {1, 2, 3, 4, 5, 6}, {1, 0});
  EXPECT_EQ(ordered.strides(), ArrayRef<StridesType>({1, 2}));
  EXPECT_TENSOR_EQ(strided, ordered);
  EXPECT_TENSOR_NE(strided, tf.make({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_TENSOR_DATA_EQ(strided, tf.make({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(tf.zeros({2}, TensorShapeDynamism::DYNAMIC_BOUND).shape_dynamism(),
            TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(tf.make({}, {7}).numel(), 1);
  EXPECT_EQ(tf.make({0, 3}, {}).numel(), 0);
}

TEST(TensorFactoryTest, ChannelsLast) {
  TensorFactory<ScalarType::Int> tf;
  const Tensor contiguous = tf.make({1, 2, 2, 1}, {1, 2, 3, 4});
  const Tensor nhwc = tf.channels_last_like(contiguous);
  EXPECT_TENSOR_EQ(nhwc, tf.make_channels_last({1, 2, 2, 1}, {1, 3, 2, 4}));
  EXPECT_TENSOR_EQ(tf.full_like(nhwc, 5), tf.full_channels_last({1, 2, 2, 1}, 5));
  EXPECT_DEATH(tf.zeros_channels_last({2, 2}), "rank 4 or 5");
}

TEST(TensorFactoryTest, WrongArgumentsAbort) {
  TensorFactory<ScalarType::Int> tf;
  EXPECT_DEATH(tf.make({2}, {1, 2, 3}), "3 values for 2 elements");
  EXPECT_DEATH(tf.make({2, 2}, {1, 2, 3, 4}, {4, 1}), "dense");
  EXPECT_DEATH(tf.make_with_dimorder({2, 2}, {1, 2, 3, 4}, {0, 0}), "");
  EXPECT_DEATH(tf.make_with_dimorder({2, 2}, {1, 2, 3, 4}, {0}), "");
}

TEST(TensorFactoryTest, Lists) {
  TensorFactory<ScalarType::Int> tf;
  TensorListFactory<ScalarType::Float> tlf;
  const auto list = tlf.zeros_like({tf.ones({2}), tf.ones({3})});
  TensorFactory<ScalarType::Float> tf_float;
  const std::vector<Tensor> expected = {tf_float.zeros({2}), tf_float.zeros({3})};
  EXPECT_TENSOR_LISTS_EQ(list, expected);
  EXPECT_TENSOR_LISTS_NE(list, (std::vector<Tensor>{tf_float.zeros({2})}));
  EXPECT_TENSOR_LISTS_NE(list, (std::vector<Tensor>{tf_float.zeros({2}), tf_float.ones({3})}));
}

TEST(TensorCompareTest, Tolerances) {
  TensorFactory<ScalarType::Float> tf;
  const Tensor a = tf.make({2}, {1.0f, 100.0f});
  EXPECT_TENSOR_CLOSE(a, tf.make({2}, {1.000001f, 100.0005f}));
  EXPECT_TENSOR_NE(a, tf.make({2}, {1.000001f, 100.0f}));
  EXPECT_TENSOR_NOT_CLOSE(a, tf.make({2}, {1.001f, 100.0f}));
  EXPECT_TENSOR_CLOSE_WITH_TOL(a, tf.make({2}, {1.001f, 100.0f}), 0, 0.01);
  EXPECT_TENSOR_NOT_CLOSE_WITH_TOL(a, tf.make({2}, {1.1f, 100.0f}), 0, 0.01);
}

TEST(TensorCompareTest, SpecialValues) {
  TensorFactory<ScalarType::Float> tf;
  const Tensor special = tf.make({3}, {NAN, INFINITY, -INFINITY});
  EXPECT_TENSOR_EQ(special, tf.make({3}, {NAN, INFINITY, -INFINITY}));
  EXPECT_TENSOR_NOT_CLOSE(special, tf.make({3}, {NAN, INFINITY, INFINITY}));
  EXPECT_TENSOR_NOT_CLOSE(special, tf.make({3}, {0, INFINITY, -INFINITY}));
  EXPECT_TENSOR_NOT_CLOSE(tf.make({1}, {1e30f}), tf.make({1}, {INFINITY}));
  EXPECT_TENSOR_EQ(tf.make({1}, {0.0f}), tf.make({1}, {-0.0f}));
}

TEST(TensorCompareTest, ShapeAndDtypeCount) {
  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Double> tf_double;
  EXPECT_TENSOR_NE(tf.ones({2, 1}), tf.ones({1, 2}));
  EXPECT_TENSOR_DATA_EQ(tf.ones({2, 1}), tf.ones({1, 2}));
  EXPECT_TENSOR_DATA_NE(tf.ones({2}), tf.ones({3}));
  EXPECT_TENSOR_NOT_CLOSE(tf.ones({2}), tf_double.ones({2}));
  EXPECT_TENSOR_EQ(tf.ones({0}), tf.ones({0}));
}

TEST(TensorPrintTest, SaysWhatItIs) {
  TensorFactory<ScalarType::Byte> tf;
  std::ostringstream text;
  text << tf.make({1, 2}, {3, 255});
  EXPECT_EQ(text.str(), "Tensor(sizes=(1, 2), strides=(2, 1), dtype=Byte, data=[3, 255])");
  std::ostringstream scalar;
  scalar << Scalar(1.5) << Scalar(true) << Scalar(3);
  EXPECT_EQ(scalar.str(), "Scalar(1.5)Scalar(true)Scalar(3)");
}

}  // namespace
