/**
 * @file
 * What the kernel library under test can do, for tests that run against several of them.
 */
#pragma once

#include <gtest/gtest.h>

namespace torch {
namespace executor {
namespace testing {

/// Capabilities of the linked kernel library. The defaults describe the libraries of this
/// repository; a library that can do less sets its own values before the tests run, through
/// `get()`.
struct SupportedFeatures {
  /// The kernels are PyTorch's own, which differ where ATen is more lenient than a program.
  bool is_aten = false;
  /// Outputs are resized beyond the memory that they were made with. Here a dynamic output has a
  /// bound, and is resized within it whatever this says.
  bool output_resize = false;
  /// Dim orders other than the contiguous one are read and written.
  bool channels_last = true;
  /// Operators that some libraries have for Float only.
  bool op_gelu_dtype_double = true;
  bool op_log_softmax_dtype_double = true;

  /// The features that tests ask for; a library's own set-up writes to them. Never null.
  static SupportedFeatures* get() {
    static SupportedFeatures features;
    return &features;
  }
};

}  // namespace testing
}  // namespace executor
}  // namespace torch

/// Ends the present test as skipped if `condition` holds; `message` says what is missing.
#define ET_SKIP_IF(condition, message) \
  do {                                 \
    if (condition) {                   \
      GTEST_SKIP() << (message);       \
    }                                  \
  } while (false)
