/// @file
/// Bundled programs (`.bpte`): a program together with inputs and the outputs that they should
/// give.
#pragma once

#include <cstddef>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace bundled_program {

/// The bytes of a bundled program. Check them with get_program_data() once before they are used:
/// the other functions do not know where they end.
using SerializedBundledProgram = const void;

/// How far the outputs are from what was expected, over all elements of all numeric tensors.
struct ErrorStats {
  runtime::Error status;  ///< When it is not Ok, the other fields mean nothing.
  double mean_abs_error;
  double max_abs_error;
  double mean_relative_error;
  double max_relative_error;
};

/// Sets all inputs of a method to those of test case number `testset_idx` of the method.
///
/// Inputs without planned memory point into the bundle, which has to outlive the execution.
///
/// @retval Error::NotSupported    The bytes are no bundled program.
/// @retval Error::InvalidArgument There are no test cases for this method, not that many, or they
///     do not fit the method.
/// @retval Error::InvalidProgram  The test case is damaged.
ET_NODISCARD runtime::Error load_bundled_input(runtime::Method& method,
                                               SerializedBundledProgram* bundled_program_ptr,
                                               size_t testset_idx);

/// Compares the method's outputs with the expected ones. Floating-point elements are close if
/// |a - b| <= atol + rtol * |b|; others have to be equal. NaN equals NaN.
///
/// @retval Error::NotFound An output is not what was expected; the log says which and where.
/// @retval Error::NotSupported The test case has no expected outputs, or the bytes are no bundled
///     program.
/// Other errors as with load_bundled_input().
ET_NODISCARD runtime::Error verify_method_outputs(runtime::Method& method,
                                                  SerializedBundledProgram* bundled_program_ptr,
                                                  size_t testset_idx, double rtol = 1e-5,
                                                  double atol = 1e-8);

/// The distance of the method's outputs from the expected ones. Errors as with
/// verify_method_outputs(); outputs of another dtype or shape are InvalidArgument.
ET_NODISCARD ErrorStats compute_method_output_error_stats(
    runtime::Method& method, SerializedBundledProgram* bundled_program_ptr, size_t testset_idx);

/// The program in a file that is either a bundled program or a program. A bundle is checked first,
/// so that it is safe to be used afterwards.
///
/// @retval Error::NotSupported   The file is neither.
/// @retval Error::InvalidProgram The bundle is damaged or holds no program.
ET_NODISCARD runtime::Error get_program_data(void* file_data, size_t file_data_len,
                                             const void** out_program_data,
                                             size_t* out_program_data_len);

/// Whether the bytes say that they are a bundled program. Checks nothing else.
bool is_bundled_program(void* file_data, size_t file_data_len);

}  // namespace bundled_program
}  // namespace executorch

namespace torch {
namespace executor {
namespace bundled_program {
using ::executorch::bundled_program::get_program_data;
using ::executorch::bundled_program::is_bundled_program;
using ::executorch::bundled_program::load_bundled_input;
using ::executorch::bundled_program::SerializedBundledProgram;
using ::executorch::bundled_program::verify_method_outputs;
}  // namespace bundled_program
}  // namespace executor
}  // namespace torch
