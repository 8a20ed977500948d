/// @file
/// PyTorch include path of Half.h.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/Half.h>
