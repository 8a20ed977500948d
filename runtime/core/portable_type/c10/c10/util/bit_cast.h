/// @file
/// PyTorch include path of bit_cast.h.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/bit_cast.h>
