/// @file
/// The runner by the path of the released README.
#pragma once

#include <executorch/extension/asr/runner/runner.h>  // IWYU pragma: export
