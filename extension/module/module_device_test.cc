#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/testing_util/fake_device.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace extension {
namespace {

using executorch::aten::Device;
using executorch::aten::DeviceType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::testing::FakeDevice;
using runtime::testing::ProgramBuilder;
using runtime::testing::PteFile;
using runtime::testing::TensorOptions;

FakeDevice device;

// Adds one to what is on the host and leaves the result on the device, or brings it back, by the
// devices of its arguments.
class AddOneBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }
  runtime::Result<runtime::DelegateHandle*> init(
      runtime::BackendInitContext&, runtime::FreeableBuffer*,
      runtime::ArrayRef<runtime::CompileSpec>) const override {
    return nullptr;
  }
  Error execute(runtime::BackendExecutionContext&, runtime::DelegateHandle*,
                runtime::Span<runtime::EValue*> args) const override {
    const Tensor in = args[0]->toTensor();
    const Tensor out = args[1]->toTensor();
    const Device there = in.device().is_cpu() ? out.device() : in.device();
    float value = 0;
    Error error = Error::Ok;
    if (in.device().is_cpu()) {
      value = *in.const_data_ptr<float>() + 1;
      error =
          device.copy_host_to_device(out.mutable_data_ptr(), &value, sizeof(value), there.index());
    } else {
      error = device.copy_device_to_host(&value, in.const_data_ptr(), sizeof(value), there.index());
      *out.mutable_data_ptr<float>() = value + 1;
    }
    return error;
  }
};

AddOneBackend backend;

// There and back: out = x + 2, with the value between on device 1.
void add_method(ProgramBuilder& b, const char* name, bool on_device = true) {
  b.begin_method(name);
  b.set_planned_buffers({32, 16});
  if (on_device) {
    b.set_buffer_device(2, static_cast<int8_t>(DeviceType::CUDA), 1);
  }
  const auto place = [&b](uint32_t memory_id, uint64_t offset) {
    TensorOptions options;
    options.sizes = {1};
    options.memory_id = memory_id;
    options.memory_offset = offset;
    return b.add_tensor(options);
  };
  const int x = place(1, 0);
  const int between = place(2, 0);
  const int out = place(1, 16);
  const int delegate = b.add_delegate("AddOneBackend", {0});
  b.call_delegate(delegate, {x, between});
  b.call_delegate(delegate, {between, out});
  b.set_inputs({x});
  b.set_outputs({out});
}

std::unique_ptr<Module> module_of(const PteFile& file, bool share_arenas = false) {
  return std::make_unique<Module>(std::make_unique<BufferDataLoader>(file.data(), file.size()),
                                  nullptr, nullptr, nullptr, nullptr, share_arenas);
}

TEST(ModuleDeviceTest, PlannedMemoryOfADeviceComesFromItsAllocator) {
  ASSERT_EQ(runtime::register_backend({"AddOneBackend", &backend}), Error::Ok);
  ProgramBuilder builder;
  add_method(builder, "forward");
  add_method(builder, "other");
  const PteFile file = builder.build();
  EXPECT_EQ(module_of(file)->load_method("forward"), Error::NotFound) << "no allocator";
  ASSERT_EQ(runtime::register_device_allocator(&device), Error::Ok);
  for (const bool share_arenas : {false, true}) {
    {
      const auto module = module_of(file, share_arenas);
      for (const char* name : {"forward", "other"}) {
        const auto result = module->execute(name, make_tensor_ptr({1}, {5.0f}));
        ASSERT_TRUE(result.ok());
        EXPECT_EQ(*result->at(0).toTensor().const_data_ptr<float>(), 7.0f);
      }
      EXPECT_EQ(device.live, share_arenas ? 1 : 2);
      EXPECT_EQ(device.last_index, 1);
    }
    EXPECT_EQ(device.live, 0);
  }
  // Methods whose plans disagree cannot share.
  add_method(builder, "on_host", /*on_device=*/false);
  const PteFile mixed = builder.build();
  EXPECT_EQ(module_of(mixed, true)->load_method("forward"), Error::NotSupported);
  EXPECT_EQ(module_of(mixed, false)->load_method("forward"), Error::Ok);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
