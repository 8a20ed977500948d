/// @file
/// PyTorch include path of complex.h.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/complex.h>
