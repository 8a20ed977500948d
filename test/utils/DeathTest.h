/// @file
/// ET_EXPECT_DEATH under the path at which users' tests include it.
#pragma once

#include <executorch/runtime/core/testing_util/death_test.h>
