#include <cstring>
#include <tuple>
#include <type_traits>

#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Sorts contiguous lines of Floats, Ints and Longs by their bytes, from the last one on, which
// compares nothing and keeps equal elements in their order.

namespace torch::executor::native {
namespace {

/// Lines below this are sorted faster by comparisons, those up to here without other memory than
/// the stack, and longer ones in temporary memory.
constexpr size_t kShortest = 96;
constexpr size_t kOnStack = 2048;
/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 2048;

template <typename Key>
struct Item {
  Key key;
  uint32_t index;
};

/// Unsigned numbers in the order of the elements: NaN is the largest, zeros are equal.
inline uint32_t key_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  if (x != x) {
    return UINT32_MAX;
  }
  constexpr uint32_t kSign = 0x80000000u;
  bits = x == 0 ? 0 : bits;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
inline uint32_t key_of(int32_t x) { return static_cast<uint32_t>(x) ^ 0x80000000u; }
inline uint64_t key_of(int64_t x) { return static_cast<uint64_t>(x) ^ (uint64_t{1} << 63); }

/// Sorts `n` items, with as many more for the half of the passes. @returns where they are.
template <typename Key>
const Item<Key>* sort_items(Item<Key>* items, Item<Key>* others, size_t n) {
  constexpr size_t kBytes = sizeof(Key);
  uint32_t counts[kBytes][256] = {};
  for (size_t i = 0; i < n; ++i) {
    for (size_t b = 0; b < kBytes; ++b) {
      ++counts[b][(items[i].key >> (8 * b)) & 0xff];
    }
  }
  for (size_t b = 0; b < kBytes; ++b) {
    uint32_t* count = counts[b];
    if (count[(items[0].key >> (8 * b)) & 0xff] == n) {
      continue;  // all have the same byte
    }
    uint32_t first = 0;
    for (size_t value = 0; value < 256; ++value) {
      const uint32_t here = count[value];
      count[value] = first;
      first += here;
    }
    for (size_t i = 0; i < n; ++i) {
      others[count[(items[i].key >> (8 * b)) & 0xff]++] = items[i];
    }
    Item<Key>* sorted = others;
    others = items;
    items = sorted;
  }
  return items;
}

/// @param values May be null.
template <typename T, typename Key>
void sort_line(const T* x, size_t n, bool descending, Item<Key>* memory, T* values,
               int64_t* indices) {
  for (size_t i = 0; i < n; ++i) {
    const Key key = key_of(x[i]);
    memory[i] = {descending ? static_cast<Key>(~key) : key, static_cast<uint32_t>(i)};
  }
  const Item<Key>* sorted = sort_items(memory, memory + n, n);
  for (size_t i = 0; i < n; ++i) {
    indices[i] = static_cast<int64_t>(sorted[i].index);
    if (values != nullptr) {
      values[i] = x[sorted[i].index];
    }
  }
}

/// @returns false without temporary memory for long lines.
template <typename T>
bool sort_lines(KernelRuntimeContext& ctx, const Tensor& in, bool descending, Tensor* values,
                Tensor& indices) {
  using Key = decltype(key_of(T{}));
  const size_t n = static_cast<size_t>(in.size(in.dim() - 1));
  const size_t lines = static_cast<size_t>(in.numel()) / n;
  const T* x = static_cast<const T*>(in.const_data_ptr());
  T* to = values == nullptr ? nullptr : static_cast<T*>(values->mutable_data_ptr());
  int64_t* places = static_cast<int64_t*>(indices.mutable_data_ptr());
  const auto run = [=](size_t line, Item<Key>* memory) {
    sort_line(x + line * n, n, descending, memory, to == nullptr ? nullptr : to + line * n,
              places + line * n);
  };
  if (n <= kOnStack) {
    util::parallel_for(lines, 1 + kGrain / n, [=](size_t begin, size_t end) {
      Item<Key> memory[2 * kOnStack];
      for (size_t line = begin; line < end; ++line) {
        run(line, memory);
      }
    });
    return true;
  }
  const auto memory = ctx.allocate_temp(2 * n * sizeof(Item<Key>), alignof(Item<Key>));
  if (!memory.ok()) {
    return false;
  }
  for (size_t line = 0; line < lines; ++line) {
    run(line, static_cast<Item<Key>*>(*memory));
  }
  return true;
}

bool run_sort(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool descending,
              Tensor* values, Tensor& indices) {
  const ssize_t rank = in.dim();
  if (rank == 0 || (dim != -1 && dim != rank - 1) ||
      in.size(rank - 1) < static_cast<ssize_t>(kShortest) || in.numel() == 0 ||
      indices.scalar_type() != ScalarType::Long ||
      (values != nullptr && values->scalar_type() != in.scalar_type())) {
    return false;
  }
  if (!util::resize_like(ctx, in, indices) ||
      (values != nullptr && !util::resize_like(ctx, in, *values))) {
    return true;
  }
  if (!util::is_contiguous(in) || !util::is_contiguous(indices) ||
      (values != nullptr && !util::is_contiguous(*values))) {
    return false;
  }
  switch (in.scalar_type()) {
    case ScalarType::Float:
      return sort_lines<float>(ctx, in, descending, values, indices);
    case ScalarType::Int:
      return sort_lines<int32_t>(ctx, in, descending, values, indices);
    case ScalarType::Long:
      return sort_lines<int64_t>(ctx, in, descending, values, indices);
    default:
      return false;
  }
}

}  // namespace

std::tuple<Tensor&, Tensor&> opt_sort_values(KernelRuntimeContext& ctx, const Tensor& in,
                                             int64_t dim, bool descending, Tensor& values,
                                             Tensor& indices) {
  if (run_sort(ctx, in, dim, descending, &values, indices)) {
    return {values, indices};
  }
  return sort_values(ctx, in, dim, descending, values, indices);
}

std::tuple<Tensor&, Tensor&> opt_sort_values_stable(KernelRuntimeContext& ctx, const Tensor& in,
                                                    optional<bool> stable, int64_t dim,
                                                    bool descending, Tensor& values,
                                                    Tensor& indices) {
  if (run_sort(ctx, in, dim, descending, &values, indices)) {
    return {values, indices};
  }
  return sort_values_stable(ctx, in, stable, dim, descending, values, indices);
}

Tensor& opt_argsort_stable_out(KernelRuntimeContext& ctx, const Tensor& in, bool stable,
                               int64_t dim, bool descending, Tensor& out) {
  return run_sort(ctx, in, dim, descending, nullptr, out)
             ? out
             : argsort_stable_out(ctx, in, stable, dim, descending, out);
}

}  // namespace torch::executor::native
