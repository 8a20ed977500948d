#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/module/module.h>
#include <executorch/extension/runner_util/inputs.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace extension {
namespace {

using runtime::Error;
using runtime::Method;
using testing::TempFile;
using testing::TinyProgram;

class InputsTest : public ::testing::TestWithParam<bool> {
 protected:
  InputsTest() {
    TinyProgram program;
    program.plan_inputs = GetParam();
    file_ = std::make_unique<TempFile>(program.build());
    module_ = std::make_unique<Module>(file_->path());
    method_ = *module_->method("forward");
  }

  float output(size_t index) {
    return method_->get_output(0).toTensor().const_data_ptr<float>()[index];
  }

  std::unique_ptr<TempFile> file_;
  std::unique_ptr<Module> module_;
  Method* method_ = nullptr;
};

TEST_P(InputsTest, EveryElementIsOneUnlessSaidOtherwise) {
  const auto cleanup = prepare_input_tensors(*method_);
  ASSERT_TRUE(cleanup.ok());
  ASSERT_EQ(method_->execute(), Error::Ok);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(output(i), 2.0f);
  }
}

TEST_P(InputsTest, BuffersOfTheCallerAreCopied) {
  std::vector<float> a = {1, 2, 3, 4, 5, 6};
  std::vector<float> b = {10, 20, 30, 40, 50, 60};
  const std::vector<std::pair<char*, size_t>> buffers = {{reinterpret_cast<char*>(a.data()), 24},
                                                         {reinterpret_cast<char*>(b.data()), 24}};
  const auto cleanup = prepare_input_tensors(*method_, {}, buffers);
  ASSERT_TRUE(cleanup.ok());
  a[5] = 1000;
  ASSERT_EQ(method_->execute(), Error::Ok);
  EXPECT_EQ(output(5), 66.0f);
}

TEST_P(InputsTest, BuffersHaveToFit) {
  std::vector<float> a(6);
  char* data = reinterpret_cast<char*>(a.data());
  using Buffers = std::vector<std::pair<char*, size_t>>;
  EXPECT_EQ(prepare_input_tensors(*method_, {}, Buffers{{data, 24}}).error(),
            Error::InvalidArgument);
  EXPECT_EQ(prepare_input_tensors(*method_, {}, Buffers{{data, 24}, {data, 20}}).error(),
            Error::InvalidArgument);
}

TEST_P(InputsTest, LimitsHold) {
  PrepareInputTensorsOptions few_bytes;
  few_bytes.max_total_allocation_size = 47;
  EXPECT_EQ(prepare_input_tensors(*method_, few_bytes).error(), Error::InvalidProgram);
  few_bytes.max_total_allocation_size = 48;
  EXPECT_TRUE(prepare_input_tensors(*method_, few_bytes).ok());
  PrepareInputTensorsOptions few_inputs;
  few_inputs.max_inputs = 1;
  EXPECT_EQ(prepare_input_tensors(*method_, few_inputs).error(), Error::InvalidProgram);
}

TEST(ComplexInputsTest, OneHasNoImaginaryPart) {
  runtime::testing::ProgramBuilder b;
  const int x =
      b.add_planned_tensor({2}, static_cast<int8_t>(executorch::aten::ScalarType::ComplexFloat));
  b.set_inputs({x});
  b.set_outputs({x});
  const runtime::testing::PteFile program = b.build();
  const TempFile file(program.data(), program.size());
  Module module(file.path());
  Method* method = *module.method("forward");
  ASSERT_TRUE(prepare_input_tensors(*method).ok());
  ASSERT_EQ(method->execute(), Error::Ok);
  const auto& tensor = method->get_output(0).toTensor();
  const auto* elements = tensor.const_data_ptr<executorch::aten::complex<float>>();
  EXPECT_EQ(elements[1].real(), 1.0f);
  EXPECT_EQ(elements[1].imag(), 0.0f);
}

INSTANTIATE_TEST_SUITE_P(PlannedOrNot, InputsTest, ::testing::Bool());

}  // namespace
}  // namespace extension
}  // namespace executorch
