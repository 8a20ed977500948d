#pragma once

#include <gtest/gtest.h>

/// Expects that a statement ends the process with a message that matches. Where the platform cannot
/// try that out (no second process), the statement is compiled but not run.
#define ET_EXPECT_DEATH(statement, matcher) EXPECT_DEATH_IF_SUPPORTED(statement, matcher)
#define ET_ASSERT_DEATH(statement, matcher) ASSERT_DEATH_IF_SUPPORTED(statement, matcher)
