/**
 * @file
 * What C++ tests of kernels share: a fixture with a context that knows whether a failure was
 * expected.
 */
#pragma once

#include <gtest/gtest.h>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/platform/runtime.h>

/// Fixture for tests that call kernels with `context_`. A failure that no ET_EXPECT_KERNEL_FAILURE
/// announced fails the test.
class OperatorTest : public ::testing::Test {
 public:
  void SetUp() override { executorch::runtime::runtime_init(); }

  void TearDown() override {
    const bool failed = context_.failure_state() != executorch::runtime::Error::Ok;
    EXPECT_EQ(failed, expect_failure_)
        << "the context's failure state is " << static_cast<int>(context_.failure_state());
  }

  /// Says that the context will be in a failure state at the end of the test.
  void expect_failure() { expect_failure_ = true; }

 protected:
  executorch::runtime::KernelRuntimeContext context_;
  bool expect_failure_ = false;
};

/// Runs a statement that must put `context` into a failure state.
#define ET_EXPECT_KERNEL_FAILURE(context, statement) \
  ET_EXPECT_KERNEL_FAILURE_WITH_MSG(context, statement, "")

/// As ET_EXPECT_KERNEL_FAILURE. The message is that of eager, which this runtime does not repeat;
/// it is not compared.
#define ET_EXPECT_KERNEL_FAILURE_WITH_MSG(context, statement, message)   \
  do {                                                                   \
    statement;                                                           \
    expect_failure();                                                    \
    EXPECT_NE((context).failure_state(), executorch::runtime::Error::Ok) \
        << "expected the kernel to fail: " #statement;                   \
  } while (false)
