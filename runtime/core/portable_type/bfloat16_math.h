/// @file
/// <cmath> functions for Half and BFloat16 that return the type they take.
#pragma once

#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/BFloat16-math.h>
