#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using executorch::aten::ScalarType;

class MethodMetaTest : public ::testing::Test {
 protected:
  MethodMetaTest() : file_(build()), loader_(file_), program_(Program::load(&loader_)) {}

  static PteFile build() {
    ProgramBuilder b;
    const int planned = b.add_planned_tensor({2, 3}, /*scalar_type=*/4, /*shape_dynamism=*/1);
    TensorOptions free_options;
    free_options.sizes = {4, 5, 6, 7};
    free_options.dim_order = {{0, 2, 3, 1}};
    const int free = b.add_tensor(free_options);
    const int constant = b.add_constant_tensor({1, 2});
    TensorOptions state;
    state.sizes = {3};
    state.memory_id = 2;
    state.name = "state";
    b.add_tensor(state);
    const int number = b.add_int(3);
    const int nothing = b.add_none();
    const int list = b.add_int_list({number});
    b.set_inputs({planned, free, number, nothing});
    b.set_outputs({free, constant, list, b.add_double(1), b.add_bool(true), b.add_string("x"),
                   b.add_double_list({}), b.add_bool_list({}), b.add_tensor_list({}),
                   b.add_optional_tensor_list({})});
    b.set_planned_buffers({48, 12});
    b.add_delegate("First", {});
    b.add_delegate("Second", {});
    b.add_delegate("First", {});
    b.move(number, number);
    b.move(number, number);
    b.begin_chain();
    b.move(number, number);
    return b.build();
  }

  MethodMeta meta() { return *program_->method_meta("forward"); }

  PteFile file_;
  MemoryLoader loader_;
  Result<Program> program_;
};

TEST_F(MethodMetaTest, CountsAndNames) {
  EXPECT_STREQ(meta().name(), "forward");
  EXPECT_EQ(meta().num_inputs(), 4u);
  EXPECT_EQ(meta().num_outputs(), 10u);
  EXPECT_EQ(meta().num_instructions(), 3u);
}

TEST_F(MethodMetaTest, Tags) {
  EXPECT_EQ(*meta().input_tag(0), Tag::Tensor);
  EXPECT_EQ(*meta().input_tag(2), Tag::Int);
  EXPECT_EQ(*meta().input_tag(3), Tag::None);
  EXPECT_EQ(meta().input_tag(4).error(), Error::InvalidArgument);
  const Tag outputs[] = {
      Tag::Tensor, Tag::Tensor,     Tag::ListInt,  Tag::Double,     Tag::Bool,
      Tag::String, Tag::ListDouble, Tag::ListBool, Tag::ListTensor, Tag::ListOptionalTensor};
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(*meta().output_tag(i), outputs[i]) << i;
  }
  EXPECT_EQ(meta().output_tag(10).error(), Error::InvalidArgument);
}

TEST_F(MethodMetaTest, TensorInputs) {
  Result<TensorInfo> planned = meta().input_tensor_meta(0);
  ASSERT_TRUE(planned.ok());
  EXPECT_EQ(planned->scalar_type(), ScalarType::Long);
  ASSERT_EQ(planned->sizes().size(), 2u);
  EXPECT_EQ(planned->sizes()[1], 3);
  EXPECT_EQ(planned->nbytes(), 48u);
  EXPECT_TRUE(planned->is_memory_planned());
  EXPECT_EQ(planned->name(), "");

  Result<TensorInfo> free = meta().input_tensor_meta(1);
  ASSERT_TRUE(free.ok());
  EXPECT_FALSE(free->is_memory_planned());
  ASSERT_EQ(free->dim_order().size(), 4u);
  EXPECT_EQ(free->dim_order()[1], 2);
  EXPECT_EQ(free->nbytes(), 4u * 5 * 6 * 7 * 4);

  EXPECT_EQ(meta().input_tensor_meta(2).error(), Error::InvalidArgument);
  EXPECT_EQ(meta().input_tensor_meta(4).error(), Error::InvalidArgument);
}

TEST_F(MethodMetaTest, TensorOutputs) {
  EXPECT_FALSE(meta().output_tensor_meta(0)->is_memory_planned());
  EXPECT_TRUE(meta().output_tensor_meta(1)->is_memory_planned()) << "a constant";
  EXPECT_EQ(meta().output_tensor_meta(2).error(), Error::InvalidArgument);
  EXPECT_EQ(meta().output_tensor_meta(10).error(), Error::InvalidArgument);
}

TEST_F(MethodMetaTest, Attributes) {
  ASSERT_EQ(meta().num_attributes(), 1u);
  Result<TensorInfo> attribute = meta().attribute_tensor_meta(0);
  ASSERT_TRUE(attribute.ok());
  EXPECT_EQ(attribute->name(), "state");
  EXPECT_EQ(attribute->nbytes(), 12u);
  EXPECT_EQ(meta().attribute_tensor_meta(1).error(), Error::InvalidArgument);
}

TEST_F(MethodMetaTest, PlannedBuffers) {
  ASSERT_EQ(meta().num_memory_planned_buffers(), 2u);
  EXPECT_EQ(*meta().memory_planned_buffer_size(0), 48);
  EXPECT_EQ(*meta().memory_planned_buffer_size(1), 12);
  EXPECT_EQ(meta().memory_planned_buffer_size(2).error(), Error::InvalidArgument);
  EXPECT_EQ(meta().memory_planned_buffer_size(~size_t{0}).error(), Error::InvalidArgument);
  EXPECT_EQ(*meta().memory_planned_buffer_device(1), etensor::Device(etensor::DeviceType::CPU, 0));
  EXPECT_EQ(meta().memory_planned_buffer_device(2).error(), Error::InvalidArgument);
}

TEST_F(MethodMetaTest, Backends) {
  EXPECT_TRUE(meta().uses_backend("First"));
  EXPECT_TRUE(meta().uses_backend("Second"));
  EXPECT_FALSE(meta().uses_backend("Sec"));
  EXPECT_FALSE(meta().uses_backend(nullptr));
  ASSERT_EQ(meta().num_backends(), 2u);
  EXPECT_STREQ(*meta().get_backend_name(0), "First");
  EXPECT_STREQ(*meta().get_backend_name(1), "Second");
  EXPECT_EQ(meta().get_backend_name(2).error(), Error::InvalidArgument);
}

TEST(MethodMetaBadProgramTest, IndicesAndSizesAreChecked) {
  ProgramBuilder b;
  TensorOptions bad;
  bad.sizes = {-5};
  const int tensor = b.add_tensor(bad);
  b.set_inputs({7, -1, tensor});
  b.set_planned_buffers({-3});
  const PteFile file = b.build();
  MemoryLoader loader(file);
  Result<Program> program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  Result<MethodMeta> meta = program->method_meta("forward");
  ASSERT_TRUE(meta.ok());
  EXPECT_EQ(meta->input_tag(0).error(), Error::InvalidProgram);
  EXPECT_EQ(meta->input_tensor_meta(1).error(), Error::InvalidProgram);
  EXPECT_EQ(meta->input_tensor_meta(2).error(), Error::InvalidProgram);
  EXPECT_EQ(meta->memory_planned_buffer_size(0).error(), Error::InvalidProgram);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
