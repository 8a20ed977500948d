/**
 * @file
 * Single elements of a view, for operators whose cost is elsewhere.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native::util {

/// Memory of the element `offset` elements from the view's first one.
inline char* element_at(const View& view, ptrdiff_t offset) {
  return view.data + offset * static_cast<ptrdiff_t>(view.element_size);
}

/// Reads an element of a real dtype as compute type C.
template <typename C>
inline C get_element(const View& view, ptrdiff_t offset) {
  if (view.dtype == native_dtype(ComputeOf<C>::value)) {
    C value;
    __builtin_memcpy(&value, element_at(view, offset), sizeof(C));
    return value;
  }
  C value;
  load(ComputeOf<C>::value, view.dtype, element_at(view, offset), 1, 1, &value);
  return value;
}

/// Writes an element of a real dtype.
template <typename C>
inline void put_element(const View& view, ptrdiff_t offset, C value) {
  if (view.dtype == native_dtype(ComputeOf<C>::value)) {
    __builtin_memcpy(element_at(view, offset), &value, sizeof(C));
    return;
  }
  store(ComputeOf<C>::value, view.dtype, &value, 1, element_at(view, offset));
}

/// Calls `fn(zero)` with a zero of the compute type for arithmetic on `dtype`.
template <typename Fn>
inline void with_arithmetic_type(ScalarType dtype, Fn&& fn) {
  switch (arithmetic_compute(dtype)) {
    case Compute::kFloat:
      return fn(float{0});
    case Compute::kDouble:
      return fn(double{0});
    default:
      return fn(int64_t{0});
  }
}

}  // namespace torch::executor::native::util
