#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using Floats = std::vector<float>;

class MethodTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { register_test_kernels(); }
};

TensorOptions unplanned(std::vector<int32_t> sizes, int8_t shape_dynamism = 0) {
  TensorOptions options;
  options.sizes = std::move(sizes);
  options.shape_dynamism = shape_dynamism;
  return options;
}

// out = a + b, everything in planned memory.
ProgramBuilder add_program(const std::vector<int32_t>& sizes, int8_t shape_dynamism = 0) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor(sizes, 6, shape_dynamism);
  const int y = b.add_planned_tensor(sizes, 6, shape_dynamism);
  const int out = b.add_planned_tensor(sizes, 6, shape_dynamism);
  b.call_kernel(b.add_operator("test::add"), {x, y, out, out});
  b.set_inputs({x, y});
  b.set_outputs({out});
  return b;
}

TEST_F(MethodTest, RunsAgainAndAgain) {
  MethodHarness harness(add_program({2, 2}));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  EXPECT_EQ(method.inputs_size(), 2u);
  EXPECT_EQ(method.outputs_size(), 1u);
  EXPECT_EQ(method.values_size(), 3u);
  EXPECT_STREQ(method.method_meta().name(), "forward");
  EXPECT_EQ(method.get_event_tracer(), nullptr);
  const auto ones = float_tensor({2, 2}, {1, 1, 1, 1});
  for (int i = 0; i < 3; ++i) {
    const float f = static_cast<float>(i);
    ASSERT_EQ(method.set_inputs({ones.value(), float_tensor({2, 2}, {f, f, f, f}).value()}),
              Error::Ok);
    ASSERT_EQ(method.execute(), Error::Ok);
    EXPECT_EQ(floats(method.get_output(0)), Floats(4, 1 + f));
  }
}

TEST_F(MethodTest, MovesWithItsState) {
  MethodHarness harness(add_program({1}));
  ASSERT_TRUE(harness.ok());
  const auto one = float_tensor({1}, {1});
  ASSERT_EQ(harness.method().set_inputs({one.value(), one.value()}), Error::Ok);
  Method moved(std::move(harness.method()));
  EXPECT_EQ(moved.execute(), Error::Ok);
  EXPECT_EQ(floats(moved.get_output(0)), Floats{2});
  EXPECT_EQ(harness.method().execute(), Error::InvalidState);
  EXPECT_EQ(harness.method().set_input(one.value(), 0), Error::InvalidState);
}

TEST_F(MethodTest, InputsMustBeSet) {
  MethodHarness harness(add_program({1}));
  ASSERT_TRUE(harness.ok());
  const auto one = float_tensor({1}, {1});
  EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
  ASSERT_EQ(harness.method().set_input(one.value(), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
  EXPECT_EQ(harness.method().step(), Error::InvalidArgument);
  ASSERT_EQ(harness.method().set_input(one.value(), 1), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok);
}

TEST_F(MethodTest, WrongInputsAreRefused) {
  MethodHarness harness(add_program({2, 3}));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const auto good = float_tensor({2, 3}, Floats(6));
  EXPECT_EQ(method.set_input(good.value(), 2), Error::InvalidArgument);
  EXPECT_EQ(method.set_inputs({good.value()}), Error::InvalidArgument);
  EXPECT_EQ(method.set_inputs({good.value(), good.value(), good.value()}), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(1.0), 0), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(), 0), Error::InvalidArgument);
  const TestTensor<int32_t> ints(ScalarType::Int, {2, 3}, std::vector<int32_t>(6));
  EXPECT_EQ(method.set_input(ints.value(), 0), Error::InvalidArgument) << "dtype";
  EXPECT_EQ(method.set_input(float_tensor({6}, Floats(6)).value(), 0), Error::InvalidArgument)
      << "rank";
  EXPECT_EQ(method.set_input(float_tensor({3, 2}, Floats(6)).value(), 0), Error::NotSupported)
      << "shape";
}

TEST_F(MethodTest, AnInputWithoutDataSetsTheShapeOfPlannedMemory) {
  MethodHarness harness(add_program({2, 3}, 1));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  SizesType sizes[] = {1, 2};
  uint8_t dim_order[] = {0, 1};
  TensorImpl empty(ScalarType::Float, 2, sizes, nullptr, dim_order);
  EValue inputs[2];
  ASSERT_EQ(method.get_inputs(inputs, 2), Error::Ok);
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(method.set_input(EValue(Tensor(&empty)), i), Error::Ok);
    Tensor place = inputs[i].toTensor();
    ASSERT_EQ(place.numel(), 2);
    place.mutable_data_ptr<float>()[0] = 1;
    place.mutable_data_ptr<float>()[1] = 10;
  }
  ASSERT_EQ(method.execute(), Error::Ok);
  EXPECT_EQ(floats(method.get_output(0)), (Floats{2, 20}));
}

TEST_F(MethodTest, EachDimensionOfAnInputHasItsBound) {
  // Inputs are 16 x 4 at most; in the second program the marks say that the 4 is fixed.
  for (const bool is_fixed : {false, true}) {
    for (const bool planned : {false, true}) {
      ProgramBuilder b;
      const int other = b.add_planned_tensor({1, 2, 3});
      const int x =
          planned ? b.add_planned_tensor({16, 4}, 6, 1) : b.add_tensor(unplanned({16, 4}, 1));
      if (is_fixed) {
        b.add_string("executorch.static_dims:@");  // Bit 4: after the three of `other`, the second.
      }
      b.set_inputs({other, x});
      b.set_outputs({x});
      MethodHarness harness(b);
      ASSERT_TRUE(harness.ok());
      Method& method = harness.method();
      const auto set = [&](std::vector<int32_t> sizes) {
        return method.set_input(float_tensor(sizes, Floats(64)).value(), 1);
      };
      for (const auto& good : std::vector<std::vector<int32_t>>{{16, 4}, {1, 4}, {0, 4}}) {
        EXPECT_EQ(set(good), Error::Ok);
      }
      for (const auto& bad : std::vector<std::vector<int32_t>>{
               {32, 2}, {8, 8}, {64, 1}, {17, 1}, {4, 5}, {1, 64}, {4}, {1, 16, 4}}) {
        EXPECT_NE(set(bad), Error::Ok);
      }
      const Error smaller = is_fixed ? Error::NotSupported : Error::Ok;
      EXPECT_EQ(set({16, 3}), smaller);
      EXPECT_EQ(set({8, 1}), smaller);
      // The same where the caller resizes the input itself.
      EValue inputs[2];
      ASSERT_EQ(set({16, 4}), Error::Ok);
      ASSERT_EQ(method.get_inputs(inputs, 2), Error::Ok);
      const auto resize = [&](SizesType rows, SizesType columns) {
        const SizesType sizes[] = {rows, columns};
        return resize_tensor(inputs[1].toTensor(), {sizes, 2});
      };
      EXPECT_EQ(resize(8, 8), Error::NotSupported);
      EXPECT_EQ(resize(32, 2), Error::NotSupported);
      EXPECT_EQ(resize(16, 3), smaller);
      EXPECT_EQ(resize(7, 4), Error::Ok);
      EXPECT_EQ(inputs[1].toTensor().size(0), 7);
    }
  }
}

TEST_F(MethodTest, KernelsMayUseWhatThePlannedMemoryHasRoomFor) {
  ProgramBuilder b;
  const int middle = b.add_planned_tensor({16, 4}, 6, 1);
  b.set_inputs({});
  b.set_outputs({middle});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  const SizesType sizes[] = {8, 8};
  EXPECT_EQ(resize_tensor(harness.method().get_output(0).toTensor(), {sizes, 2}), Error::Ok);
}

TEST_F(MethodTest, AnInputWithoutDataOrMemoryIsRefused) {
  ProgramBuilder b;
  const int x = b.add_tensor(unplanned({2}));
  b.set_inputs({x});
  b.set_outputs({x});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  SizesType sizes[] = {2};
  uint8_t dim_order[] = {0};
  TensorImpl empty(ScalarType::Float, 1, sizes, nullptr, dim_order);
  EXPECT_EQ(harness.method().set_input(EValue(Tensor(&empty)), 0), Error::InvalidArgument);
}

TEST_F(MethodTest, MemoryFormatsAreNotReinterpreted) {
  MethodHarness harness(add_program({1, 2, 2, 3}));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const auto contiguous = float_tensor({1, 2, 2, 3}, Floats(12));
  EXPECT_EQ(method.set_input(contiguous.value(), 0), Error::Ok);
  const auto channels_last = float_tensor({1, 2, 2, 3}, Floats(12), {0, 2, 3, 1});
  EXPECT_EQ(method.set_input(channels_last.value(), 0), Error::InvalidArgument);
  const auto swapped = float_tensor({1, 2, 2, 3}, Floats(12), {0, 1, 3, 2});
  EXPECT_EQ(method.set_input(swapped.value(), 0), Error::InvalidArgument);
  const auto outer_swapped = float_tensor({1, 2, 2, 3}, Floats(12), {1, 0, 2, 3});
  EXPECT_EQ(method.set_input(outer_swapped.value(), 0), Error::Ok)
      << "a dimension of size 1 may stand anywhere";
}

TEST_F(MethodTest, MemoryFormatsThatMeanTheSameAreAccepted) {
  ProgramBuilder b;
  TensorOptions options = unplanned({2, 1, 4, 4});
  options.dim_order = {{0, 2, 3, 1}};
  b.set_inputs({b.add_tensor(options)});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  const auto contiguous = float_tensor({2, 1, 4, 4}, Floats(32));
  EXPECT_EQ(harness.method().set_input(contiguous.value(), 0), Error::Ok);
  const auto channels_last = float_tensor({2, 1, 4, 4}, Floats(32), {0, 2, 3, 1});
  EXPECT_EQ(harness.method().set_input(channels_last.value(), 0), Error::Ok);
  const auto transposed = float_tensor({2, 1, 4, 4}, Floats(32), {0, 1, 3, 2});
  EXPECT_EQ(harness.method().set_input(transposed.value(), 0), Error::InvalidArgument);
}

TEST_F(MethodTest, TensorsWithoutDimOrderAreContiguousOrTellByStrides) {
  ProgramBuilder b;
  TensorOptions options = unplanned({2, 3});
  options.dim_order = {{1, 0}};
  b.set_inputs({b.add_tensor(options)});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  SizesType sizes[] = {2, 3};
  float data[6] = {};
  TensorImpl plain(ScalarType::Float, 2, sizes, data);
  EXPECT_EQ(harness.method().set_input(EValue(Tensor(&plain)), 0), Error::InvalidArgument);
  int32_t strides[] = {1, 2};
  TensorImpl strided(ScalarType::Float, 2, sizes, data, nullptr, strides);
  EXPECT_EQ(harness.method().set_input(EValue(Tensor(&strided)), 0), Error::Ok);
  int32_t contiguous[] = {3, 1};
  TensorImpl wrong(ScalarType::Float, 2, sizes, data, nullptr, contiguous);
  EXPECT_EQ(harness.method().set_input(EValue(Tensor(&wrong)), 0), Error::InvalidArgument);
}

TEST_F(MethodTest, DynamicShapesGoUpToTheirBound) {
  MethodHarness harness(add_program({4, 2}, /*shape_dynamism=*/1));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  for (const int32_t rows : {1, 4, 0, 3}) {
    const auto input = float_tensor({rows, 2}, Floats(static_cast<size_t>(rows) * 2, 1.5f));
    ASSERT_EQ(method.set_inputs({input.value(), input.value()}), Error::Ok) << rows;
    ASSERT_EQ(method.execute(), Error::Ok) << rows;
    const EValue& output = method.get_output(0);
    EXPECT_EQ(output.toTensor().sizes()[0], rows);
    EXPECT_EQ(floats(output), Floats(static_cast<size_t>(rows) * 2, 3));
  }
  EXPECT_EQ(method.set_input(float_tensor({5, 2}, Floats(10)).value(), 0), Error::NotSupported);
  EXPECT_EQ(method.set_input(float_tensor({8}, Floats(8)).value(), 0), Error::InvalidArgument);
}

TEST_F(MethodTest, FixedInputsMustHaveTheirValue) {
  ProgramBuilder b;
  b.set_inputs({b.add_int(3), b.add_double(0.1), b.add_bool(true), b.add_string("mode"),
                b.add_none(), b.add_double(std::nan(""))});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const executorch::aten::ArrayRef<char> mode("mode", 4), other("most", 4);
  EXPECT_EQ(method.set_input(EValue(int64_t{4}), 0), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(int64_t{3}), 0), Error::Ok);
  EXPECT_EQ(method.set_input(EValue(3.0), 0), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(0.2), 1), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(static_cast<double>(0.1f)), 1), Error::Ok) << "rounded";
  EXPECT_EQ(method.set_input(EValue(false), 2), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(true), 2), Error::Ok);
  EXPECT_EQ(method.set_input(EValue(&other), 3), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(&mode), 3), Error::Ok);
  EXPECT_EQ(method.set_input(EValue(int64_t{0}), 4), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(), 4), Error::Ok);
  EXPECT_EQ(method.set_input(EValue(1.0), 5), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(std::nan("")), 5), Error::Ok);
  EXPECT_EQ(method.execute(), Error::Ok);
}

TEST_F(MethodTest, InputsWithoutPlannedMemoryAreShared) {
  ProgramBuilder b;
  const int x = b.add_tensor(unplanned({2}));
  const int out = b.add_planned_tensor({2});
  b.call_kernel(b.add_operator("test::neg"), {x, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  float data[2] = {1, 2};
  SizesType size = 2;
  TensorImpl input(ScalarType::Float, 1, &size, data);
  ASSERT_EQ(harness.method().set_input(EValue(Tensor(&input)), 0), Error::Ok);
  data[1] = 5;
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{-1, -5}));
}

TEST_F(MethodTest, OutputsWithoutPlannedMemoryNeedABuffer) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2}, 6, 1);
  const int out = b.add_tensor(unplanned({2}, 1));
  const int constant = b.add_constant_tensor({1});
  b.call_kernel(b.add_operator("test::neg"), {x, out, out});
  b.set_inputs({x});
  b.set_outputs({out, x, constant, b.add_int(1)});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  ASSERT_EQ(method.set_input(float_tensor({1}, {1}).value(), 0), Error::Ok);
  EXPECT_EQ(method.execute(), Error::InvalidState);
  float buffer[3] = {7, 7, 7};
  EXPECT_EQ(method.set_output_data_ptr(buffer, 7, 0), Error::InvalidArgument);
  EXPECT_EQ(method.set_output_data_ptr(nullptr, 8, 0), Error::InvalidArgument);
  EXPECT_EQ(method.set_output_data_ptr(buffer, 8, 1), Error::InvalidState);
  EXPECT_EQ(method.set_output_data_ptr(buffer, 8, 2), Error::InvalidState);
  EXPECT_EQ(method.set_output_data_ptr(buffer, 8, 3), Error::InvalidArgument);
  EXPECT_EQ(method.set_output_data_ptr(buffer, 8, 4), Error::InvalidArgument);
  EXPECT_EQ(method.set_output_data_ptr(reinterpret_cast<char*>(buffer) + 1, 8, 0),
            Error::InvalidArgument);
  ASSERT_EQ(method.set_output_data_ptr(buffer, 8, 0), Error::Ok);
  ASSERT_EQ(method.execute(), Error::Ok);
  EXPECT_EQ(method.get_output(0).toTensor().const_data_ptr(), buffer);
  EXPECT_EQ(buffer[0], -1);
  EXPECT_EQ(buffer[1], 7);
  // The shape is small now, but the next one may not be.
  EXPECT_EQ(method.set_output_data_ptr(buffer, 4, 0), Error::InvalidArgument);
}

TEST_F(MethodTest, CopiesValuesOut) {
  MethodHarness harness(add_program({1}));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  EValue values[4] = {EValue(1.0), EValue(1.0), EValue(1.0), EValue(1.0)};
  EXPECT_EQ(method.get_outputs(values, 0), Error::InvalidArgument);
  EXPECT_EQ(method.get_outputs(values, 3), Error::Ok);
  EXPECT_TRUE(values[0].isTensor());
  EXPECT_TRUE(values[1].isNone());
  EXPECT_TRUE(values[2].isNone());
  EXPECT_TRUE(values[3].isDouble());
  EXPECT_EQ(method.get_inputs(values, 1), Error::InvalidArgument);
  EXPECT_EQ(method.get_inputs(values, 2), Error::Ok);
  EXPECT_TRUE(values[1].isTensor());
}

TEST_F(MethodTest, ConstantMethodsNeedNoInstructions) {
  ProgramBuilder b;
  const int one = b.add_int(1);
  b.set_outputs({b.add_constant_tensor({1, 2, 3}), one, b.add_double(0.5), b.add_bool(true),
                 b.add_string("hello"), b.add_int_list({one, one}), b.add_double_list({1, 2}),
                 b.add_bool_list({1, 0}), b.add_none()});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  ASSERT_EQ(method.execute(), Error::Ok);
  EXPECT_EQ(floats(method.get_output(0)), (Floats{1, 2, 3}));
  EXPECT_EQ(method.get_output(1).toInt(), 1);
  EXPECT_EQ(method.get_output(2).toDouble(), 0.5);
  EXPECT_TRUE(method.get_output(3).toBool());
  EXPECT_EQ(method.get_output(4).toString(), "hello");
  EXPECT_EQ(method.get_output(5).toIntList().size(), 2u);
  EXPECT_EQ(method.get_output(6).toDoubleList()[1], 2.0);
  EXPECT_FALSE(method.get_output(7).toBoolList()[1]);
  EXPECT_TRUE(method.get_output(8).isNone());
}

TEST_F(MethodTest, SymbolicSizesFlowThroughLists) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({3, 5}, 6, 1);
  const int rows = b.add_int(0);
  const int size = b.add_int_list({rows});
  const int out = b.add_planned_tensor({3}, 6, 1);
  b.call_kernel(b.add_operator("test::size", "int"), {x, b.add_int(0), rows});
  b.call_kernel(b.add_operator("test::full"), {size, b.add_double(2), out, out});
  b.set_inputs({x});
  b.set_outputs({out, rows});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  for (const int32_t n : {2, 3, 1}) {
    const auto input = float_tensor({n, 5}, Floats(static_cast<size_t>(n) * 5));
    ASSERT_EQ(harness.method().set_input(input.value(), 0), Error::Ok);
    ASSERT_EQ(harness.method().execute(), Error::Ok);
    EXPECT_EQ(floats(harness.method().get_output(0)), Floats(static_cast<size_t>(n), 2));
    EXPECT_EQ(harness.method().get_output(1).toInt(), n);
  }
}

TEST_F(MethodTest, TensorListsAreArguments) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2});
  const int list = b.add_tensor_list({x, b.add_constant_tensor({8, 9}), x});
  const int out = b.add_planned_tensor({6});
  b.call_kernel(b.add_operator("test::concat"), {list, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({2}, {1, 2}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{1, 2, 8, 9, 1, 2}));
}

TEST_F(MethodTest, MutableStateStartsAsSerializedAndStays) {
  ProgramBuilder b;
  const float initial[2] = {10, 20};
  const auto* bytes = reinterpret_cast<const uint8_t*>(initial);
  TensorOptions options = unplanned({2});
  options.data_buffer_idx = b.add_mutable_data(std::vector<uint8_t>(bytes, bytes + 8));
  options.memory_id = 2;
  options.name = "state";
  const int x = b.add_planned_tensor({2});
  const int state = b.add_tensor(options);
  b.call_kernel(b.add_operator("test::add"), {x, state, state, state});
  b.set_inputs({x});
  b.set_outputs({state});
  b.set_planned_buffers({8, 8});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({2}, {1, 2}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{11, 22}));
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{12, 24}));

  Result<Tensor> attribute = harness.method().get_attribute("state");
  ASSERT_TRUE(attribute.ok());
  EXPECT_EQ(attribute->const_data_ptr<float>()[1], 24);
  attribute->mutable_data_ptr<float>()[0] = 100;
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{101, 26}));
  EXPECT_EQ(harness.method().get_attribute("other").error(), Error::NotFound);
  EXPECT_EQ(harness.method().get_attribute("").error(), Error::NotFound);
}

TEST_F(MethodTest, FailingKernelsFailTheMethodWhichWorksAgain) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2}, 6, 1);
  const int y = b.add_planned_tensor({2});
  const int out = b.add_planned_tensor({2});
  b.call_kernel(b.add_operator("test::add"), {x, y, out, out});
  b.set_inputs({x, y});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const auto two = float_tensor({2}, {1, 2});
  ASSERT_EQ(method.set_inputs({float_tensor({1}, {1}).value(), two.value()}), Error::Ok);
  EXPECT_EQ(method.execute(), Error::InvalidArgument);
  ASSERT_EQ(method.set_inputs({two.value(), two.value()}), Error::Ok);
  EXPECT_EQ(method.execute(), Error::Ok);

  ProgramBuilder failing;
  const int t = failing.add_planned_tensor({1});
  failing.call_kernel(failing.add_operator("test::fail"), {t, t, t});
  MethodHarness failing_harness(failing);
  ASSERT_TRUE(failing_harness.ok());
  EXPECT_EQ(failing_harness.method().execute(), Error::NotSupported);
}

TEST_F(MethodTest, ArgumentsThatDoNotFitTheKernelFailTheCall) {
  const auto run = [](std::vector<int32_t> args) {
    ProgramBuilder b;
    b.add_planned_tensor({2});
    b.add_int(1);
    b.add_constant_tensor({1, 2});
    b.add_tensor(unplanned({2}));
    b.call_kernel(b.add_operator("test::neg"), args);
    MethodHarness harness(b);
    EXPECT_TRUE(harness.ok());
    return harness.method().execute();
  };
  EXPECT_EQ(run({2, 0, 0}), Error::Ok);
  EXPECT_EQ(run({2, 0}), Error::InvalidProgram) << "too few";
  EXPECT_EQ(run({2, 0, 0, 0}), Error::InvalidProgram) << "too many";
  EXPECT_EQ(run({}), Error::InvalidProgram) << "none";
  EXPECT_EQ(run({1, 0, 0}), Error::InvalidType) << "not a tensor";
  EXPECT_EQ(run({0, 2, 2}), Error::InvalidProgram) << "output is a constant";
  EXPECT_EQ(run({3, 0, 0}), Error::InvalidState) << "input without memory";
  EXPECT_EQ(run({0, 3, 3}), Error::InvalidState) << "output without memory";
}

TEST_F(MethodTest, ViewsMayBeReadButNotWritten) {
  ProgramBuilder b;
  const int x = b.add_constant_tensor({1, 2});
  const int view = b.add_tensor(unplanned({4}, 1));
  const int out = b.add_planned_tensor({2});
  const int neg = b.add_operator("test::neg");
  b.call_kernel(b.add_operator("test::view"), {x, view, view});
  b.call_kernel(neg, {view, out, out});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{-1, -2}));

  b.call_kernel(neg, {out, view, view});
  MethodHarness bad(b);
  ASSERT_TRUE(bad.ok());
  EXPECT_EQ(bad.method().execute(), Error::InvalidProgram);
}

TEST_F(MethodTest, SharedInputsSmallerThanTheirBoundAreNotWritten) {
  ProgramBuilder b;
  const int x = b.add_tensor(unplanned({4}, 1));
  const int constant = b.add_constant_tensor({1, 2, 3, 4});
  b.call_kernel(b.add_operator("test::neg"), {constant, x, x});
  b.set_inputs({x});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  float data[4] = {};
  SizesType size = 2;
  TensorImpl small(ScalarType::Float, 1, &size, data);
  ASSERT_EQ(harness.method().set_input(EValue(Tensor(&small)), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::InvalidProgram);
  size = 4;
  TensorImpl full(ScalarType::Float, 1, &size, data);
  ASSERT_EQ(harness.method().set_input(EValue(Tensor(&full)), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(data[3], -4);
}

TEST_F(MethodTest, TempMemoryIsForOneCall) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({4});
  const int out = b.add_planned_tensor({4});
  const int nbytes = b.add_int(400);
  const int scratch = b.add_operator("test::scratch");
  b.call_kernel(scratch, {x, nbytes, out, out});
  b.call_kernel(scratch, {x, nbytes, out, out});
  b.set_inputs({x});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({4}, Floats(4)).value(), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok) << "512 bytes serve 400 twice";
  EXPECT_EQ(harness.memory->temp_allocator.used_size(), 0u);
}

TEST_F(MethodTest, MissingOperatorsAreRefused) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({1});
  b.call_kernel(b.add_operator("test::neg"), {x, x, x});
  b.call_kernel(b.add_operator("absent::one"), {x, x});
  b.call_kernel(b.add_operator("absent::two", ""), {x, x});
  MethodHarness harness(b);
  EXPECT_EQ(harness.error, Error::OperatorMissing);
  EXPECT_EQ(harness.loader.num_loaded, harness.loader.num_freed + 1)
      << "only the program is still there";
}

TEST_F(MethodTest, NeedsItsPlannedMemory) {
  const PteFile file = add_program({8}).build();
  MemoryLoader loader(file);
  Result<Program> program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  alignas(16) uint8_t memory[8192];
  MemoryAllocator allocator(sizeof(memory), memory);
  MemoryManager without(&allocator);
  EXPECT_EQ(program->load_method("forward", &without).error(), Error::InvalidArgument);

  alignas(16) uint8_t planned[96];
  Span<uint8_t> short_span(planned, 95);
  HierarchicalAllocator too_short({&short_span, 1});
  MemoryManager short_manager(&allocator, &too_short);
  EXPECT_EQ(program->load_method("forward", &short_manager).error(), Error::MemoryAllocationFailed);

  Span<uint8_t> span(planned, 96);
  HierarchicalAllocator enough({&span, 1});
  MemoryManager manager(&allocator, &enough);
  EXPECT_EQ(program->load_method("forward", &manager).error(), Error::Ok);
}

TEST_F(MethodTest, WorksWithThePlatformsTempMemory) {
  const PteFile file = add_program({1}).build();
  MemoryLoader loader(file);
  Result<Program> program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  MethodMemory memory(*program->method_meta("forward"));
  MemoryManager manager(&memory.method_allocator, memory.planned_memory.get());
  Result<Method> method = program->load_method("forward", &manager);
  ASSERT_TRUE(method.ok());
  const auto one = float_tensor({1}, {1});
  ASSERT_EQ(method->set_inputs({one.value(), one.value()}), Error::Ok);
  EXPECT_EQ(method->execute(), Error::Ok);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
