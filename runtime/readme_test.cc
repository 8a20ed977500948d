// Runs what the README shows.
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/readme_snippets.h>

namespace {

using executorch::runtime::testing::float_tensor;
using executorch::runtime::testing::floats;
using executorch::runtime::testing::MemoryLoader;
using executorch::runtime::testing::ProgramBuilder;
using executorch::runtime::testing::PteFile;

std::vector<float> result;

TEST(ReadmeTest, TheProgramRunsWithTheKernel) {
  ASSERT_EQ(registered, Error::Ok);
  ProgramBuilder builder;
  const int in = builder.add_planned_tensor({2});
  const int out = builder.add_planned_tensor({2});
  builder.call_kernel(builder.add_operator("my::twice"), {in, out, out});
  builder.set_inputs({in});
  builder.set_outputs({out});
  const PteFile file = builder.build();
  MemoryLoader loader(file);
  const auto input = float_tensor({2}, {1.5, -2});
  ASSERT_EQ(run(&loader, input.value(), [](const EValue& output) { result = floats(output); }),
            Error::Ok);
  EXPECT_EQ(result, (std::vector<float>{3, -4}));
}

}  // namespace
