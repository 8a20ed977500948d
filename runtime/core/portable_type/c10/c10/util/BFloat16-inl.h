/// @file
/// PyTorch include path of the inline parts of BFloat16, which live with the class.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/BFloat16.h>
