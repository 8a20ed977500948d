/// @file
/// PyTorch include path of macros/Export.h.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/macros/Export.h>
