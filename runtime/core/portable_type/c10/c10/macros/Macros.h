/// @file
/// PyTorch include path of macros/Macros.h.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/macros/Macros.h>
