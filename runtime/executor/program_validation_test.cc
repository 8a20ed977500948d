#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/program_validation.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>
#include <executorch/schema/program_generated.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

struct Case {
  const char* name;
  /// What is wrong with the program that this fills.
  std::function<void(ProgramBuilder&)> build;
  Error error = Error::InvalidProgram;
};

TensorOptions sized(std::vector<int32_t> sizes) {
  TensorOptions options;
  options.sizes = std::move(sizes);
  return options;
}

TensorOptions ordered(std::vector<int32_t> sizes, std::vector<uint8_t> dim_order) {
  TensorOptions options = sized(std::move(sizes));
  options.dim_order = std::move(dim_order);
  return options;
}

template <typename Change>
std::function<void(ProgramBuilder&)> tensor_with(Change change) {
  return [change](ProgramBuilder& b) {
    TensorOptions options = sized({2, 3});
    change(options);
    b.add_tensor(options);
  };
}

// One case for each rule.
std::vector<Case> bad_tensors() {
  return {
      {"NoSizes", tensor_with([](auto& t) { t.omit_sizes = true; })},
      {"NegativeSize", tensor_with([](auto& t) { t.sizes = {2, -1}; })},
      {"UnknownDtype", tensor_with([](auto& t) { t.scalar_type = 99; })},
      {"NegativeDtype", tensor_with([](auto& t) { t.scalar_type = -1; })},
      {"DtypeThatIsNeverSerialized", tensor_with([](auto& t) { t.scalar_type = 18; })},
      {"UnknownDynamism", tensor_with([](auto& t) { t.shape_dynamism = 3; })},
      {"TooManyDimensions", tensor_with([](auto& t) { t.sizes = std::vector<int32_t>(17, 1); })},
      {"ShortDimOrder", [](auto& b) { b.add_tensor(ordered({2, 3}, {0})); }},
      {"DimOrderOutOfRange", [](auto& b) { b.add_tensor(ordered({2, 3}, {0, 2})); }},
      {"DimOrderRepeats", [](auto& b) { b.add_tensor(ordered({2, 3}, {1, 1})); }},
      {"ElementsOverflow",
       tensor_with([](auto& t) { t.sizes = {INT32_MAX, INT32_MAX, INT32_MAX}; })},
      {"BytesOverflow", tensor_with([](auto& t) { t.sizes = {INT32_MAX, INT32_MAX, 2}; })},
      {"StridesOverflow", tensor_with([](auto& t) { t.sizes = {0, 65536, 65536}; })},
      {"StorageOffset", tensor_with([](auto& t) { t.storage_offset = 1; }), Error::NotSupported},
      {"Layout", tensor_with([](auto& t) { t.layout = 1; }), Error::NotSupported},
      {"Device", tensor_with([](auto& t) { t.device_type = 2; }), Error::NotSupported},
      {"ExternalWithoutName", tensor_with([](auto& t) { t.external = true; })},
  };
}

// And of what a tensor says of its memory.
std::vector<Case> bad_memory() {
  return {
      {"UnknownMemoryId", tensor_with([](auto& t) { t.memory_id = 1; })},
      {"ExceedsPlannedBuffer",
       [](auto& b) {
         TensorOptions options = sized({2});
         options.memory_id = 1;
         b.set_planned_buffers({7});
         b.add_tensor(options);
       }},
      {"OffsetOverflows",
       [](auto& b) {
         TensorOptions options = sized({2});
         options.memory_id = 1;
         options.memory_offset = ~uint64_t{0} - 3;
         b.set_planned_buffers({64});
         b.add_tensor(options);
       }},
      {"MisalignedOffset",
       [](auto& b) {
         TensorOptions options = sized({2});
         options.memory_id = 1;
         options.memory_offset = 2;
         b.set_planned_buffers({64});
         b.add_tensor(options);
       }},
      {"NegativePlannedBuffer",
       [](auto& b) {
         b.set_planned_buffers({-1});
         b.add_int(1);
       }},
      {"ConstantWithoutData", tensor_with([](auto& t) { t.data_buffer_idx = 1; })},
      {"ConstantExceedsItsSegment",
       [](auto& b) {
         TensorOptions options = sized({5});
         options.data_buffer_idx = b.add_constant_data(std::vector<uint8_t>(16));
         b.add_tensor(options);
       }},
      {"InitialStateWithoutData",
       [](auto& b) {
         TensorOptions options = sized({1});
         options.memory_id = 1;
         options.data_buffer_idx = 1;
         b.set_planned_buffers({64});
         b.add_tensor(options);
       }},
      {"InitialStateExceedsItsSegment",
       [](auto& b) {
         TensorOptions options = sized({5});
         options.memory_id = 1;
         options.data_buffer_idx = b.add_mutable_data(std::vector<uint8_t>(16));
         b.set_planned_buffers({64});
         b.add_tensor(options);
       }},
  };
}

std::vector<Case> bad_values() {
  return {
      {"UnknownType", [](auto& b) { b.add_value_of_type(12); }},
      {"TypeNone", [](auto& b) { b.add_value_of_type(0); }},
      {"IntListOutOfRange", [](auto& b) { b.add_int_list({5}); }},
      {"IntListNegative", [](auto& b) { b.add_int_list({-1}); }},
      {"IntListHuge", [](auto& b) { b.add_int_list({int64_t{1} << 32}); }},
      {"IntListOfItself", [](auto& b) { b.add_int_list({0}); }},
      {"IntListOfDoubles", [](auto& b) { b.add_int_list({b.add_double(1)}); }},
      {"BoolListOfOthers", [](auto& b) { b.add_bool_list({0, 2}); }},
      {"TensorListOutOfRange", [](auto& b) { b.add_tensor_list({3}); }},
      {"TensorListWithHole", [](auto& b) { b.add_tensor_list({-1}); }},
      {"TensorListOfInts", [](auto& b) { b.add_tensor_list({b.add_int(1)}); }},
      {"TensorListOfNone", [](auto& b) { b.add_tensor_list({b.add_none()}); }},
      {"OptionalTensorListOutOfRange", [](auto& b) { b.add_optional_tensor_list({-2}); }},
      {"OptionalTensorListOfInts", [](auto& b) { b.add_optional_tensor_list({b.add_int(1)}); }},
      {"InputOutOfRange", [](auto& b) { b.set_inputs({0}); }},
      {"InputNegative", [](auto& b) { b.set_inputs({-1}); }},
      {"InputConstant", [](auto& b) { b.set_inputs({b.add_constant_tensor({1})}); }},
      {"OutputOutOfRange", [](auto& b) { b.set_outputs({1}); }},
  };
}

std::vector<Case> bad_instructions() {
  return {
      {"OperatorWithoutName", [](auto& b) { b.add_operator(""); }},
      {"OperatorWithZeroInName", [](auto& b) { b.add_operator(std::string("a\0b", 3)); }},
      {"OperatorOutOfRange", [](auto& b) { b.call_kernel(0, {}); }},
      {"OperatorNegative",
       [](auto& b) {
         b.add_operator("test::neg");
         b.call_kernel(-1, {});
       }},
      {"ArgumentOutOfRange",
       [](auto& b) { b.call_kernel(b.add_operator("test::neg"), {0, 0, 0}); }},
      {"DelegateOutOfRange", [](auto& b) { b.call_delegate(0, {}); }},
      {"DelegateArgumentOutOfRange",
       [](auto& b) { b.call_delegate(b.add_delegate("Backend", {}), {4}); }},
      {"DelegateWithoutBackend", [](auto& b) { b.add_delegate("", {}); }},
      {"CompileSpecWithoutKey",
       [](auto& b) { b.add_delegate("Backend", {}, false, {{"", "value"}}); }},
      {"MoveFromNowhere", [](auto& b) { b.move(7, b.add_int(1)); }},
      {"MoveToNowhere", [](auto& b) { b.move(b.add_int(1), -3); }},
      {"JumpOnNowhere", [](auto& b) { b.jump_if_false(1, 0); }},
      {"JumpTooFar", [](auto& b) { b.jump_if_false(b.add_bool(false), 2); }},
      {"JumpBack", [](auto& b) { b.jump_if_false(b.add_bool(false), -1); }},
      {"JumpOnInt", [](auto& b) { b.jump_if_false(b.add_int(0), 0); }},
      {"FreeNowhere", [](auto& b) { b.free_value(0); }},
      {"FreeInt", [](auto& b) { b.free_value(b.add_int(1)); }},
      {"FreePlannedMemory", [](auto& b) { b.free_value(b.add_planned_tensor({2})); }},
      {"FreeConstant", [](auto& b) { b.free_value(b.add_constant_tensor({1})); }},
  };
}

class BadProgramTest : public ::testing::TestWithParam<Case> {};

TEST_P(BadProgramTest, IsRefused) {
  register_test_kernels();
  ProgramBuilder builder;
  GetParam().build(builder);
  const PteFile file = builder.build();
  MemoryLoader loader(file);

  Result<Program> strict = Program::load(&loader, Program::Verification::InternalConsistency);
  EXPECT_EQ(strict.error(), GetParam().error);

  // The lower level lets it pass until the method is needed.
  Result<Program> program = Program::load(&loader);
  ASSERT_EQ(program.error(), Error::Ok);
  Result<MethodMeta> meta = program->method_meta("forward");
  ASSERT_TRUE(meta.ok());
  alignas(16) uint8_t planned[256];
  Span<uint8_t> spans[] = {{planned, sizeof(planned)}, {planned, sizeof(planned)}};
  HierarchicalAllocator planned_memory({spans, 2});
  alignas(16) static uint8_t memory[16384];
  MemoryAllocator method_allocator(sizeof(memory), memory);
  MemoryManager manager(&method_allocator, &planned_memory);
  EXPECT_EQ(program->load_method("forward", &manager).error(), GetParam().error);
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Tensors, BadProgramTest, ::testing::ValuesIn(bad_tensors()), name_of);
INSTANTIATE_TEST_SUITE_P(Memory, BadProgramTest, ::testing::ValuesIn(bad_memory()), name_of);
INSTANTIATE_TEST_SUITE_P(Values, BadProgramTest, ::testing::ValuesIn(bad_values()), name_of);
INSTANTIATE_TEST_SUITE_P(Instructions, BadProgramTest, ::testing::ValuesIn(bad_instructions()),
                         name_of);

TEST(GoodProgramTest, UnusualButValidProgramsLoad) {
  register_test_kernels();
  ProgramBuilder builder;
  // References to values that come later, empty lists, a jump to the end, empty tensors.
  builder.add_int_list({1, 1});
  builder.add_int(5);
  builder.add_optional_tensor_list({-1, 3, 4});
  builder.add_none();
  builder.add_tensor(sized({}));
  builder.add_tensor_list({});
  builder.add_double_list({});
  builder.add_bool_list({0, 1});
  builder.add_string("");
  builder.add_tensor(sized({0, 3}));
  builder.add_tensor(ordered({2, 3, 4, 5}, {0, 2, 3, 1}));
  builder.add_tensor(sized(std::vector<int32_t>(16, 1)));
  builder.jump_if_false(builder.add_bool(false), 1);
  MethodHarness harness(builder.build(), "forward", nullptr, nullptr, nullptr,
                        Program::Verification::InternalConsistency);
  ASSERT_EQ(harness.error, Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok);
}

// A method of calls with 1,000 arguments each, of which `shared` have the first one's list.
Error load_with_shared_arguments(uint32_t shared) {
  namespace fb = executorch_flatbuffer;
  ProgramBuilder builder;
  const int value = builder.add_int(1);
  const int delegate = builder.add_delegate("Backend", {});
  for (uint32_t i = 0; i <= shared; ++i) {
    builder.call_delegate(delegate, std::vector<int32_t>(i == 0 ? 1000 : 1, value));
  }
  const PteFile file = builder.build();
  auto* program = flatbuffers::GetMutableRoot<fb::Program>(file.data());
  const auto* instructions = program->execution_plan()->Get(0)->chains()->Get(0)->instructions();
  const auto arguments_of = [&](uint32_t i) {
    return instructions->Get(i)->instr_args_as_DelegateCall();
  };
  const auto* first = reinterpret_cast<const uint8_t*>(arguments_of(0)->args());
  for (uint32_t i = 1; i <= shared; ++i) {
    auto* call =
        reinterpret_cast<flatbuffers::Table*>(const_cast<fb::DelegateCall*>(arguments_of(i)));
    call->SetPointer(fb::DelegateCall::VT_ARGS, first);
  }
  return validate_program(program);
}

TEST(ValidateProgramTest, AFewListsDoNotServeAsArgumentsOfThousandsOfCalls) {
  EXPECT_EQ(load_with_shared_arguments(0), Error::Ok);
  EXPECT_EQ(load_with_shared_arguments(10), Error::Ok);
  EXPECT_EQ(load_with_shared_arguments(5000), Error::InvalidProgram);
}

TEST(ValidateProgramTest, NullIsInvalid) {
  EXPECT_EQ(validate_program(nullptr), Error::InvalidProgram);
  EXPECT_EQ(validate_tensor(nullptr), Error::InvalidProgram);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
