/**
 * @file
 * What C++ tests of kernels share: a fixture with a context that knows whether a failure was
 * expected.
 */
#pragma once

#include <numeric>

#include <gtest/gtest.h>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/core/testing_util/death_test.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/platform/runtime.h>

/// Fixture for tests that call kernels with `context_`. A failure that no ET_EXPECT_KERNEL_FAILURE
/// announced fails the test.
class OperatorTest : public ::testing::Test {
 public:
  void SetUp() override { executorch::runtime::runtime_init(); }

  void TearDown() override {
    const bool failed = context_.failure_state() != ::executorch::runtime::Error::Ok;
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
#define ET_EXPECT_KERNEL_FAILURE_WITH_MSG(context, statement, message)     \
  do {                                                                     \
    statement;                                                             \
    expect_failure();                                                      \
    EXPECT_NE((context).failure_state(), ::executorch::runtime::Error::Ok) \
        << "expected the kernel to fail: " #statement;                     \
  } while (false)

/// In a test of an OperatorTest: calls `op(in, out)` with the contiguous tensor `input` and an
/// output in channels last, which must be right if `channels_last_support` and fail otherwise. An
/// output in another order than the input must be right or fail. `tf` is the TensorFactory of the
/// tensors.
#define ET_TEST_OP_SUPPORTS_MEMORY_FORMATS(tf, op, input, expected, channels_last_support) \
  do {                                                                                     \
    const ::executorch::aten::Tensor et_in_ = (tf).channels_last_like(input);              \
    ::executorch::aten::Tensor et_mixed_ = (tf).zeros_like(expected);                      \
    ::executorch::aten::Tensor et_out_ = (tf).channels_last_like(et_mixed_);               \
    if (channels_last_support) {                                                           \
      op(et_in_, et_out_);                                                                 \
      EXPECT_TENSOR_EQ(et_out_, (tf).channels_last_like(expected));                        \
      op(et_in_, et_mixed_);                                                               \
      if (context_.failure_state() == ::executorch::runtime::Error::Ok) {                  \
        EXPECT_TENSOR_EQ(et_mixed_, expected);                                             \
      } else {                                                                             \
        expect_failure();                                                                  \
      }                                                                                    \
    } else {                                                                               \
      ET_EXPECT_KERNEL_FAILURE(context_, op(et_in_, et_out_));                             \
    }                                                                                      \
  } while (false)
