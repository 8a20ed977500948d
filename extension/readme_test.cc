/// The example of the README, as it stands there (readme_test.py compares), compiled and run.

// README begin
#include <cstdio>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

using namespace ::executorch::extension;

int run(const char* path) {
  Module module(path);  // loads when it is first needed
  auto a = make_tensor_ptr({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
  auto b = full({2, 3}, 10.0f);

  const auto result = module.forward({a, b});
  if (!result.ok()) {
    std::printf("failed: %s\n", executorch::runtime::to_string(result.error()));
    return 1;
  }
  std::printf("%g\n", result->at(0).toTensor().const_data_ptr<float>()[5]);
  return 0;
}
// README end

#include <gtest/gtest.h>

#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>

TEST(ReadmeTest, TheExampleRuns) {
  const ::executorch::extension::testing::TempFile file(
      ::executorch::extension::testing::TinyProgram().build());
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run(file.path().c_str()), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "16\n");
  EXPECT_EQ(run(::executorch::extension::testing::unused_path().c_str()), 1);
}
