#include <algorithm>

#include <executorch/kernels/portable/cpu/internal/selection.h>

namespace torch::executor::native::util {
namespace {

/// Ranges up to this many elements are left to the insertion sort at the end.
constexpr size_t kFewToSort = 16;
/// The same for a selection.
constexpr size_t kFewToSelect = 3;

bool before(const Ranked& a, const Ranked& b) { return a.key < b.key; }

/// Partitions of `n` elements before they count as badly chosen.
size_t partitions(size_t n) {
  size_t twice = 0;
  for (; n > 1; n /= 2) {
    twice += 2;
  }
  return twice;
}

/// Puts `value` into the heap's subtree at `top`: the hole there goes down to a leaf, the value up
/// from it.
void sift(Ranked* heap, size_t top, size_t n, Ranked value) {
  size_t hole = top;
  size_t child = top;
  while (child < (n - 1) / 2) {
    child = 2 * (child + 1);
    if (before(heap[child], heap[child - 1])) {
      --child;
    }
    heap[hole] = heap[child];
    hole = child;
  }
  if (n % 2 == 0 && child == (n - 2) / 2) {
    child = 2 * child + 1;
    heap[hole] = heap[child];
    hole = child;
  }
  while (hole > top && before(heap[(hole - 1) / 2], value)) {
    heap[hole] = heap[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  heap[hole] = value;
}

/// Moves the median of three elements to the front.
void median_to_front(Ranked* ranked, size_t a, size_t b, size_t c) {
  size_t median = a;
  if (before(ranked[a], ranked[b])) {
    median = before(ranked[b], ranked[c]) ? b : before(ranked[a], ranked[c]) ? c : a;
  } else if (!before(ranked[a], ranked[c])) {
    median = before(ranked[b], ranked[c]) ? c : b;
  }
  std::swap(ranked[0], ranked[median]);
}

/// Partitions four elements or more. @return Where the second part begins.
size_t partition(Ranked* ranked, size_t n) {
  median_to_front(ranked, 1, n / 2, n - 1);
  size_t left = 1;
  size_t right = n;
  while (true) {
    while (before(ranked[left], ranked[0])) {
      ++left;
    }
    do {
      --right;
    } while (before(ranked[0], ranked[right]));
    if (left >= right) {
      return left;
    }
    std::swap(ranked[left], ranked[right]);
    ++left;
  }
}

void insertion_sort(Ranked* ranked, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    const Ranked value = ranked[i];
    size_t at = i;
    for (; at > 0 && before(value, ranked[at - 1]); --at) {
      ranked[at] = ranked[at - 1];
    }
    ranked[at] = value;
  }
}

/// Sorts all but ranges of a few elements. Calls itself at most `depth` times deep.
void sort_roughly(Ranked* ranked, size_t n, size_t depth) {
  while (n > kFewToSort) {
    if (depth == 0) {
      build_heap(ranked, n);
      sort_heap(ranked, n);
      return;
    }
    --depth;
    const size_t cut = partition(ranked, n);
    sort_roughly(ranked + cut, n - cut, depth);
    n = cut;
  }
}

/// Moves the element at place `nth` of the order there, smaller ones before and larger ones behind
/// it.
void place_nth(Ranked* ranked, size_t n, size_t nth) {
  for (size_t depth = partitions(n); n > kFewToSelect; --depth) {
    if (depth == 0) {
      build_heap(ranked, nth + 1);
      for (size_t i = nth + 1; i < n; ++i) {
        const Ranked value = ranked[i];
        if (before(value, ranked[0])) {
          ranked[i] = ranked[0];
          sift(ranked, 0, nth + 1, value);
        }
      }
      std::swap(ranked[0], ranked[nth]);
      return;
    }
    const size_t cut = partition(ranked, n);
    if (cut <= nth) {
      ranked += cut;
      n -= cut;
      nth -= cut;
    } else {
      n = cut;
    }
  }
  insertion_sort(ranked, n);
}

}  // namespace

void build_heap(Ranked* heap, size_t n) {
  for (size_t parent = n / 2; parent > 0; --parent) {
    sift(heap, parent - 1, n, heap[parent - 1]);
  }
}

void replace_first(Ranked* heap, size_t n, Ranked element) { sift(heap, 0, n, element); }

void sort_heap(Ranked* heap, size_t n) {
  for (; n > 1; --n) {
    const Ranked value = heap[n - 1];
    heap[n - 1] = heap[0];
    sift(heap, 0, n - 1, value);
  }
}

void select_first(Ranked* ranked, size_t n, size_t k, bool sorted) {
  place_nth(ranked, n, k - 1);
  if (sorted) {
    sort_roughly(ranked, k - 1, partitions(k - 1));
    insertion_sort(ranked, k - 1);
  }
}

}  // namespace torch::executor::native::util
