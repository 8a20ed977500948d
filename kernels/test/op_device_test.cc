/// @file
/// Copies between the memory of the host and that of a device: with the device's allocator only.

#include <gtest/gtest.h>

#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/core/testing_util/fake_device.h>

using executorch::aten::Device;
using executorch::aten::DeviceType;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::Error;
using executorch::runtime::register_device_allocator;
using torch::executor::native::_d2h_copy_out;
using torch::executor::native::_h2d_copy_out;
using torch::executor::testing::TensorFactory;

namespace {

executorch::runtime::testing::FakeDevice device;

class OpDeviceTest : public OperatorTest {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(register_device_allocator(&device), Error::Ok); }

  void SetUp() override {
    OperatorTest::SetUp();
    device.num_copies = 0;
  }

  /// `on_device_` as a tensor on the device, index 1.
  Tensor there() { return Tensor(&impl_); }

  float on_device_[6] = {9, 9, 9, 9, 9, 9};
  TensorImpl::SizesType sizes_[2] = {2, 3};
  TensorImpl::DimOrderType dim_order_[2] = {0, 1};
  TensorImpl::StridesType strides_[2] = {3, 1};
  TensorImpl impl_{ScalarType::Float,
                   2,
                   sizes_,
                   on_device_,
                   dim_order_,
                   strides_,
                   executorch::aten::TensorShapeDynamism::STATIC,
                   DeviceType::CUDA,
                   1};
  TensorFactory<ScalarType::Float> tf_;
};

TEST_F(OpDeviceTest, CopiesThereAndBack) {
  const Tensor host = tf_.make({2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor device_tensor = there();
  EXPECT_EQ(&_h2d_copy_out(context_, host, device_tensor), &device_tensor);
  EXPECT_EQ(device.num_copies, 1);
  EXPECT_EQ(on_device_[5], 6);

  Tensor back = tf_.zeros({2, 3});
  _d2h_copy_out(context_, device_tensor, back);
  EXPECT_EQ(device.num_copies, 2);
  EXPECT_TENSOR_EQ(back, host);
}

TEST_F(OpDeviceTest, WithoutElementsNothingIsCopied) {
  sizes_[0] = 0;
  const Tensor source = tf_.make({0, 3}, {});
  Tensor destination = there();
  _h2d_copy_out(context_, source, destination);
  EXPECT_EQ(device.num_copies, 0);
}

TEST_F(OpDeviceTest, HostToHostIsRefused) {
  const Tensor host = tf_.ones({2, 3});
  Tensor out = tf_.zeros({2, 3});
  ET_EXPECT_KERNEL_FAILURE(context_, _h2d_copy_out(context_, host, out));
  EXPECT_EQ(context_.failure_state(), Error::InvalidArgument);
}

TEST_F(OpDeviceTest, DeviceToDeviceIsRefused) {
  Tensor out = there();
  ET_EXPECT_KERNEL_FAILURE(context_, _d2h_copy_out(context_, there(), out));
  EXPECT_EQ(context_.failure_state(), Error::InvalidArgument);
}

TEST_F(OpDeviceTest, TheWrongWayIsRefused) {
  Tensor out = tf_.zeros({2, 3});
  ET_EXPECT_KERNEL_FAILURE(context_, _h2d_copy_out(context_, there(), out));
  EXPECT_EQ(device.num_copies, 0);
}

TEST_F(OpDeviceTest, OtherTypesAndSizesAreRefused) {
  TensorFactory<ScalarType::Int> ints;
  Tensor out = there();
  ET_EXPECT_KERNEL_FAILURE(context_, _h2d_copy_out(context_, ints.ones({2, 3}), out));
  ET_EXPECT_KERNEL_FAILURE(context_, _h2d_copy_out(context_, tf_.ones({3, 3}), out));
  EXPECT_EQ(device.num_copies, 0);
}

}  // namespace
