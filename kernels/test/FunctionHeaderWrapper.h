/**
 * @file
 * The operators as C++ functions, for tests that do not care which kernel library they test.
 */
#pragma once

#include <executorch/kernels/portable/Functions.h>
