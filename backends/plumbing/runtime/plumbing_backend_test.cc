#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/executor/testing/test_data_map.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::extension::make_tensor_ptr;
using executorch::extension::TensorPtr;
using executorch::runtime::ArrayRef;
using executorch::runtime::BackendExecutionContext;
using executorch::runtime::BackendInitContext;
using executorch::runtime::BackendInterface;
using executorch::runtime::BackendOption;
using executorch::runtime::BackendOptions;
using executorch::runtime::CompileSpec;
using executorch::runtime::DelegateHandle;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::get_backend_class;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::Result;
using executorch::runtime::Span;
using executorch::runtime::testing::TestDataMap;

class PlumbingBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    executorch::runtime::runtime_init();
    backend_ = get_backend_class("PlumbingBackend");
    ASSERT_NE(backend_, nullptr);
    shared_.add("plumbing/shared", "a");
  }

  Result<DelegateHandle*> init(std::vector<CompileSpec> specs = {},
                               Span<const BackendOption> options = {}) {
    // FNV-1a of "a", then the name.
    blob_ = std::string(
        "\x2c\x29\x0c\xe4"
        "neg\0",
        8);
    processed_ = FreeableBuffer(blob_.data(), blob_.size(), nullptr);
    allocator_ = MemoryAllocator(sizeof(memory_), memory_);
    BackendInitContext context(&allocator_, nullptr, "forward", &shared_, options);
    return backend_->init(context, &processed_, ArrayRef<CompileSpec>(specs.data(), specs.size()));
  }

  int live() {
    BackendOptions<1> asked;
    EXPECT_EQ(asked.set_option("live", 0), Error::Ok);
    EXPECT_EQ(executorch::runtime::get_option("PlumbingBackend", asked.view()), Error::Ok);
    int count = -1;
    EXPECT_EQ(asked.get_option("live", count), Error::Ok);
    return count;
  }

  BackendInterface* backend_ = nullptr;
  TestDataMap shared_;
  std::string blob_;
  alignas(16) uint8_t memory_[256];
  FreeableBuffer processed_;
  MemoryAllocator allocator_{0, nullptr};
};

TEST_F(PlumbingBackendTest, NegatesAndFailsToOrder) {
  uint8_t failure[] = {0x20, 1};
  Result<DelegateHandle*> handle = init({{"fail_execute", {failure, sizeof(failure)}}});
  ASSERT_TRUE(handle.ok());
  EXPECT_EQ(live(), 1);
  TensorPtr in = make_tensor_ptr({2}, std::vector<float>{1, -2});
  TensorPtr out = make_tensor_ptr({2}, std::vector<float>{0, 0});
  EValue values[] = {EValue(*in), EValue(*out)};
  EValue* args[] = {&values[0], &values[1]};
  BackendExecutionContext context;
  EXPECT_EQ(backend_->execute(context, *handle, {args, 2}), Error::Ok);
  EXPECT_EQ(out->const_data_ptr<float>()[1], 2.0f);
  EXPECT_EQ(backend_->execute(context, *handle, {args, 2}), Error::NotFound) << "the second call";
  EXPECT_EQ(backend_->execute(context, *handle, {args, 2}), Error::Ok) << "the third";
  EXPECT_EQ(backend_->execute(context, *handle, {args, 1}), Error::InvalidArgument);
  backend_->destroy(*handle);
  EXPECT_EQ(live(), 0);
}

TEST_F(PlumbingBackendTest, InitChecksWhatArrives) {
  uint8_t failure[] = {0x12};
  EXPECT_EQ(init({{"fail_init", {failure, 1}}}).error(), Error::InvalidArgument);
  BackendOptions<1> options;
  ASSERT_EQ(options.set_option("fail_init", 0x21), Error::Ok);
  EXPECT_EQ(init({}, {options.view().data(), 1}).error(), Error::MemoryAllocationFailed)
      << "the option of this load";
  shared_.add("plumbing/shared", "b");
  EXPECT_EQ(init().error(), Error::DelegateInvalidCompatibility) << "other data than was stored";
  EXPECT_EQ(live(), 0);
}

TEST_F(PlumbingBackendTest, OptionsOfTheBackend) {
  BackendOptions<1> options;
  ASSERT_EQ(options.set_option("available", false), Error::Ok);
  EXPECT_EQ(executorch::runtime::set_option("PlumbingBackend", options.view()), Error::Ok);
  EXPECT_FALSE(backend_->is_available());
  ASSERT_EQ(options.set_option("available", true), Error::Ok);
  EXPECT_EQ(executorch::runtime::set_option("PlumbingBackend", options.view()), Error::Ok);
  EXPECT_TRUE(backend_->is_available());
  ASSERT_EQ(options.set_option("available", 3), Error::Ok);
  EXPECT_EQ(executorch::runtime::set_option("PlumbingBackend", options.view()),
            Error::InvalidArgument);
}

}  // namespace
