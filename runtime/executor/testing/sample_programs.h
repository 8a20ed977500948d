#pragma once

#include <cstdint>
#include <vector>

#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace runtime {
namespace testing {

/// What describes a tensor of floats without memory of its own: whoever runs the program gives it
/// some.
TensorOptions unplanned_tensor(std::vector<int32_t> sizes, int8_t shape_dynamism = 0);

/// out = a + b, everything in planned memory.
ProgramBuilder add_program(const std::vector<int32_t>& sizes, int8_t shape_dynamism = 0);

/// Name of the backend that `sample_programs` use; a test registers one.
constexpr const char* kSampleBackend = "SampleBackend";

/// Correct programs that together have every type of value and instruction, every place of tensor
/// data, dynamic shapes, control flow and several methods. They run with the test kernels; only
/// their inputs have to be set.
std::vector<PteFile> sample_programs();

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
