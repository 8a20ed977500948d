#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/tensor/tensor.h>
#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace {

using executorch::aten::BFloat16;
using executorch::aten::Half;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorShapeDynamism;
using runtime::Error;

class TensorPtrTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

std::vector<int64_t> sizes_of(const TensorPtr& tensor) {
  return {tensor->sizes().begin(), tensor->sizes().end()};
}

std::vector<int64_t> strides_of(const TensorPtr& tensor) {
  return {tensor->strides().begin(), tensor->strides().end()};
}

template <typename T>
std::vector<T> data_of(const TensorPtr& tensor) {
  const T* data = tensor->const_data_ptr<T>();
  return std::vector<T>(data, data + tensor->numel());
}

TEST_F(TensorPtrTest, OverDataOfTheCaller) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  const auto tensor = make_tensor_ptr({2, 3}, data, ScalarType::Float);
  EXPECT_EQ(tensor->dim(), 2);
  EXPECT_EQ(sizes_of(tensor), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(strides_of(tensor), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(tensor->const_data_ptr<float>(), data);
  tensor->mutable_data_ptr<float>()[4] = 50;
  EXPECT_EQ(data[4], 50);
}

TEST_F(TensorPtrTest, OwnsVectorsAndLists) {
  const auto from_list = make_tensor_ptr({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
  EXPECT_EQ(from_list->scalar_type(), ScalarType::Float);
  EXPECT_EQ(data_of<float>(from_list), (std::vector<float>{1, 2, 3, 4, 5, 6}));

  std::vector<int64_t> values = {7, 8};
  const int64_t* place = values.data();
  const auto from_vector = make_tensor_ptr({2}, std::move(values));
  EXPECT_EQ(from_vector->scalar_type(), ScalarType::Long);
  EXPECT_EQ(from_vector->const_data_ptr<int64_t>(), place) << "moved, not copied";

  const auto flat = make_tensor_ptr({1, 2, 3});
  EXPECT_EQ(sizes_of(flat), (std::vector<int64_t>{3}));
  EXPECT_EQ(flat->scalar_type(), ScalarType::Int);
}

TEST_F(TensorPtrTest, TypesFollowTheElements) {
  EXPECT_EQ(make_tensor_ptr(std::vector<uint8_t>{1})->scalar_type(), ScalarType::Byte);
  EXPECT_EQ(make_tensor_ptr(std::vector<int8_t>{1})->scalar_type(), ScalarType::Char);
  EXPECT_EQ(make_tensor_ptr(std::vector<int16_t>{1})->scalar_type(), ScalarType::Short);
  EXPECT_EQ(make_tensor_ptr(std::vector<uint16_t>{1})->scalar_type(), ScalarType::UInt16);
  EXPECT_EQ(make_tensor_ptr(std::vector<uint32_t>{1})->scalar_type(), ScalarType::UInt32);
  EXPECT_EQ(make_tensor_ptr(std::vector<long long>{1})->scalar_type(), ScalarType::Long);
  EXPECT_EQ(make_tensor_ptr(std::vector<double>{1})->scalar_type(), ScalarType::Double);
  EXPECT_EQ(make_tensor_ptr(std::vector<Half>{1})->scalar_type(), ScalarType::Half);
  EXPECT_EQ(make_tensor_ptr(std::vector<BFloat16>{1})->scalar_type(), ScalarType::BFloat16);
  const auto bools = make_tensor_ptr(std::vector<bool>{true, false, true});
  EXPECT_EQ(bools->scalar_type(), ScalarType::Bool);
  EXPECT_EQ(data_of<bool>(bools), (std::vector<bool>{true, false, true}));
}

TEST_F(TensorPtrTest, Scalars) {
  const auto pi = make_tensor_ptr(3.14);
  EXPECT_EQ(pi->dim(), 0);
  EXPECT_EQ(pi->numel(), 1);
  EXPECT_EQ(pi->scalar_type(), ScalarType::Double);
  EXPECT_EQ(pi->const_data_ptr<double>()[0], 3.14);
  const auto answer = make_tensor_ptr(42, ScalarType::Float);
  EXPECT_EQ(answer->scalar_type(), ScalarType::Float);
  EXPECT_EQ(answer->const_data_ptr<float>()[0], 42.0f);
}

TEST_F(TensorPtrTest, ElementsAreCastWhenNothingIsLost) {
  const auto doubles = make_tensor_ptr({1, 2, 3, 4, 5, 6}, ScalarType::Double);
  EXPECT_EQ(data_of<double>(doubles), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  const auto halves = make_tensor_ptr({2}, {1.5f, -2.0f}, ScalarType::Half);
  EXPECT_EQ(static_cast<float>(halves->const_data_ptr<Half>()[0]), 1.5f);
  const auto longs = make_tensor_ptr({2}, std::vector<bool>{true, false}, ScalarType::Long);
  EXPECT_EQ(data_of<int64_t>(longs), (std::vector<int64_t>{1, 0}));
  const auto bytes = make_tensor_ptr({2}, std::vector<int>{1, 255}, ScalarType::Byte);
  EXPECT_EQ(data_of<uint8_t>(bytes), (std::vector<uint8_t>{1, 255}));
}

using TensorPtrDeathTest = TensorPtrTest;

TEST_F(TensorPtrDeathTest, CastsThatLoseValuesStop) {
  EXPECT_DEATH(make_tensor_ptr({1.5f}, ScalarType::Int), "Cannot cast Float to Int");
  EXPECT_DEATH(make_tensor_ptr({1}, ScalarType::Bool), "Cannot cast Int to Bool");
  EXPECT_DEATH(clone_tensor_ptr(make_tensor_ptr({1.5}), ScalarType::Long),
               "Cannot cast Double to Long");
}

TEST_F(TensorPtrDeathTest, WrongAmountsOfDataStop) {
  EXPECT_DEATH(make_tensor_ptr({2, 3}, {1.0f}), "ask for 6 elements, but the data has 1");
  EXPECT_DEATH(make_tensor_ptr({3}, std::vector<uint8_t>(11), ScalarType::Int),
               "Expected 12 bytes of data, found 11");
  float value = 0;
  EXPECT_DEATH(make_tensor_ptr({-1}, &value), "non-negative, found -1");
}

TEST_F(TensorPtrDeathTest, LayoutsThatCannotBeStop) {
  float data[6] = {};
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {0}, {}), "dim order of 2 entries, found 1");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {0, 0}, {}), "no permutation");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {0, 2}, {}), "no permutation");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {}, {1}), "Expected 2 strides, found 1");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {}, {4, 1}), "expected a stride of 3 .* found 4");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {1, 0}, {3, 1}), "expected a stride of 1 .* found 3");
}

TEST_F(TensorPtrTest, RawBytesAreReinterpreted) {
  const int32_t values[2] = {7, -7};
  const auto* raw = reinterpret_cast<const uint8_t*>(values);
  const auto tensor = make_tensor_ptr({2}, std::vector<uint8_t>(raw, raw + 8), ScalarType::Int);
  EXPECT_EQ(data_of<int32_t>(tensor), (std::vector<int32_t>{7, -7}));
}

TEST_F(TensorPtrTest, StridesAndDimOrderFollowFromEachOther) {
  float data[24] = {};
  const auto from_strides = make_tensor_ptr({1, 2, 3, 4}, data, {}, {24, 1, 8, 2});
  EXPECT_EQ(from_strides->dim_order()[3], 1) << "channels last";
  const auto from_order = make_tensor_ptr({1, 2, 3, 4}, data, {0, 2, 3, 1}, {});
  EXPECT_EQ(strides_of(from_order), (std::vector<int64_t>{24, 1, 8, 2}));
  // The stride of a dimension with one element means nothing.
  const auto any = make_tensor_ptr({2, 1, 3}, data, {}, {3, 77, 1});
  EXPECT_EQ(any->strides()[0], 3);
  EXPECT_EQ(any->strides()[2], 1);
}

TEST_F(TensorPtrTest, DeletersRunOnceWhenTheLastCopyGoes) {
  int calls = 0;
  auto* data = new double[6]{1, 2, 3, 4, 5, 6};
  auto tensor = make_tensor_ptr({2, 3}, data, ScalarType::Double,
                                TensorShapeDynamism::DYNAMIC_BOUND, [&calls](void* pointer) {
                                  delete[] static_cast<double*>(pointer);
                                  ++calls;
                                });
  auto copy = tensor;
  tensor.reset();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(copy->const_data_ptr<double>()[5], 6);
  copy.reset();
  EXPECT_EQ(calls, 1);
}

TEST_F(TensorPtrTest, ViewsShareDataAndHaveTheirOwnSizes) {
  const auto original = make_tensor_ptr({2, 3}, {1, 2, 3, 4, 5, 6});
  auto view = make_tensor_ptr(*original);
  EXPECT_EQ(view->const_data_ptr(), original->const_data_ptr());
  ASSERT_EQ(resize_tensor_ptr(view, {1, 3}), Error::Ok);
  EXPECT_EQ(sizes_of(view), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(sizes_of(original), (std::vector<int64_t>{2, 3}));
  view->mutable_data_ptr<int32_t>()[0] = 9;
  EXPECT_EQ(original->const_data_ptr<int32_t>()[0], 9);
  const auto reshaped = make_tensor_ptr(*original, {3, 2});
  EXPECT_EQ(strides_of(reshaped), (std::vector<int64_t>{2, 1}));
}

TEST_F(TensorPtrTest, ViewsKeepTheLayout) {
  const auto original = make_tensor_ptr({2, 3}, {1, 4, 2, 5, 3, 6}, {1, 0}, {});
  EXPECT_EQ(strides_of(make_tensor_ptr(original)), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(strides_of(clone_tensor_ptr(original)), (std::vector<int64_t>{1, 2}));
}

TEST_F(TensorPtrTest, AViewOfATensorPtrKeepsItAlive) {
  auto original = make_tensor_ptr({2}, {1.0f, 2.0f});
  const std::weak_ptr<Tensor> watch = original;
  auto view = make_tensor_ptr(original, {1, 2});
  original.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(view->const_data_ptr<float>()[1], 2.0f);
  view.reset();
  EXPECT_TRUE(watch.expired());
}

TEST_F(TensorPtrDeathTest, ViewsMayNotAskForMore) {
  const auto original = make_tensor_ptr({2}, {1.0f, 2.0f});
  EXPECT_DEATH(make_tensor_ptr(*original, {3}), "asks for 3 elements, but the tensor has only 2");
}

TEST_F(TensorPtrTest, AViewOfTheSameRankKeepsTheDimOrder) {
  const auto original = make_tensor_ptr({2, 3}, std::vector<float>(6), {1, 0}, {});
  for (const auto& view : {make_tensor_ptr(*original, {3, 2}), make_tensor_ptr(original, {3, 2})}) {
    EXPECT_EQ(strides_of(view), (std::vector<int64_t>{1, 3}));
  }
  EXPECT_EQ(strides_of(make_tensor_ptr(original, {3, 2}, {0, 1})), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(strides_of(make_tensor_ptr(original, {3, 2, 1})), (std::vector<int64_t>{2, 1, 1}));
}

TEST_F(TensorPtrDeathTest, RawBytesHaveToFit) {
  EXPECT_DEATH(make_tensor_ptr({2, 2}, std::vector<uint8_t>(20)), "Expected 16 bytes .* found 20");
  EXPECT_DEATH(make_tensor_ptr({2, 2}, std::vector<uint8_t>(20), ScalarType::Float),
               "Expected 16 bytes of data, found 20");
  EXPECT_DEATH(make_tensor_ptr({2, 2}, std::vector<uint8_t>(12)), "Expected 16 bytes .* found 12");
}

TEST_F(TensorPtrTest, ClonesOwnTheirData) {
  float data[2] = {1, 2};
  const auto original = make_tensor_ptr({2}, data);
  const auto clone = clone_tensor_ptr(original);
  const auto widened = clone_tensor_ptr(*original, ScalarType::Double);
  data[0] = 100;
  EXPECT_EQ(data_of<float>(clone), (std::vector<float>{1, 2}));
  EXPECT_EQ(data_of<double>(widened), (std::vector<double>{1, 2}));
  const auto nothing = clone_tensor_ptr(make_tensor_ptr({2}, static_cast<void*>(nullptr)));
  EXPECT_EQ(nothing->const_data_ptr(), nullptr);
}

TEST_F(TensorPtrTest, ResizingRespectsTheBound) {
  auto tensor = make_tensor_ptr({2, 3}, {1, 2, 3, 4, 5, 6}, ScalarType::Int,
                                TensorShapeDynamism::DYNAMIC_BOUND);
  for (const std::vector<SizesType>& sizes :
       std::vector<std::vector<SizesType>>{{2, 2}, {1, 3}, {3, 2}, {6, 1}}) {
    EXPECT_EQ(resize_tensor_ptr(tensor, sizes), Error::Ok);
    EXPECT_EQ(sizes_of(tensor), (std::vector<int64_t>(sizes.begin(), sizes.end())));
    EXPECT_EQ(tensor->strides()[0], sizes[1]);
  }
  EXPECT_NE(resize_tensor_ptr(tensor, {7, 1}), Error::Ok);
  EXPECT_NE(resize_tensor_ptr(tensor, {6}), Error::Ok) << "the rank stays";
  EXPECT_EQ(sizes_of(tensor), (std::vector<int64_t>{6, 1})) << "a failure changes nothing";
  auto fixed = make_tensor_ptr({2}, {1, 2}, ScalarType::Int, TensorShapeDynamism::STATIC);
  EXPECT_NE(resize_tensor_ptr(fixed, {1}), Error::Ok);
  EXPECT_EQ(resize_tensor_ptr(fixed, {2}), Error::Ok);
}

TEST_F(TensorPtrTest, EmptyTensors) {
  const auto tensor = make_tensor_ptr({2, 0, 3}, std::vector<float>{});
  EXPECT_EQ(tensor->numel(), 0);
  EXPECT_EQ(strides_of(tensor), (std::vector<int64_t>{3, 3, 1})) << "as PyTorch has it";
  EXPECT_EQ(clone_tensor_ptr(tensor)->numel(), 0);
}

TEST_F(TensorPtrTest, AnEValueTakesATensorPtr) {
  const auto tensor = make_tensor_ptr({1.0f, 2.0f});
  const runtime::EValue value(tensor);
  ASSERT_TRUE(value.isTensor());
  EXPECT_EQ(value.toTensor().const_data_ptr(), tensor->const_data_ptr());
  const std::vector<runtime::EValue> several = {tensor, tensor, static_cast<int64_t>(3)};
  EXPECT_EQ(several.size(), 3u);
}

TEST_F(TensorPtrTest, AccessorsReadAndWriteByIndex) {
  const auto tensor = make_tensor_ptr({2, 3}, {0.f, 3.f, 1.f, 4.f, 2.f, 5.f}, {1, 0}, {});
  const auto accessor = make_tensor_accessor<float, 2>(*tensor);
  ASSERT_TRUE(accessor.ok());
  auto matrix = *accessor;
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 3; ++column) {
      EXPECT_EQ(matrix[row][column], static_cast<float>(3 * row + column));
    }
  }
  matrix[1][2] = 50;
  EXPECT_EQ(tensor->const_data_ptr<float>()[5], 50);
  EXPECT_EQ(matrix.size(1), 3);
  EXPECT_EQ(matrix.stride(0), 1);
  const auto constant = make_tensor_accessor<const float, 2>(*tensor);
  ASSERT_TRUE(constant.ok());
  EXPECT_EQ((*constant)[1][2], 50);
}

TEST_F(TensorPtrTest, AccessorsNeedTheRightTypeAndRank) {
  const auto tensor = make_tensor_ptr({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ((make_tensor_accessor<float, 2>(*tensor).error()), Error::InvalidArgument);
  EXPECT_EQ((make_tensor_accessor<int32_t, 3>(*tensor).error()), Error::InvalidArgument);
  EXPECT_TRUE((make_tensor_accessor<int32_t, 2>(*tensor).ok()));
}

// A device whose memory is the host's, so that tests can look into it.
class HostDevice final : public runtime::DeviceAllocator {
 public:
  executorch::aten::DeviceType device_type() const override {
    return executorch::aten::DeviceType::CUDA;
  }
  runtime::Result<void*> allocate(size_t nbytes, executorch::aten::DeviceIndex, size_t) override {
    ++live;
    return std::malloc(nbytes);
  }
  void deallocate(void* pointer, executorch::aten::DeviceIndex) override {
    --live;
    std::free(pointer);
  }
  Error copy_host_to_device(void* target, const void* source, size_t nbytes,
                            executorch::aten::DeviceIndex) override {
    std::memcpy(target, source, nbytes);
    return Error::Ok;
  }
  Error copy_device_to_host(void* target, const void* source, size_t nbytes,
                            executorch::aten::DeviceIndex) override {
    std::memcpy(target, source, nbytes);
    return Error::Ok;
  }
  int live = 0;
};

TEST_F(TensorPtrTest, ClonesGoToADeviceAndBack) {
  const executorch::aten::Device gpu(executorch::aten::DeviceType::CUDA, 0);
  const executorch::aten::Device cpu(executorch::aten::DeviceType::CPU);
  const auto tensor = make_tensor_ptr({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}, {1, 0}, {});
  EXPECT_DEATH(clone_tensor_ptr_to(tensor, gpu), "No DeviceAllocator");

  static HostDevice device;
  ASSERT_EQ(runtime::register_device_allocator(&device), Error::Ok);
  {
    const auto there = clone_tensor_ptr_to(tensor, gpu);
    EXPECT_EQ(device.live, 1);
    EXPECT_EQ(there->unsafeGetTensorImpl()->device(), gpu);
    EXPECT_NE(there->const_data_ptr(), tensor->const_data_ptr());
    EXPECT_DEATH(clone_tensor_ptr(there), "not on the CPU");
    EXPECT_DEATH(clone_tensor_ptr_to(there, gpu), "go over the CPU");
    const auto nothing = make_tensor_ptr({2}, static_cast<void*>(nullptr));
    EXPECT_DEATH(clone_tensor_ptr_to(nothing, gpu), "no data to copy");
    const auto back = clone_tensor_ptr_to(there, cpu);
    EXPECT_TRUE(back->unsafeGetTensorImpl()->device().is_cpu());
    EXPECT_EQ(data_of<float>(back), data_of<float>(tensor));
    EXPECT_EQ(strides_of(back), strides_of(tensor));
  }
  EXPECT_EQ(device.live, 0);
  EXPECT_EQ(data_of<float>(clone_tensor_ptr_to(tensor, cpu)), data_of<float>(tensor));
}

TEST_F(TensorPtrTest, BlobsMayBeOnADevice) {
  float data[] = {1, 2};
  const executorch::aten::Device gpu(executorch::aten::DeviceType::CUDA, 1);
  const auto blob = from_blob(data, {2}, ScalarType::Float, gpu, TensorShapeDynamism::STATIC);
  EXPECT_EQ(blob->unsafeGetTensorImpl()->device(), gpu);
  EXPECT_EQ(make_tensor_ptr(blob, {1, 2})->unsafeGetTensorImpl()->device(), gpu);
  const auto made = make_tensor_ptr({2}, data, {}, {}, ScalarType::Float, gpu);
  EXPECT_EQ(made->unsafeGetTensorImpl()->device(), gpu);
  EXPECT_TRUE(from_blob(data, {2})->unsafeGetTensorImpl()->device().is_cpu());
}

}  // namespace
}  // namespace extension
}  // namespace executorch
