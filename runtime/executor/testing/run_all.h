#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace runtime {
namespace testing {

/// Registers the backend of `sample_programs`, once. It copies its first argument to its last one
/// if these are tensors of the same size that may be written, and reads everything it is given.
void register_sample_backend();

/// Does with a file what a careful application does with one that it does not trust: loads it,
/// describes and loads each method, sets its inputs, gives its outputs memory, executes it, steps
/// through it once more and reads its outputs. All memory has exactly the size that was asked for
/// and constants are read-only, so that a sanitizer or the hardware notices any step out of line.
///
/// @param digest If not null, becomes a digest of all outputs: equal for equal outputs.
/// @return What failed, or `Error::Ok`, for the program or else for each of its methods.
std::vector<Error> run_all(const PteFile& file, Program::Verification verification,
                           uint64_t* digest = nullptr);

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
