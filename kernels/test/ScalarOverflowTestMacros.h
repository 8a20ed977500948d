/**
 * @file
 * Tests that a scalar which the tensor's dtype cannot hold makes a kernel fail, as it does in
 * eager.
 */
#pragma once

#include <limits>

#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/exec_aten.h>

/// Defines one test for each dtype and side. The fixture `SUITE` needs
///
///     template <ScalarType DTYPE>
///     void expect_bad_scalar_value_dies(const Scalar& bad_value);
///
/// which calls the kernel with a tensor of DTYPE and expects a failure. A value of -1 is no
/// overflow of Byte: eager takes it for 255.
#define GENERATE_SCALAR_OVERFLOW_TESTS(SUITE)                                            \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, ByteTensorTooSmallScalarDies, Byte, -256)      \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, ByteTensorTooLargeScalarDies, Byte, 256)       \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, CharTensorTooSmallScalarDies, Char, -129)      \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, CharTensorTooLargeScalarDies, Char, 128)       \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, ShortTensorTooSmallScalarDies, Short, -32769)  \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, ShortTensorTooLargeScalarDies, Short, 32768)   \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, IntTensorTooSmallScalarDies, Int, -2147483649) \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, IntTensorTooLargeScalarDies, Int, 2147483648)  \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, IntTensorNanScalarDies, Int,                   \
                                   std::numeric_limits<double>::quiet_NaN())             \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, FloatTensorTooSmallScalarDies, Float,          \
                                   std::numeric_limits<double>::lowest())                \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, FloatTensorTooLargeScalarDies, Float,          \
                                   std::numeric_limits<double>::max())                   \
  ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, HalfTensorTooLargeScalarDies, Half, 65536)

#define ET_INTERNAL_SCALAR_OVERFLOW_TEST(SUITE, NAME, DTYPE, VALUE)                            \
  TEST_F(SUITE, NAME) {                                                                        \
    this->template expect_bad_scalar_value_dies<::executorch::aten::ScalarType::DTYPE>(VALUE); \
  }
