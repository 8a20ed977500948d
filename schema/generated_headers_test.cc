// The generated headers, on a file that the Python writer made: what one language writes, the other
// verifies and reads.

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/schema/bundled_program_generated.h>
#include <executorch/schema/etdump_generated.h>
#include <executorch/schema/flat_tensor_generated.h>
#include <executorch/schema/program_generated.h>

namespace {

using ::testing::ElementsAre;

std::vector<uint8_t> example() {
  const char* path = std::getenv("EXAMPLE_PROGRAM");
  std::ifstream file(path == nullptr ? "example_program.bin" : path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <typename T>
std::vector<T> items(const flatbuffers::Vector<T>* vector) {
  return {vector->begin(), vector->end()};
}

TEST(GeneratedHeadersTest, VerifiesWhatPythonWrote) {
  const std::vector<uint8_t> data = example();
  ASSERT_FALSE(data.empty());
  flatbuffers::Verifier verifier(data.data(), data.size());
  EXPECT_TRUE(executorch_flatbuffer::VerifyProgramBuffer(verifier));
}

TEST(GeneratedHeadersTest, VerifierSeesDamage) {
  std::vector<uint8_t> data = example();
  ASSERT_FALSE(data.empty());
  data.resize(data.size() / 2);
  flatbuffers::Verifier verifier(data.data(), data.size());
  EXPECT_FALSE(executorch_flatbuffer::VerifyProgramBuffer(verifier));
}

TEST(GeneratedHeadersTest, ReadsWhatPythonWrote) {
  const std::vector<uint8_t> data = example();
  ASSERT_FALSE(data.empty());
  const auto* program = executorch_flatbuffer::GetProgram(data.data());
  ASSERT_EQ(program->execution_plan()->size(), 1u);
  const auto* plan = program->execution_plan()->Get(0);
  EXPECT_EQ(plan->name()->str(), "forward");
  EXPECT_EQ(plan->container_meta_type()->encoded_out_str()->str(), "out");
  ASSERT_EQ(plan->values()->size(), 11u);
  EXPECT_EQ(plan->values()->Get(0)->val_type(), executorch_flatbuffer::KernelTypes::Null);
  EXPECT_EQ(plan->values()->Get(1)->val_as_Int()->int_val(), std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(plan->values()->Get(2)->val_as_Bool()->bool_val());
  EXPECT_EQ(plan->values()->Get(5)->val_as_String()->string_val()->str(), "text");
  EXPECT_THAT(items(plan->values()->Get(10)->val_as_OptionalTensorList()->items()),
              ElementsAre(4, -1));
  EXPECT_THAT(items(plan->non_const_buffer_sizes()), ElementsAre(0, int64_t{1} << 40));
  EXPECT_EQ(plan->non_const_buffer_device()->Get(0)->device_type(),
            executorch_flatbuffer::DeviceType::CUDA);
  EXPECT_EQ(plan->operators()->Get(0)->overload()->str(), "out");
  EXPECT_EQ(plan->delegates()->Get(0)->processed()->location(),
            executorch_flatbuffer::DataLocation::SEGMENT);
  EXPECT_EQ(program->segments()->Get(0)->size(), uint64_t{1} << 33);
  EXPECT_EQ(program->named_data()->Get(0)->key()->str(), "key");
}

TEST(GeneratedHeadersTest, ReadsTensors) {
  const std::vector<uint8_t> data = example();
  ASSERT_FALSE(data.empty());
  const auto* plan = executorch_flatbuffer::GetProgram(data.data())->execution_plan()->Get(0);
  const auto* tensor = plan->values()->Get(4)->val_as_Tensor();
  EXPECT_EQ(tensor->scalar_type(), executorch_flatbuffer::ScalarType::HALF);
  EXPECT_THAT(items(tensor->sizes()), ElementsAre(2, 3));
  EXPECT_THAT(items(tensor->dim_order()), ElementsAre(1, 0));
  EXPECT_EQ(tensor->allocation_info()->memory_offset_low(), 0xFFFFFFF0u);
  EXPECT_EQ(tensor->allocation_info()->memory_offset_high(), 3u);
  EXPECT_EQ(tensor->shape_dynamism(), executorch_flatbuffer::TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(tensor->extra_tensor_info()->location(),
            executorch_flatbuffer::TensorDataLocation::EXTERNAL);
}

TEST(GeneratedHeadersTest, ReadsInstructions) {
  const std::vector<uint8_t> data = example();
  ASSERT_FALSE(data.empty());
  const auto* plan = executorch_flatbuffer::GetProgram(data.data())->execution_plan()->Get(0);
  const auto* instructions = plan->chains()->Get(0)->instructions();
  ASSERT_EQ(instructions->size(), 5u);
  EXPECT_THAT(items(instructions->Get(0)->instr_args_as_KernelCall()->args()), ElementsAre(1, 2));
  EXPECT_EQ(instructions->Get(1)->instr_args_as_DelegateCall()->delegate_index(), 0);
  EXPECT_EQ(instructions->Get(2)->instr_args_as_MoveCall()->move_to(), 2);
  EXPECT_EQ(instructions->Get(3)->instr_args_as_JumpFalseCall()->destination_instruction(), 5);
  EXPECT_EQ(instructions->Get(4)->instr_args_as_FreeCall()->value_index(), 4);
}

TEST(GeneratedHeadersTest, FilesSayWhatTheyAre) {
  EXPECT_STREQ(executorch_flatbuffer::ProgramIdentifier(), "ET12");
  EXPECT_STREQ(executorch_flatbuffer::ProgramExtension(), "pte");
  EXPECT_STREQ(flat_tensor_flatbuffer::FlatTensorIdentifier(), "FT01");
  EXPECT_STREQ(flat_tensor_flatbuffer::FlatTensorExtension(), "ptd");
  EXPECT_STREQ(bundled_program_flatbuffer::BundledProgramIdentifier(), "BP08");
  EXPECT_STREQ(bundled_program_flatbuffer::BundledProgramExtension(), "bpte");
  EXPECT_STREQ(etdump::ETDumpIdentifier(), "ED00");
}

TEST(GeneratedHeadersTest, DefaultsAreThoseOfTheFormat) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(etdump::CreateProfileEvent(builder));
  const auto* event = flatbuffers::GetRoot<etdump::ProfileEvent>(builder.GetBufferPointer());
  EXPECT_EQ(event->instruction_id(), -1);
  EXPECT_EQ(event->delegate_debug_id_int(), -1);
  EXPECT_EQ(event->chain_index(), 0);
}

}  // namespace
