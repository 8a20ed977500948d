/**
 * @file
 * Map and reduce over elements that are a fixed distance apart.
 */
#pragma once

#include <cstdint>

#include <executorch/runtime/kernel/thread_parallel_interface.h>

namespace torch::executor {

/// Folds `size` elements, `stride` apart, with `reduce_fun(element, accumulated)`, beginning with
/// the first one. At least one element.
template <typename CTYPE, typename ReduceOp>
inline CTYPE apply_unary_reduce_fn(const ReduceOp& reduce_fun, const CTYPE* const data_in,
                                   const int64_t size, const int64_t stride = 1) {
  CTYPE accumulated = data_in[0];
  for (int64_t i = 1; i < size; ++i) {
    accumulated = reduce_fun(data_in[i * stride], accumulated);
  }
  return accumulated;
}

/// data_out[i * stride] = map_fun(data_in[i * stride]) for `size` elements.
template <typename CTYPE_IN, typename CTYPE_OUT, typename MapOp>
inline void apply_unary_map_fn(const MapOp& map_fun, const CTYPE_IN* const data_in,
                               CTYPE_OUT* const data_out, const int64_t size,
                               const int64_t stride = 1) {
  // Elements that are worth a thread.
  constexpr int64_t kGrain = 32768;
  executorch::extension::parallel_for(0, size, kGrain, [&](const int64_t begin, const int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      data_out[i * stride] = map_fun(data_in[i * stride]);
    }
  });
}

/// Folds `map_fun` of the elements. At least one element.
template <typename CTYPE_IN, typename CTYPE_OUT, typename MapOp, typename ReduceOp>
inline CTYPE_OUT apply_unary_map_reduce_fn(const MapOp& map_fun, const ReduceOp& reduce_fun,
                                           const CTYPE_IN* const data_in, const int64_t size,
                                           const int64_t stride = 1) {
  CTYPE_OUT accumulated = map_fun(data_in[0]);
  for (int64_t i = 1; i < size; ++i) {
    accumulated = reduce_fun(map_fun(data_in[i * stride]), accumulated);
  }
  return accumulated;
}

}  // namespace torch::executor
