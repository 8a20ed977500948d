/// @file
/// Death tests of code that ends the process through ET_CHECK.
#pragma once

#include <gtest/gtest.h>

#include <executorch/runtime/platform/log.h>

/// Expects that a statement ends the process, with a message that matches if messages are built in.
/// Where the platform cannot try that out (no second process), the statement is compiled but not
/// run.
#if ET_LOG_ENABLED
#define ET_EXPECT_DEATH(statement, matcher) EXPECT_DEATH_IF_SUPPORTED(statement, matcher)
#define ET_ASSERT_DEATH(statement, matcher) ASSERT_DEATH_IF_SUPPORTED(statement, matcher)
#else
#define ET_EXPECT_DEATH(statement, matcher) EXPECT_DEATH_IF_SUPPORTED(statement, "")
#define ET_ASSERT_DEATH(statement, matcher) ASSERT_DEATH_IF_SUPPORTED(statement, "")
#endif
