// The delegate with a driver that only looks at what it is given.

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/arm/runtime/ethosu_driver.h>
#include <executorch/backends/arm/runtime/fast_scratch.h>
#include <executorch/backends/arm/runtime/testing/blob_for_tests.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/runtime.h>

struct ethosu_driver {
  bool is_missing = false;
  bool is_reserved = false;
  int status = 0;
  std::string commands;
  std::vector<uint64_t> bases;
  std::vector<size_t> sizes;
};

namespace {

struct ethosu_driver npu;

}  // namespace

struct ethosu_driver* ethosu_reserve_driver(void) {
  EXPECT_FALSE(npu.is_reserved);
  npu.is_reserved = !npu.is_missing;
  return npu.is_missing ? nullptr : &npu;
}

void ethosu_release_driver(struct ethosu_driver* drv) { drv->is_reserved = false; }

// Adds one to each of 24 bytes, from where the input lies to where the output does.
int ethosu_invoke_v3(struct ethosu_driver* drv, const void* custom_data_ptr,
                     const int custom_data_size, uint64_t* const base_addr,
                     const size_t* base_addr_size, const int num_base_addr, void*) {
  EXPECT_TRUE(drv->is_reserved);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(custom_data_ptr) % 16, 0u);
  drv->commands.assign(static_cast<const char*>(custom_data_ptr),
                       static_cast<size_t>(custom_data_size));
  drv->bases.assign(base_addr, base_addr + num_base_addr);
  drv->sizes.assign(base_addr_size, base_addr_size + num_base_addr);
  auto* const scratch = reinterpret_cast<int8_t*>(static_cast<uintptr_t>(base_addr[1]));
  for (int i = 0; i < 24; ++i) {
    scratch[32 + i] = static_cast<int8_t>(scratch[i] + 1);
  }
  return drv->status;
}

namespace executorch {
namespace backends {
namespace arm {
namespace {

using extension::make_tensor_ptr;
using extension::TensorPtr;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::MemoryAllocator;
using runtime::Result;

// Commands under "c", weights under "w"; counts what is not freed.
class Beside final : public runtime::NamedDataMap {
 public:
  explicit Beside(const std::string& commands) : commands_size_(commands.size()) {
    std::memcpy(commands_, commands.data(), commands.size());
    std::memset(weights_, 'w', sizeof(weights_));
  }

  Result<FreeableBuffer> get_data(std::string_view key) const override {
    if (key != "c" && key != "w") {
      return Error::NotFound;
    }
    ++held_;
    const bool is_commands = key == "c";
    return FreeableBuffer(is_commands ? commands_ : weights_,
                          is_commands ? commands_size_ : sizeof(weights_), free_one,
                          const_cast<Beside*>(this));
  }

  Result<const runtime::TensorLayout> get_tensor_layout(std::string_view) const override {
    return Error::NotFound;
  }
  Error load_data_into(std::string_view, void*, size_t) const override { return Error::NotFound; }
  Result<uint32_t> get_num_keys() const override { return 2u; }
  Result<const char*> get_key(uint32_t) const override { return Error::NotFound; }

  int held() const { return held_; }

 private:
  static void free_one(void* self, void*, size_t) { --static_cast<Beside*>(self)->held_; }

  alignas(16) uint8_t commands_[256] = {};
  alignas(16) uint8_t weights_[40];
  size_t commands_size_;
  mutable int held_ = 0;
};

class EthosUBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime::runtime_init();
    npu = {};
    ethosu_fast_scratch = nullptr;
    ethosu_fast_scratch_size = 0;
    backend_ = runtime::get_backend_class("EthosUBackend");
    ASSERT_NE(backend_, nullptr);
    EXPECT_TRUE(backend_->is_available());
  }

  Result<DelegateHandle*> init(const std::string& bytes, size_t shift = 0,
                               const runtime::NamedDataMap* beside = nullptr) {
    std::memcpy(blob_ + shift, bytes.data(), bytes.size());
    processed_ = FreeableBuffer(blob_ + shift, bytes.size(), nullptr);
    allocator_ = MemoryAllocator(sizeof(memory_), memory_);
    BackendInitContext context(&allocator_, nullptr, nullptr, beside);
    return backend_->init(context, &processed_, {});
  }

  Error execute(DelegateHandle* handle, std::vector<TensorPtr> tensors, size_t scratch = 80) {
    std::vector<EValue> values;
    for (const TensorPtr& one : tensors) {
      values.emplace_back(*one);
    }
    std::vector<EValue*> args;
    for (EValue& one : values) {
      args.push_back(&one);
    }
    std::vector<uint8_t> bytes(scratch);
    MemoryAllocator temporary(bytes.size(), bytes.data());
    BackendExecutionContext context(nullptr, &temporary);
    return backend_->execute(context, handle, {args.data(), args.size()});
  }

  static TensorPtr bytes(std::vector<executorch::aten::SizesType> sizes, int8_t value) {
    return make_tensor_ptr(std::move(sizes), std::vector<int8_t>(24, value));
  }

  runtime::BackendInterface* backend_ = nullptr;
  alignas(16) uint8_t blob_[1024] = {};
  alignas(16) uint8_t memory_[512] = {};
  FreeableBuffer processed_;
  MemoryAllocator allocator_{0, nullptr};
};

TEST_F(EthosUBackendTest, GivesTheDriverCommandsAndMemory) {
  const Result<DelegateHandle*> handle = init(blob());
  ASSERT_TRUE(handle.ok());
  EXPECT_EQ(backend_->num_outputs(*handle), 1u);
  const TensorPtr in = bytes({1, 2, 3, 4}, 7);
  const TensorPtr out = bytes({24}, 0);
  ASSERT_EQ(execute(*handle, {in, out}), Error::Ok);
  EXPECT_EQ(out->const_data_ptr<int8_t>()[23], 8);
  EXPECT_EQ(npu.commands, BlobParts().commands);
  EXPECT_EQ(npu.sizes, (std::vector<size_t>{40, 64})) << "weights and scratch, no third region";
  EXPECT_EQ(*reinterpret_cast<const char*>(static_cast<uintptr_t>(npu.bases[0])), 'w');
  EXPECT_EQ(npu.bases[1] % 16, 0u);
  EXPECT_FALSE(npu.is_reserved);
}

TEST_F(EthosUBackendTest, BlocksBesideTheProgram) {
  BlobParts parts;
  const Beside beside(parts.commands);
  parts.is_beside = true;
  parts.commands = "c";
  parts.weights = "w";
  EXPECT_EQ(init(blob(parts)).error(), Error::InvalidExternalData) << "no named data";
  const Result<DelegateHandle*> handle = init(blob(parts), 0, &beside);
  ASSERT_TRUE(handle.ok());
  EXPECT_EQ(beside.held(), 2);
  ASSERT_EQ(execute(*handle, {bytes({24}, 7), bytes({24}, 0)}), Error::Ok);
  EXPECT_EQ(npu.commands, BlobParts().commands);
  EXPECT_EQ(*reinterpret_cast<const char*>(static_cast<uintptr_t>(npu.bases[0])), 'w');
  backend_->destroy(*handle);
  EXPECT_EQ(beside.held(), 0);
  parts.weights = "another";
  EXPECT_EQ(init(blob(parts), 0, &beside).error(), Error::NotFound);
  EXPECT_EQ(beside.held(), 0) << "what was found before it is given back";
  parts.weights = "c";
  parts.commands = "w";
  EXPECT_EQ(init(blob(parts), 0, &beside).error(), Error::DelegateInvalidCompatibility);
  EXPECT_EQ(beside.held(), 0);
}

TEST_F(EthosUBackendTest, DedicatedSramIsTheFirmwares) {
  BlobParts parts;
  parts.commands = payload({0x0001010f, 0x0002011f});
  EXPECT_EQ(init(blob(parts)).error(), Error::MemoryAllocationFailed) << "there is none";
  alignas(16) static unsigned char fast[64];
  ethosu_fast_scratch = fast;
  ethosu_fast_scratch_size = sizeof(fast);
  const Result<DelegateHandle*> handle = init(blob(parts));
  ASSERT_TRUE(handle.ok());
  ASSERT_EQ(execute(*handle, {bytes({24}, 1), bytes({24}, 0)}), Error::Ok);
  EXPECT_EQ(npu.bases.at(2), reinterpret_cast<uintptr_t>(fast));
  EXPECT_EQ(npu.sizes.at(2), 64u);
  parts.outputs = {{1, 1, 1, 1, 1, 24, 1, 48, 2}};
  EXPECT_EQ(init(blob(parts)).error(), Error::MemoryAllocationFailed) << "an output behind its end";
}

TEST_F(EthosUBackendTest, WhatDoesNotFitIsRefused) {
  const Result<DelegateHandle*> handle = init(blob());
  ASSERT_TRUE(handle.ok());
  const TensorPtr fits = bytes({24}, 0);
  const TensorPtr large = make_tensor_ptr({24}, std::vector<float>(24));
  const TensorPtr few = make_tensor_ptr({23}, std::vector<int8_t>(23));
  EXPECT_EQ(execute(*handle, {fits}), Error::InvalidArgument);
  EXPECT_EQ(execute(*handle, {fits, fits, fits}), Error::InvalidArgument);
  EXPECT_EQ(execute(*handle, {large, fits}), Error::InvalidArgument);
  EXPECT_EQ(execute(*handle, {fits, few}), Error::InvalidArgument);
  EXPECT_EQ(execute(*handle, {fits, fits}, 32), Error::MemoryAllocationFailed) << "no scratch";
  EXPECT_TRUE(npu.commands.empty()) << "the NPU has not run";
}

TEST_F(EthosUBackendTest, ErrorsOfTheDriver) {
  const Result<DelegateHandle*> handle = init(blob());
  ASSERT_TRUE(handle.ok());
  const TensorPtr fits = bytes({24}, 0);
  npu.is_missing = true;
  EXPECT_EQ(execute(*handle, {fits, fits}), Error::AccessFailed);
  npu.is_missing = false;
  npu.status = -1;
  EXPECT_EQ(execute(*handle, {fits, fits}), Error::Internal);
  EXPECT_FALSE(npu.is_reserved);
}

TEST_F(EthosUBackendTest, BytesThatTheNpuCannotReachAreRefused) {
  EXPECT_EQ(init(blob(), 4).error(), Error::InvalidProgram) << "not aligned";
  EXPECT_EQ(init("no blob").error(), Error::DelegateInvalidCompatibility);
  BlobParts parts;
  parts.commands = "none";
  EXPECT_EQ(init(blob(parts)).error(), Error::DelegateInvalidCompatibility);
}

}  // namespace
}  // namespace arm
}  // namespace backends
}  // namespace executorch
