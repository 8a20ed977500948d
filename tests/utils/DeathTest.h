#pragma once

/// Death tests for code that ends the process through `ET_CHECK`.

#include <gtest/gtest.h>

/// `statement` ends the process by a signal or a failure status. The message, when logging is
/// compiled in, matches `matcher`.
#if defined(ET_LOG_ENABLED) && !ET_LOG_ENABLED
#define ET_EXPECT_DEATH(statement, matcher) EXPECT_DEATH_IF_SUPPORTED(statement, "")
#define ET_ASSERT_DEATH(statement, matcher) ASSERT_DEATH_IF_SUPPORTED(statement, "")
#else
#define ET_EXPECT_DEATH(statement, matcher) EXPECT_DEATH_IF_SUPPORTED(statement, matcher)
#define ET_ASSERT_DEATH(statement, matcher) ASSERT_DEATH_IF_SUPPORTED(statement, matcher)
#endif
