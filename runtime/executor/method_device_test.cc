#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/testing_util/fake_device.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>
#include <executorch/runtime/kernel/boxing.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/operator_registry.h>

// Programs that are planned for the memory of a device beside the host's.

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using etensor::Device;
using etensor::DeviceType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using Floats = std::vector<float>;

constexpr int8_t kCuda = 1;

FakeDevice device;

Tensor& h2d(KernelRuntimeContext& context, const Tensor& in, Tensor& out) {
  const Error error = get_device_allocator(out.device().type())
                          ->copy_host_to_device(out.mutable_data_ptr(), in.const_data_ptr(),
                                                in.nbytes(), out.device().index());
  ET_KERNEL_CHECK(context, error == Error::Ok, Internal, out);
  return out;
}

Tensor& d2h(KernelRuntimeContext& context, const Tensor& in, Tensor& out) {
  const Error error = get_device_allocator(in.device().type())
                          ->copy_device_to_host(out.mutable_data_ptr(), in.const_data_ptr(),
                                                in.nbytes(), in.device().index());
  ET_KERNEL_CHECK(context, error == Error::Ok, Internal, out);
  return out;
}

// Doubles on the device; notes where its arguments were.
class DoubleBackend final : public BackendInterface {
 public:
  bool is_available() const override { return true; }
  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer*,
                               ArrayRef<CompileSpec>) const override {
    return static_cast<DelegateHandle*>(nullptr);
  }
  Error execute(BackendExecutionContext&, DelegateHandle*, Span<EValue*> args) const override {
    devices.clear();
    for (const EValue* arg : args) {
      devices.push_back(arg->toTensor().device());
    }
    const Tensor in = args[0]->toTensor();
    for (ssize_t i = 0; i < in.numel(); ++i) {
      args[1]->toTensor().mutable_data_ptr<float>()[i] = 2 * in.const_data_ptr<float>()[i];
    }
    return Error::Ok;
  }
  mutable std::vector<Device> devices;
};

DoubleBackend backend;

class DeviceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    register_test_kernels();
    static const Kernel kernels[] = {make_boxed_kernel<h2d>("et_copy::_h2d_copy.out"),
                                     make_boxed_kernel<d2h>("et_copy::_d2h_copy.out")};
    ASSERT_EQ(register_kernels({kernels, 2}), Error::Ok);
    ASSERT_EQ(register_backend({"Double", &backend}), Error::Ok);
    ASSERT_EQ(register_device_allocator(&device), Error::Ok);
  }

  static TensorOptions place(uint32_t memory_id, uint64_t offset) {
    TensorOptions options;
    options.sizes = {2};
    options.memory_id = memory_id;
    options.memory_offset = offset;
    return options;
  }

  // Buffer 1 is on the host, buffer 2 on a device.
  static ProgramBuilder builder() {
    ProgramBuilder b;
    b.set_planned_buffers({32, 32});
    b.set_buffer_device(2, kCuda, 1);
    return b;
  }

  // out = 2 * x, with the product made on the device.
  static ProgramBuilder program() {
    ProgramBuilder b = builder();
    const int x = b.add_tensor(place(1, 0));
    const int x_there = b.add_tensor(place(2, 0));
    const int out_there = b.add_tensor(place(2, 16));
    const int out = b.add_tensor(place(1, 16));
    b.call_kernel(b.add_operator("et_copy::_h2d_copy"), {x, x_there, x_there});
    b.call_delegate(b.add_delegate("Double", {0}), {x_there, out_there});
    b.call_kernel(b.add_operator("et_copy::_d2h_copy"), {out_there, out, out});
    b.set_inputs({x});
    b.set_outputs({out});
    return b;
  }

  Error load(const ProgramBuilder& b, Span<const Device> devices) {
    const PteFile file = b.build();
    MemoryLoader loader(file);
    Result<Program> loaded = Program::load(&loader);
    if (!loaded.ok()) {
      return loaded.error();
    }
    MethodMemory memory(*loaded->method_meta("forward"));
    Span<uint8_t> buffers[2] = {{host_, sizeof(host_)}, {there_, sizeof(there_)}};
    HierarchicalAllocator planned({buffers, 2}, devices);
    MemoryManager manager(&memory.method_allocator, &planned, &memory.temp_allocator);
    return loaded->load_method("forward", &manager).error();
  }

  alignas(16) uint8_t host_[32];
  alignas(16) uint8_t there_[32];
};

TEST_F(DeviceTest, RunsWhereItWasPlanned) {
  MethodHarness harness(program());
  ASSERT_TRUE(harness.ok());
  EXPECT_EQ(*harness.program->method_meta("forward")->memory_planned_buffer_device(1),
            Device(DeviceType::CUDA, 1));
  device.num_copies = 0;
  ASSERT_EQ(harness.method().set_input(float_tensor({2}, {1, 2}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{2, 4}));
  EXPECT_TRUE(harness.method().get_output(0).toTensor().device().is_cpu());
  EXPECT_EQ(device.num_copies, 2);
  EXPECT_EQ(backend.devices, std::vector<Device>(2, Device(DeviceType::CUDA, 1)));
}

TEST_F(DeviceTest, BuffersHaveToBeWhereTheProgramWantsThem) {
  const Device right[] = {DeviceType::CPU, {DeviceType::CUDA, 1}};
  const Device other_device[] = {DeviceType::CPU, {DeviceType::CUDA, 0}};
  const Device all_host[] = {DeviceType::CPU, DeviceType::CPU};
  const Device swapped[] = {{DeviceType::CUDA, 1}, DeviceType::CPU};
  EXPECT_EQ(load(program(), {right, 2}), Error::Ok);
  EXPECT_EQ(load(program(), {other_device, 2}), Error::InvalidArgument);
  EXPECT_EQ(load(program(), {all_host, 2}), Error::InvalidArgument);
  EXPECT_EQ(load(program(), {swapped, 2}), Error::InvalidArgument);
  EXPECT_EQ(load(program(), {}), Error::Ok) << "nobody says";
}

TEST_F(DeviceTest, InputsInDeviceMemoryAreNotCopied) {
  ProgramBuilder b = builder();
  const int x = b.add_tensor(place(2, 0));
  const int out = b.add_tensor(place(2, 16));
  b.call_delegate(b.add_delegate("Double", {0}), {x, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  EXPECT_EQ(harness.method().set_input(float_tensor({2}, {1, 2}).value(), 0), Error::NotSupported);
  // Whoever knows the device writes there, and says so with a tensor without data.
  SizesType sizes[] = {2};
  uint8_t dim_order[] = {0};
  TensorImpl empty(ScalarType::Float, 1, sizes, nullptr, dim_order);
  EXPECT_EQ(harness.method().set_input(EValue(Tensor(&empty)), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok);
}

TEST_F(DeviceTest, InputsWithoutPlannedMemoryAreShared) {
  for (const int8_t wanted : {int8_t{0}, kCuda}) {
    ProgramBuilder b = builder();
    TensorOptions options = place(0, 0);
    options.device_type = wanted;
    const int x = b.add_tensor(options);
    b.set_inputs({x});
    b.set_outputs({x});
    MethodHarness harness(b);
    ASSERT_TRUE(harness.ok());
    float data[] = {1, 2};
    SizesType sizes[] = {2};
    uint8_t dim_order[] = {0};
    TensorImpl there(ScalarType::Float, 1, sizes, data, dim_order, nullptr,
                     TensorShapeDynamism::STATIC, DeviceType::CUDA);
    TensorImpl here(ScalarType::Float, 1, sizes, data, dim_order);
    EXPECT_EQ(harness.method().set_input(EValue(Tensor(&there)), 0),
              wanted == kCuda ? Error::Ok : Error::InvalidArgument);
    EXPECT_EQ(harness.method().set_input(EValue(Tensor(&here)), 0), Error::Ok);
  }
}

TEST_F(DeviceTest, TheHostDoesNotLookIntoDeviceMemory) {
  {
    ProgramBuilder b = builder();
    const int x = b.add_tensor(place(2, 0));
    const int out = b.add_tensor(place(1, 0));
    b.call_kernel(b.add_operator("test::neg"), {x, out, out});
    EXPECT_EQ(MethodHarness(b).error, Error::NotSupported) << "a kernel's argument";
  }
  {
    ProgramBuilder b = builder();
    const int x = b.add_tensor(place(2, 0));
    const int out = b.add_tensor(place(1, 0));
    b.call_kernel(b.add_operator("test::concat"), {b.add_tensor_list({x, x}), out, out});
    EXPECT_EQ(MethodHarness(b).error, Error::NotSupported) << "a list of a kernel's";
  }
  {
    ProgramBuilder b = builder();
    b.move(b.add_tensor(place(2, 0)), b.add_tensor(place(1, 0)));
    EXPECT_EQ(MethodHarness(b).error, Error::InvalidProgram) << "a move";
  }
  {
    ProgramBuilder b = builder();
    TensorOptions condition = place(2, 0);
    condition.scalar_type = 11;  // Bool
    b.jump_if_false(b.add_tensor(condition), 0);
    EXPECT_EQ(MethodHarness(b).error, Error::InvalidProgram) << "a condition";
  }
  {
    ProgramBuilder b = builder();
    TensorOptions state = place(2, 0);
    state.data_buffer_idx = b.add_mutable_data(std::vector<uint8_t>(8));
    b.add_tensor(state);
    EXPECT_EQ(MethodHarness(b).error, Error::NotSupported) << "an initial state";
  }
  {
    ProgramBuilder b = builder();
    b.set_buffer_device(1, 2);
    EXPECT_EQ(MethodHarness(b).error, Error::NotSupported) << "a kind of device that is not known";
  }
}

TEST_F(DeviceTest, WithoutPlannedDeviceMemoryTensorsAreOnTheHost) {
  // Exported without device memory: values only say that a delegate of a device uses them.
  ProgramBuilder b;
  b.set_planned_buffers({32});
  TensorOptions x = place(1, 0);
  TensorOptions out = place(1, 16);
  x.device_type = out.device_type = kCuda;
  const int in = b.add_tensor(x);
  const int result = b.add_tensor(out);
  b.call_kernel(b.add_operator("test::neg"), {in, result, result});
  b.set_inputs({in});
  b.set_outputs({result});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({2}, {1, 2}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{-1, -2}));
  EXPECT_TRUE(harness.method().get_output(0).toTensor().device().is_cpu());
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
