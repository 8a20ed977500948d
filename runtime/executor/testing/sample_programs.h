#pragma once

#include <vector>

#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace runtime {
namespace testing {

/// Name of the backend that `sample_programs` use; a test registers one.
constexpr const char* kSampleBackend = "SampleBackend";

/// Correct programs that together have every type of value and instruction, every place of tensor
/// data, dynamic shapes, control flow and several methods. They run with the test kernels; only
/// their inputs have to be set.
std::vector<PteFile> sample_programs();

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
