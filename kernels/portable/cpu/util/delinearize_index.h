/**
 * @file
 * From the position of an element to its index along each dimension.
 */
#pragma once

#include <cstddef>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/**
 * Splits a position in index order into one index a dimension.
 *
 * @param linear_index Below the number of elements.
 * @param shape Without sizes of 0.
 * @param out_indexes Takes `shape.size()` indexes, the first dimension's first.
 * @param out_indexes_len Room in `out_indexes`; aborts if it is too small.
 */
inline void delinearize_index(size_t linear_index, ArrayRef<SizesType> shape, size_t* out_indexes,
                              const size_t out_indexes_len) {
  ET_CHECK_MSG(shape.size() <= out_indexes_len, "%zu dimensions, but room for %zu indexes",
               shape.size(), out_indexes_len);
  for (size_t d = shape.size(); d-- > 0;) {
    const size_t size = static_cast<size_t>(shape[d]);
    out_indexes[d] = linear_index % size;
    linear_index /= size;
  }
}

/// The same for the sizes of a tensor.
inline void delinearize_index(size_t linear_index, const Tensor& t, size_t* out_indexes,
                              const size_t out_indexes_len) {
  delinearize_index(linear_index, t.sizes(), out_indexes, out_indexes_len);
}

}  // namespace torch::executor
