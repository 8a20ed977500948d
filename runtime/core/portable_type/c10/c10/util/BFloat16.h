/// @file
/// PyTorch include path of BFloat16.h.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/BFloat16.h>
