/// @file
/// PyTorch include path of floating_point_utils.h.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/floating_point_utils.h>
