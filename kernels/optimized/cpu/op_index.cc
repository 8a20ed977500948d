#include <atomic>
#include <cstring>

#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Elements and lines of contiguous tensors that an index names.

namespace torch::executor::native {
namespace {

/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 16384;
/// Indices that are checked at a time.
constexpr size_t kIndices = 512;

/// Whether all indices are in [0, size). By the sign bit of either distance: there are vectors for
/// that everywhere.
template <typename Index>
bool all_inside(const Index* index, size_t n, int64_t size) {
  int64_t outside = 0;
  for (size_t i = 0; i < n; ++i) {
    const int64_t at = static_cast<int64_t>(index[i]);
    // Where the difference overflows, the index is negative itself.
    outside |=
        at | static_cast<int64_t>(static_cast<uint64_t>(size - 1) - static_cast<uint64_t>(at));
  }
  return outside >= 0;
}

template <typename T, typename Index>
void pick(const char* from, const Index* index, size_t n, char* to) {
  for (size_t i = 0; i < n; ++i) {
    std::memcpy(to + i * sizeof(T), from + static_cast<size_t>(index[i]) * sizeof(T), sizeof(T));
  }
}

/// to[i] = from[index[i]]: lines of `bytes`.
template <typename Index>
void pick(const char* from, const Index* index, size_t n, size_t bytes, char* to) {
  switch (bytes) {
    case 1:
      return pick<uint8_t>(from, index, n, to);
    case 2:
      return pick<uint16_t>(from, index, n, to);
    case 4:
      return pick<uint32_t>(from, index, n, to);
    case 8:
      return pick<uint64_t>(from, index, n, to);
    default:
      for (size_t i = 0; i < n; ++i) {
        std::memcpy(to + i * bytes, from + static_cast<size_t>(index[i]) * bytes, bytes);
      }
  }
}

/// Lines of a tensor outer x size x line that are picked by `count` indices for each of `outer`.
struct Pick {
  const char* from;
  char* to;
  size_t outer;
  size_t size;
  size_t count;
  size_t bytes;
  /// Elements from one of `outer` to the next among the indices; 0 if they share them.
  size_t index_step;

  /// @returns whether all indices are in [0, size); picks nothing by others.
  template <typename Index>
  bool run(const Index* index) const {
    const bool shared = index_step == 0;
    if (shared && !all_inside(index, count, static_cast<int64_t>(size))) {
      return false;
    }
    std::atomic<bool> outside{false};
    const size_t grain = 1 + kGrain * sizeof(float) / bytes;
    util::parallel_for(outer * count, grain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end;) {
        const size_t o = i / count;
        const size_t first = i % count;
        size_t n = end - i < count - first ? end - i : count - first;
        n = shared || n < kIndices ? n : kIndices;
        const Index* part = index + o * index_step + first;
        if (!shared && !all_inside(part, n, static_cast<int64_t>(size))) {
          outside.store(true, std::memory_order_relaxed);
          return;
        }
        pick(from + o * size * bytes, part, n, bytes, to + i * bytes);
        i += n;
      }
    });
    return !outside.load(std::memory_order_relaxed);
  }
};

/// Runs, or fails the kernel where an index is out of range.
bool run_pick(KernelRuntimeContext& ctx, const Pick& pick, const Tensor& index) {
  const void* data = index.const_data_ptr();
  const bool inside = index.scalar_type() == ScalarType::Int
                          ? pick.run(static_cast<const int32_t*>(data))
                          : pick.run(static_cast<const int64_t*>(data));
  util::require(ctx, inside, "an index is out of range");
  return true;
}

/// `out` takes the lines of `in` along `dim`, which a vector of indices names.
bool run_index_select(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, const Tensor& index,
                      Tensor& out) {
  const int64_t rank = in.dim();
  if (rank == 0 || dim < -rank || dim >= rank || index.dim() > 1 ||
      !util::is_index_dtype(index.scalar_type()) || in.scalar_type() != out.scalar_type()) {
    return false;
  }
  const size_t at = static_cast<size_t>(dim < 0 ? dim + rank : dim);
  util::Shape shape(in);
  shape.sizes[at] = static_cast<SizesType>(index.numel());
  if (!util::resize(ctx, shape, out)) {
    return true;
  }
  if (!util::is_contiguous(in) || !util::is_contiguous(out) || out.numel() == 0) {
    return false;
  }
  const Pick pick = {
      static_cast<const char*>(in.const_data_ptr()),
      static_cast<char*>(out.mutable_data_ptr()),
      util::product(in, 0, at),
      static_cast<size_t>(in.size(static_cast<ssize_t>(at))),
      static_cast<size_t>(index.numel()),
      util::product(in, at + 1, static_cast<size_t>(rank)) * static_cast<size_t>(in.element_size()),
      0};
  return run_pick(ctx, pick, index);
}

/// Elements along the last dimension.
bool run_gather(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, const Tensor& index,
                Tensor& out) {
  const int64_t rank = in.dim();
  if (rank == 0 || index.dim() != rank || (dim != -1 && dim != rank - 1) ||
      index.scalar_type() != ScalarType::Long || in.scalar_type() != out.scalar_type()) {
    return false;
  }
  for (ssize_t d = 0; d + 1 < rank; ++d) {
    if (in.size(d) != index.size(d)) {
      return false;
    }
  }
  if (!util::resize_like(ctx, index, out)) {
    return true;
  }
  if (!util::is_contiguous(in) || !util::is_contiguous(out) || !util::is_contiguous(index) ||
      out.numel() == 0 || in.numel() == 0) {
    return false;
  }
  const size_t count = static_cast<size_t>(index.size(rank - 1));
  const Pick pick = {static_cast<const char*>(in.const_data_ptr()),
                     static_cast<char*>(out.mutable_data_ptr()),
                     static_cast<size_t>(index.numel()) / count,
                     static_cast<size_t>(in.size(rank - 1)),
                     count,
                     static_cast<size_t>(in.element_size()),
                     count};
  return run_pick(ctx, pick, index);
}

/// to[(o * count + q) * inner + i] = from[(o * size + index[same]) * inner + i].
template <typename T>
bool gather_rows(const T* from, const int64_t* index, const util::Shape& shape, size_t at,
                 size_t size, T* to) {
  size_t outer = 1;
  size_t inner = 1;
  for (size_t d = 0; d < shape.rank; ++d) {
    const size_t length = static_cast<size_t>(shape.sizes[d]);
    outer *= d < at ? length : 1;
    inner *= d > at ? length : 1;
  }
  const size_t count = static_cast<size_t>(shape.sizes[at]);
  std::atomic<bool> outside{false};
  util::parallel_for(outer * count, 1 + kGrain / inner, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      const T* plane = from + row / count * size * inner;
      const int64_t* places = index + row * inner;
      if (!all_inside(places, inner, static_cast<int64_t>(size))) {
        outside.store(true, std::memory_order_relaxed);
        return;
      }
      for (size_t i = 0; i < inner; ++i) {
        to[row * inner + i] = plane[static_cast<size_t>(places[i]) * inner + i];
      }
    }
  });
  return !outside.load(std::memory_order_relaxed);
}

/// Elements along a dimension before the last one.
bool run_gather_rows(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, const Tensor& index,
                     Tensor& out) {
  const ssize_t rank = in.dim();
  if (dim < -rank || dim >= rank) {
    return false;
  }
  const ssize_t along = static_cast<ssize_t>(dim < 0 ? dim + rank : dim);
  if (along + 1 >= rank || index.dim() != rank || index.scalar_type() != ScalarType::Long ||
      in.scalar_type() != out.scalar_type() ||
      (in.element_size() != sizeof(uint16_t) && in.element_size() != sizeof(uint32_t))) {
    return false;
  }
  for (ssize_t d = 0; d < rank; ++d) {
    if (d != along && in.size(d) != index.size(d)) {
      return false;
    }
  }
  if (!util::resize_like(ctx, index, out)) {
    return true;
  }
  if (!util::is_contiguous(in) || !util::is_contiguous(out) || !util::is_contiguous(index) ||
      out.numel() == 0 || in.numel() == 0) {
    return false;
  }
  const size_t at = static_cast<size_t>(along);
  const size_t size = static_cast<size_t>(in.size(along));
  const util::Shape shape(index);
  const int64_t* places = static_cast<const int64_t*>(index.const_data_ptr());
  const void* from = in.const_data_ptr();
  void* to = out.mutable_data_ptr();
  const bool inside = in.element_size() == sizeof(uint16_t)
                          ? gather_rows(static_cast<const uint16_t*>(from), places, shape, at, size,
                                        static_cast<uint16_t*>(to))
                          : gather_rows(static_cast<const uint32_t*>(from), places, shape, at, size,
                                        static_cast<uint32_t*>(to));
  util::require(ctx, inside, "an index is out of range");
  return true;
}

bool run_embedding(KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& indices,
                   Tensor& out) {
  if (weight.dim() != 2 || weight.scalar_type() != out.scalar_type() ||
      !util::is_index_dtype(indices.scalar_type()) ||
      static_cast<size_t>(indices.dim()) >= util::kMaxRank) {
    return false;
  }
  util::Shape shape(indices);
  shape.push(weight.size(1));
  if (!util::resize(ctx, shape, out)) {
    return true;
  }
  if (!util::is_contiguous(weight) || !util::is_contiguous(out) || !util::is_contiguous(indices) ||
      out.numel() == 0) {
    return false;
  }
  const Pick pick = {
      static_cast<const char*>(weight.const_data_ptr()),
      static_cast<char*>(out.mutable_data_ptr()),
      1,
      static_cast<size_t>(weight.size(0)),
      static_cast<size_t>(indices.numel()),
      static_cast<size_t>(weight.size(1)) * static_cast<size_t>(weight.element_size()),
      0};
  return run_pick(ctx, pick, indices);
}

}  // namespace

Tensor& opt_index_select_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                             const Tensor& index, Tensor& out) {
  return run_index_select(ctx, in, dim, index, out) ? out
                                                    : index_select_out(ctx, in, dim, index, out);
}

Tensor& opt_gather_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                       const Tensor& index, bool sparse_grad, Tensor& out) {
  return run_gather(ctx, in, dim, index, out) || run_gather_rows(ctx, in, dim, index, out)
             ? out
             : gather_out(ctx, in, dim, index, sparse_grad, out);
}

Tensor& opt_embedding_out(KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& indices,
                          int64_t padding_idx, bool scale_grad_by_freq, bool sparse, Tensor& out) {
  return run_embedding(ctx, weight, indices, out)
             ? out
             : embedding_out(ctx, weight, indices, padding_idx, scale_grad_by_freq, sparse, out);
}

}  // namespace torch::executor::native
