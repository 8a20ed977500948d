/**
 * @file
 * Complex tensors as tensors of their parts.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native::util {

/// A complex tensor with a last dimension of two parts. Its rank is below the limit.
inline View as_parts(const Tensor& t) {
  View view(t);
  view.dtype = real_part(view.dtype);
  view.element_size /= 2;
  for (size_t d = 0; d < view.rank; ++d) {
    view.stride[d] *= 2;
  }
  view.size[view.rank] = 2;
  view.stride[view.rank++] = 1;
  return view;
}

}  // namespace torch::executor::native::util
