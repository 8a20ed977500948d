#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/executor/testing/test_data_map.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::extension::make_tensor_ptr;
using executorch::extension::TensorPtr;
using executorch::runtime::ArrayRef;
using executorch::runtime::BackendExecutionContext;
using executorch::runtime::BackendInitContext;
using executorch::runtime::BackendInterface;
using executorch::runtime::CompileSpec;
using executorch::runtime::DelegateHandle;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::get_backend_class;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::Result;
using executorch::runtime::testing::TestDataMap;

// out0 = in0 + w
std::string add_named(const std::string& key) {
  const char head[] = {'E', 'B', 'C', '1', 1, 0, 1, 0, 2, 0, 0, 0, 1, 0, 4, 0};
  std::string blob(head, sizeof(head));
  blob += static_cast<char>(key.size());
  blob += '\0';
  blob += key;
  const char steps[] = {0, 0, 0, 0, 2, 1, 0, 0, 16, 0, 0, 1, 3, 0, 0, 0};
  return blob + std::string(steps, sizeof(steps));
}

class BytecodeBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    executorch::runtime::runtime_init();
    backend_ = get_backend_class("BytecodeBackend");
    ASSERT_NE(backend_, nullptr);
    data_.add("w", {3}, {10, 20, 30});
  }

  int held() const { return data_.num_loaded - data_.num_freed; }

  Result<DelegateHandle*> init(const std::string& blob, size_t room = 4096) {
    blob_ = blob;
    memory_.resize(room);
    processed_ = FreeableBuffer(blob_.data(), blob_.size(), nullptr);
    allocator_ = MemoryAllocator(static_cast<uint32_t>(room), memory_.data());
    BackendInitContext context(&allocator_, nullptr, "forward", &data_);
    return backend_->init(context, &processed_, ArrayRef<CompileSpec>());
  }

  Error execute(DelegateHandle* handle, std::vector<EValue> values) {
    std::vector<EValue*> args;
    for (EValue& value : values) {
      args.push_back(&value);
    }
    BackendExecutionContext context;
    return backend_->execute(context, handle, {args.data(), args.size()});
  }

  BackendInterface* backend_ = nullptr;
  TestDataMap data_;
  std::string blob_;
  std::vector<uint8_t> memory_;
  FreeableBuffer processed_;
  MemoryAllocator allocator_{0, nullptr};
};

TEST_F(BytecodeBackendTest, RunsWithNamedData) {
  EXPECT_TRUE(backend_->is_available());
  Result<DelegateHandle*> handle = init(add_named("w"));
  ASSERT_TRUE(handle.ok());
  EXPECT_EQ(held(), 1);
  TensorPtr in = make_tensor_ptr({3}, std::vector<float>{1, 2, 3});
  TensorPtr out = make_tensor_ptr({3}, std::vector<float>{0, 0, 0});
  ASSERT_EQ(execute(*handle, {EValue(*in), EValue(*out)}), Error::Ok);
  EXPECT_EQ(out->const_data_ptr<float>()[2], 33.0f);
  backend_->destroy(*handle);
  EXPECT_EQ(held(), 0) << "destroy releases what init took";
}

TEST_F(BytecodeBackendTest, OutputsTakeTheShapeOfTheInputs) {
  data_.cut(sizeof(float));  // Of three, two are left.
  Result<DelegateHandle*> handle = init(add_named("w"));
  ASSERT_TRUE(handle.ok());
  TensorPtr in = make_tensor_ptr({2, 1}, std::vector<float>{1, 2});
  TensorPtr out = make_tensor_ptr({4, 1}, std::vector<float>(4));
  ASSERT_EQ(execute(*handle, {EValue(*in), EValue(*out)}), Error::Ok);
  EXPECT_EQ(out->size(0), 2);
  TensorPtr small = make_tensor_ptr({1, 1}, std::vector<float>(1));
  EXPECT_NE(execute(*handle, {EValue(*in), EValue(*small)}), Error::Ok) << "no room";
  backend_->destroy(*handle);
}

TEST_F(BytecodeBackendTest, RefusesArgumentsThatDoNotFit) {
  Result<DelegateHandle*> handle = init(add_named("w"));
  ASSERT_TRUE(handle.ok());
  TensorPtr three = make_tensor_ptr({3}, std::vector<float>(3));
  TensorPtr four = make_tensor_ptr({4}, std::vector<float>(4));
  TensorPtr whole = make_tensor_ptr({3}, std::vector<int32_t>(3));
  EXPECT_EQ(execute(*handle, {EValue(*three)}), Error::InvalidArgument);
  EXPECT_EQ(execute(*handle, {EValue(*whole), EValue(*three)}), Error::InvalidArgument);
  EXPECT_EQ(execute(*handle, {EValue(*three), EValue(int64_t{1})}), Error::InvalidArgument);
  EXPECT_EQ(execute(*handle, {EValue(*four), EValue(*four)}), Error::InvalidArgument)
      << "the named tensor has three elements";
  backend_->destroy(*handle);
}

TEST_F(BytecodeBackendTest, InitFailsCleanly) {
  EXPECT_EQ(init("not bytecode at all").error(), Error::DelegateInvalidCompatibility);
  EXPECT_EQ(init(add_named("absent")).error(), Error::NotFound);
  EXPECT_EQ(held(), 0);
  bool succeeded = false;
  for (size_t room = 0; room < 2048 && !succeeded; room += 8) {
    Result<DelegateHandle*> handle = init(add_named("w"), room);
    succeeded = handle.ok();
    if (succeeded) {
      backend_->destroy(*handle);
    } else {
      EXPECT_EQ(handle.error(), Error::MemoryAllocationFailed) << room;
    }
    EXPECT_EQ(held(), 0) << room;
  }
  EXPECT_TRUE(succeeded);
}

}  // namespace
