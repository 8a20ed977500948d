/// @file
/// PyTorch include path of TypeSafeSignMath.h.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/TypeSafeSignMath.h>
