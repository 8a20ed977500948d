/// @file
/// PyTorch include path of the inline parts of Half, which live with the class.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/Half.h>
