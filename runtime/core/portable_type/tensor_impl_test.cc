#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

using executorch::aten::ArrayRef;
using executorch::aten::DeviceType;
using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::aten::TensorShapeDynamism;
using executorch::runtime::Error;
using executorch::runtime::resize_tensor;

namespace {

/// A tensor of shape (2, 3) with arrays of its own.
struct Sample {
  explicit Sample(TensorShapeDynamism dynamism, std::array<DimOrderType, 2> order = {0, 1},
                  std::array<StridesType, 2> initial_strides = {3, 1})
      : dim_order(order),
        strides(initial_strides),
        impl(ScalarType::Float, 2, sizes.data(), data.data(), dim_order.data(), strides.data(),
             dynamism) {}
  std::array<SizesType, 2> sizes = {2, 3};
  std::array<DimOrderType, 2> dim_order;
  std::array<StridesType, 2> strides;
  std::array<float, 6> data = {0, 1, 2, 3, 4, 5};
  TensorImpl impl;
  Tensor tensor{&impl};
};

TEST(TensorImplTest, TypesAreTheDocumentedOnes) {
  static_assert(std::is_same<SizesType, int32_t>::value, "");
  static_assert(std::is_same<DimOrderType, uint8_t>::value, "");
  static_assert(std::is_same<StridesType, int32_t>::value, "");
  static_assert(sizeof(Tensor) == sizeof(void*), "");
  EXPECT_EQ(executorch::runtime::kTensorDimensionLimit, 16u);
}

TEST(TensorImplTest, Metadata) {
  Sample sample(TensorShapeDynamism::DYNAMIC_BOUND);
  const Tensor t = sample.tensor;
  EXPECT_EQ(t.dim(), 2);
  EXPECT_EQ(t.numel(), 6);
  EXPECT_EQ(t.nbytes(), 24u);
  EXPECT_EQ(t.element_size(), 4);
  EXPECT_EQ(t.size(1), 3);
  EXPECT_EQ(t.scalar_type(), ScalarType::Float);
  EXPECT_EQ(t.sizes(), ArrayRef<SizesType>({2, 3}));
  EXPECT_EQ(t.strides(), ArrayRef<StridesType>({3, 1}));
  EXPECT_EQ(t.dim_order(), ArrayRef<DimOrderType>({0, 1}));
  EXPECT_EQ(t.shape_dynamism(), TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(t.const_data_ptr<float>()[5], 5.0f);
  t.mutable_data_ptr<float>()[0] = 7.0f;
  EXPECT_EQ(t.data_ptr<float>()[0], 7.0f);
  EXPECT_EQ(t.const_data_ptr(), sample.data.data());
  EXPECT_EQ(t.device_type(), DeviceType::CPU);
  EXPECT_TRUE(t.device().is_cpu());
  EXPECT_EQ(t.unsafeGetTensorImpl(), &sample.impl);
}

TEST(TensorImplTest, EveryDtypeHasItsSize) {
  std::array<SizesType, 1> sizes = {4};
#define CHECK_SIZE(ctype, name)                                                   \
  {                                                                               \
    TensorImpl impl(ScalarType::name, 1, sizes.data());                           \
    EXPECT_EQ(impl.nbytes(), 4 * sizeof(ctype)) << #name;                         \
    EXPECT_EQ(impl.element_size(), static_cast<ssize_t>(sizeof(ctype))) << #name; \
  }
  ET_FORALL_SCALAR_TYPES(CHECK_SIZE)
#undef CHECK_SIZE
}

TEST(TensorImplTest, RankZero) {
  float value = 3.0f;
  TensorImpl impl(ScalarType::Float, 0, nullptr, &value);
  Tensor t(&impl);
  EXPECT_EQ(t.dim(), 0);
  EXPECT_EQ(t.numel(), 1);
  EXPECT_EQ(t.nbytes(), 4u);
  EXPECT_TRUE(t.sizes().empty());
  EXPECT_EQ(resize_tensor(t, ArrayRef<SizesType>()), Error::Ok);
}

TEST(TensorImplTest, ArraysMayBeMissing) {
  std::array<SizesType, 2> sizes = {2, 0};
  TensorImpl impl(ScalarType::Long, 2, sizes.data());
  EXPECT_EQ(impl.numel(), 0);
  EXPECT_TRUE(impl.strides().empty());
  EXPECT_TRUE(impl.dim_order().empty());
  EXPECT_EQ(impl.data(), nullptr);
}

TEST(TensorImplTest, WrongArgumentsAbort) {
  std::array<SizesType, 3> negative = {2, -1, 2};
  std::array<SizesType, 3> huge = {INT32_MAX, INT32_MAX, INT32_MAX};
  std::array<SizesType, 1> fine = {2};
  EXPECT_DEATH(TensorImpl(ScalarType::Float, 3, negative.data()), "negative");
  EXPECT_DEATH(TensorImpl(ScalarType::Float, 3, huge.data()), "");
  EXPECT_DEATH(TensorImpl(ScalarType::Undefined, 1, fine.data()), "scalar type");
  EXPECT_DEATH(TensorImpl(static_cast<ScalarType>(-3), 1, fine.data()), "scalar type");
  EXPECT_DEATH(TensorImpl(ScalarType::Float, 1, nullptr), "");
  TensorImpl impl(ScalarType::Float, 1, fine.data());
  EXPECT_DEATH(impl.size(1), "dimension 1");
  EXPECT_DEATH(impl.size(-1), "dimension -1");
}

TEST(TensorResizeTest, StaticTensorsKeepTheirShape) {
  Sample sample(TensorShapeDynamism::STATIC);
  EXPECT_EQ(resize_tensor(sample.tensor, {2, 3}), Error::Ok);
  EXPECT_EQ(resize_tensor(sample.tensor, {3, 2}), Error::NotSupported);
  EXPECT_EQ(resize_tensor(sample.tensor, {1, 3}), Error::NotSupported);
  EXPECT_EQ(sample.tensor.sizes(), ArrayRef<SizesType>({2, 3}));
}

TEST(TensorResizeTest, BoundedTensorsShrinkAndGrowBack) {
  for (auto dynamism : {TensorShapeDynamism::DYNAMIC_BOUND, TensorShapeDynamism::DYNAMIC_UNBOUND}) {
    Sample sample(dynamism);
    EXPECT_EQ(resize_tensor(sample.tensor, {1, 2}), Error::Ok);
    EXPECT_EQ(sample.tensor.numel(), 2);
    EXPECT_EQ(sample.tensor.nbytes(), 8u);
    EXPECT_EQ(sample.tensor.strides(), ArrayRef<StridesType>({2, 1}));
    // Another shape of the same capacity is fine, even with a larger single size.
    EXPECT_EQ(resize_tensor(sample.tensor, {6, 1}), Error::Ok);
    EXPECT_EQ(sample.tensor.strides(), ArrayRef<StridesType>({1, 1}));
    EXPECT_EQ(resize_tensor(sample.tensor, {0, 3}), Error::Ok);
    EXPECT_EQ(sample.tensor.numel(), 0);
    EXPECT_EQ(resize_tensor(sample.tensor, {2, 3}), Error::Ok);
    EXPECT_EQ(sample.tensor.numel(), 6);
    EXPECT_EQ(resize_tensor(sample.tensor, {7, 1}), Error::NotSupported);
    EXPECT_EQ(sample.tensor.sizes(), ArrayRef<SizesType>({2, 3}));
    EXPECT_EQ(sample.tensor.strides(), ArrayRef<StridesType>({3, 1}));
  }
}

TEST(TensorResizeTest, DimOrderIsKept) {
  Sample sample(TensorShapeDynamism::DYNAMIC_BOUND, {1, 0}, {1, 2});
  EXPECT_EQ(resize_tensor(sample.tensor, {3, 2}), Error::Ok);
  EXPECT_EQ(sample.tensor.strides(), ArrayRef<StridesType>({1, 3}));
  EXPECT_EQ(sample.tensor.dim_order(), ArrayRef<DimOrderType>({1, 0}));
}

TEST(TensorResizeTest, BadShapesChangeNothing) {
  Sample sample(TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize_tensor(sample.tensor, {6}), Error::NotSupported);
  EXPECT_EQ(resize_tensor(sample.tensor, {1, 2, 3}), Error::NotSupported);
  EXPECT_EQ(resize_tensor(sample.tensor, {-1, 2}), Error::InvalidArgument);
  // More elements than there is memory for, or than a 32-bit processor can count.
  EXPECT_EQ(resize_tensor(sample.tensor, {INT32_MAX, INT32_MAX}),
            sizeof(void*) < 8 ? Error::InvalidArgument : Error::NotSupported);
  EXPECT_EQ(resize_tensor(sample.tensor, ArrayRef<int64_t>({int64_t{1} << 32, 1})),
            Error::InvalidArgument);
  EXPECT_EQ(resize_tensor(sample.tensor, ArrayRef<uint32_t>({0xffffffffu, 1u})),
            Error::InvalidArgument);
  EXPECT_EQ(sample.tensor.sizes(), ArrayRef<SizesType>({2, 3}));
  EXPECT_EQ(sample.tensor.numel(), 6);
}

TEST(TensorResizeTest, OtherIntegerTypes) {
  Sample sample(TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize_tensor(sample.tensor, ArrayRef<int64_t>({1, 3})), Error::Ok);
  EXPECT_EQ(sample.tensor.sizes(), ArrayRef<SizesType>({1, 3}));
  const std::vector<size_t> sizes = {2, 1};
  EXPECT_EQ(resize_tensor(sample.tensor, ArrayRef<size_t>(sizes)), Error::Ok);
  EXPECT_EQ(sample.tensor.sizes(), ArrayRef<SizesType>({2, 1}));
  executorch::runtime::resize(sample.tensor, {1, 1});
  EXPECT_EQ(sample.tensor.numel(), 1);
  EXPECT_DEATH(executorch::runtime::resize(sample.tensor, {9, 9}), "resize");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(TensorResizeTest, OlderFormOfTheImplementation) {
  Sample sample(TensorShapeDynamism::DYNAMIC_BOUND);
  sample.impl.set_sizes_contiguous({2, 2});
  EXPECT_EQ(sample.tensor.sizes(), ArrayRef<SizesType>({2, 2}));
  EXPECT_EQ(sample.tensor.strides(), ArrayRef<StridesType>({2, 1}));
  EXPECT_DEATH(sample.impl.set_sizes_contiguous({9, 9}), "cannot take the new sizes");
}
#pragma GCC diagnostic pop

TEST(TensorResizeTest, WithoutStridesOrDimOrder) {
  std::array<SizesType, 2> sizes = {2, 3};
  std::array<StridesType, 2> strides = {3, 1};
  TensorImpl no_arrays(ScalarType::Float, 2, sizes.data(), nullptr, nullptr, nullptr,
                       TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize_tensor(Tensor(&no_arrays), {1, 3}), Error::Ok);
  EXPECT_EQ(no_arrays.numel(), 3);
  sizes = {2, 3};
  TensorImpl strides_only(ScalarType::Float, 2, sizes.data(), nullptr, nullptr, strides.data(),
                          TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize_tensor(Tensor(&strides_only), {3, 2}), Error::Ok);
  EXPECT_EQ(strides[0], 2);
}

}  // namespace
