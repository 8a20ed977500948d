#pragma once

/// Everything about TensorPtr and TensorAccessor in one include.

#include <executorch/extension/tensor/tensor_accessor.h>   // IWYU pragma: export
#include <executorch/extension/tensor/tensor_ptr.h>        // IWYU pragma: export
#include <executorch/extension/tensor/tensor_ptr_maker.h>  // IWYU pragma: export
