#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/extension/training/module/training_module.h>
#include <executorch/extension/training/optimizer/sgd.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::extension::BufferDataLoader;
using executorch::extension::make_tensor_ptr;
using executorch::extension::training::TrainingModule;
using executorch::extension::training::optimizer::SGD;
using executorch::extension::training::optimizer::SGDOptions;
using executorch::runtime::Error;
using executorch::runtime::testing::ProgramBuilder;
using executorch::runtime::testing::PteFile;
using executorch::runtime::testing::TensorOptions;

/// A method that gives a constant.
void add_index(ProgramBuilder& b, const std::string& name, int64_t value) {
  b.begin_method(name);
  b.set_outputs({b.add_int(value)});
}

/// loss = x + w; the gradient of w is x + x; w is a state with the first values 1 and 2.
ProgramBuilder joint_graph() {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2});
  const int loss = b.add_planned_tensor({2});
  const int gradient = b.add_planned_tensor({2});
  TensorOptions options;
  options.sizes = {2};
  options.memory_id = 2;
  options.name = "net.w";
  options.data_buffer_idx = b.add_mutable_data({0, 0, 128, 63, 0, 0, 0, 64});
  const int w = b.add_tensor(options);
  b.set_planned_buffers({64, 8});
  const int add = b.add_operator("test::add");
  b.call_kernel(add, {x, w, loss, loss});
  b.call_kernel(add, {x, x, gradient, gradient});
  b.set_inputs({x});
  b.set_outputs({loss, gradient, w});
  return b;
}

PteFile training_program(int64_t gradients, int64_t parameters) {
  ProgramBuilder b = joint_graph();
  add_index(b, "__et_training_gradients_index_forward", gradients);
  add_index(b, "__et_training_parameters_index_forward", parameters);
  b.begin_method("__et_training_fqn_forward");
  b.set_outputs({b.add_string("net.w")});
  return b.build();
}

std::unique_ptr<BufferDataLoader> loader_of(const PteFile& file) {
  return std::make_unique<BufferDataLoader>(file.data(), file.size());
}

class TrainingModuleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    executorch::runtime::runtime_init();
    executorch::runtime::testing::register_test_kernels();
  }
};

TEST_F(TrainingModuleTest, SectionsOfTheOutputs) {
  const PteFile file = training_program(1, 2);
  TrainingModule module(loader_of(file));
  EXPECT_EQ(module.named_gradients("forward").error(), Error::InvalidState);
  auto parameters = module.named_parameters("forward");
  ASSERT_EQ(parameters.error(), Error::Ok);
  ASSERT_EQ(parameters->count("net.w"), 1u);
  EXPECT_EQ(parameters->at("net.w").const_data_ptr<float>()[1], 2);

  const auto x = make_tensor_ptr({2}, {3.0f, 4.0f});
  const auto results = module.execute_forward_backward("forward", {*x});
  ASSERT_EQ(results.error(), Error::Ok);
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ(results->at(0).toTensor().const_data_ptr<float>()[0], 4);
  const auto gradients = module.named_gradients("forward");
  ASSERT_EQ(gradients.error(), Error::Ok);
  EXPECT_EQ(gradients->at("net.w").const_data_ptr<float>()[1], 8);
  const auto attributes = module.named_attributes("forward");
  ASSERT_EQ(attributes.error(), Error::Ok);
  EXPECT_EQ(attributes->at("net.w").const_data_ptr(), parameters->at("net.w").const_data_ptr());
}

TEST_F(TrainingModuleTest, AnOptimizerChangesWhatTheMethodReads) {
  const PteFile file = training_program(1, 2);
  TrainingModule module(loader_of(file));
  auto parameters = module.named_parameters("forward");
  ASSERT_EQ(parameters.error(), Error::Ok);
  SGD optimizer(parameters.get(), SGDOptions(0.5));
  const auto x = make_tensor_ptr({2}, {1.0f, 2.0f});
  ASSERT_EQ(module.execute_forward_backward("forward", {*x}).error(), Error::Ok);
  ASSERT_EQ(optimizer.step(module.named_gradients("forward").get()), Error::Ok);
  const auto results = module.execute_forward_backward("forward", {*x});
  ASSERT_EQ(results.error(), Error::Ok);
  // w went from {1, 2} to {0, 0}.
  EXPECT_EQ(results->at(0).toTensor().const_data_ptr<float>()[0], 1);
  EXPECT_EQ(results->at(0).toTensor().const_data_ptr<float>()[1], 2);
}

TEST_F(TrainingModuleTest, RefusesProgramsWithoutSections) {
  const PteFile plain = joint_graph().build();
  TrainingModule module(loader_of(plain));
  EXPECT_EQ(module.named_parameters("forward").error(), Error::InvalidProgram);
  EXPECT_EQ(module.named_parameters("backward").error(), Error::InvalidArgument);
  const PteFile wrong = training_program(2, 3);
  TrainingModule other(loader_of(wrong));
  EXPECT_EQ(other.named_parameters("forward").error(), Error::InvalidProgram);
}

}  // namespace
