/**
 * @file
 * Elements as integer keys in eager's order, so that sorting and searching exist once for all
 * dtypes.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>

namespace torch::executor::native::util {

/// The key of a double: larger for larger numbers, the same for both zeros, the largest for NaN.
inline int64_t order_key(double value) {
  if (value != value) {
    return INT64_MAX;
  }
  value += 0.0;  // no negative zero
  int64_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits < 0 ? INT64_MIN - bits : bits;
}

/// Writes the keys of `n` elements of a real dtype, `stride` elements apart.
void order_keys(ScalarType dtype, const char* from, ptrdiff_t stride, size_t n, int64_t* keys);

/// A place in a line, and the key of the element there.
struct Ranked {
  int64_t key;
  int64_t index;
};

/**
 * Sorts `n` elements by key, elements of one key by index. Takes n log n steps in the worst case
 * and no memory.
 */
void sort_ranked(Ranked* ranked, size_t n, bool descending);

/**
 * Memory for a line of `n` ranked elements: `small` if it fits, else temporary memory of the
 * context. Fails the kernel and returns null if there is none.
 */
Ranked* ranked_memory(KernelRuntimeContext& ctx, size_t n, Ranked* small, size_t small_count);

/// Elements of the buffer on a kernel's stack that `ranked_memory` is given.
constexpr size_t kRankedOnStack = 2 * kChunkBytes / sizeof(Ranked);

/**
 * Calls `fn(ranked, offset0, offset1)` for each line of `in` along `dim`, sorted; the offsets are
 * those of the line's first element in two other views of the same sizes outside `dim`.
 */
template <typename Fn>
void for_each_sorted_line(KernelRuntimeContext& ctx, const View& in, size_t dim, bool descending,
                          const View& first, const View& second, Fn&& fn) {
  const bool single = in.rank == 0;
  const size_t n = single ? 1 : in.size[dim];
  Ranked small[kRankedOnStack];
  Ranked* ranked = ranked_memory(ctx, n, small, kRankedOnStack);
  const View rest = single ? in : in.select(dim, 0);
  Lines<3> lines(rest);
  if (ranked == nullptr || lines.empty()) {
    return;
  }
  lines.set(0, rest);
  lines.set(1, single ? first : first.select(dim, 0));
  lines.set(2, single ? second : second.select(dim, 0));
  int64_t keys[kChunkBytes / sizeof(int64_t)];
  constexpr size_t kMost = kChunkBytes / sizeof(int64_t);
  const ptrdiff_t stride = single ? 1 : in.stride[dim];
  do {
    for (size_t l = 0; l < lines.length(); ++l) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(l);
      const ptrdiff_t from = lines.offset(0) + at * lines.step(0);
      for (size_t done = 0; done < n;) {
        const size_t count = n - done < kMost ? n - done : kMost;
        order_keys(in.dtype, element_at(in, from + static_cast<ptrdiff_t>(done) * stride), stride,
                   count, keys);
        for (size_t i = 0; i < count; ++i) {
          ranked[done + i] = {keys[i], static_cast<int64_t>(done + i)};
        }
        done += count;
      }
      sort_ranked(ranked, n, descending);
      fn(static_cast<const Ranked*>(ranked), from, lines.offset(1) + at * lines.step(1),
         lines.offset(2) + at * lines.step(2));
    }
  } while (lines.next());
}

}  // namespace torch::executor::native::util
