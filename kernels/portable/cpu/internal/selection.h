/**
 * @file
 * The first few of a line, equal ones among them in the order in which eager leaves them. Eager
 * calls the C++ library, whose order of equal elements the standard leaves open: these are the
 * steps of the library that PyTorch is built with on Linux, so that the results do not depend on
 * the one that a program is built with.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/order.h>

namespace torch::executor::native::util {

/// Whether the first `k` of `n` elements are kept in a heap while the others pass by, as eager does
/// for a small share; else the whole line is partitioned.
inline bool selects_by_heap(size_t n, size_t k) { return k <= n / 64; }

/// Makes a heap of `n` elements, the largest key first.
void build_heap(Ranked* heap, size_t n);

/// Puts an element into the first one's place.
void replace_first(Ranked* heap, size_t n, Ranked element);

/// Offers the next element of the line to a heap of those with the smallest keys so far.
inline void offer(Ranked* heap, size_t n, Ranked element) {
  if (element.key < heap[0].key) {
    replace_first(heap, n, element);
  }
}

/// Sorts a heap by key.
void sort_heap(Ranked* heap, size_t n);

/**
 * Moves the `k` elements with the smallest keys to the front of `n`, at least one. In n steps on
 * average, n log n in the worst case.
 * @param sorted Whether they have to be in order. The last of them always is.
 */
void select_first(Ranked* ranked, size_t n, size_t k, bool sorted);

}  // namespace torch::executor::native::util
