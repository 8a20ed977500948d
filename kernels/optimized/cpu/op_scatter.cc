#include <atomic>
#include <cstring>

#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

// Elements of contiguous tensors that an index spreads along a dimension, where the other
// dimensions are those of the result.

namespace torch::executor::native {
namespace {

/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 8192;
/// Columns that are a unit of work.
constexpr size_t kColumns = 256;

/// outer x size x inner, of which an index has other sizes along the dimension.
struct Extent {
  size_t outer = 1;
  size_t inner = 1;
  size_t size = 0;    // of the result
  size_t count = 0;   // of the index
  size_t source = 0;  // of what is spread; as `count` if it is one element
};

/// @param src May be null. @returns false for what the loops are not for.
bool extent_of(const Tensor& in, int64_t dim, const Tensor& index, const Tensor* src,
               const Tensor& out, Extent& e) {
  const ssize_t rank = in.dim();
  const ssize_t at = static_cast<ssize_t>(dim < 0 ? dim + rank : dim);
  if (dim < -rank || dim >= rank || index.dim() != rank || in.scalar_type() != out.scalar_type() ||
      index.scalar_type() != ScalarType::Long || in.numel() == 0 || index.numel() == 0 ||
      !util::is_contiguous(in) || !util::is_contiguous(index)) {
    return false;
  }
  if (src != nullptr && (src->dim() != rank || src->scalar_type() != in.scalar_type() ||
                         src->size(at) < index.size(at) || !util::is_contiguous(*src))) {
    return false;
  }
  for (ssize_t d = 0; d < rank; ++d) {
    if (d == at) {
      continue;
    }
    if (index.size(d) != in.size(d) || (src != nullptr && src->size(d) != in.size(d))) {
      return false;
    }
    (d < at ? e.outer : e.inner) *= static_cast<size_t>(in.size(d));
  }
  e.size = static_cast<size_t>(in.size(at));
  e.count = static_cast<size_t>(index.size(at));
  e.source = src != nullptr ? static_cast<size_t>(src->size(at)) : e.count;
  return true;
}

/// Calls `put(place, at)` with the elements of the result that some neighbours of an index name, of
/// which the first two are at `place` and `at` for an index of 0. @returns whether all are in
/// range; nothing is put by others.
template <typename Put>
bool for_neighbours(const Extent& e, const int64_t* index, size_t n, size_t place, size_t at,
                    const Put& put) {
  // Neighbours along the dimension share their place, others are beside each other.
  const size_t step = e.inner == 1 ? 0 : 1;
  for (size_t i = 0; i < n; ++i) {
    const size_t wanted = static_cast<size_t>(index[i]);
    if (wanted >= e.size) {
      return false;
    }
    put(place + wanted * e.inner + i * step, at + i);
  }
  return true;
}

/// Does so for all elements of an index.
template <typename Put>
bool for_each_place(const Extent& e, const int64_t* index, const Put& put) {
  const size_t rows = e.inner == 1 ? 1 : e.count;
  const size_t blocks = (e.inner + kColumns - 1) / kColumns;
  const size_t work = e.count * (e.inner < kColumns ? e.inner : kColumns);
  std::atomic<bool> outside{false};
  // Columns do not meet, so that threads may have some each, in the order of the rows.
  util::parallel_for(e.outer * blocks, 1 + kGrain / work, [&](size_t begin, size_t end) {
    bool inside = true;
    for (size_t unit = begin; unit < end && inside; ++unit) {
      const size_t o = unit / blocks;
      const size_t first = unit % blocks * kColumns;
      const size_t left = e.inner - first < kColumns ? e.inner - first : kColumns;
      const size_t n = e.inner == 1 ? e.count : left;
      for (size_t row = 0; row < rows && inside; ++row) {
        inside = for_neighbours(e, index + (o * e.count + row) * e.inner + first, n,
                                o * e.size * e.inner + first,
                                (o * e.source + row) * e.inner + first, put);
      }
    }
    if (!inside) {
      outside.store(true, std::memory_order_relaxed);
    }
  });
  return !outside.load(std::memory_order_relaxed);
}

/// Calls `run(T{})` for an integer of `size` bytes. @returns false if there is none.
template <typename Run>
bool with_size(size_t size, const Run& run) {
  switch (size) {
    case 1:
      return run(uint8_t{});
    case 2:
      return run(uint16_t{});
    case 4:
      return run(uint32_t{});
    case 8:
      return run(uint64_t{});
    default:
      return false;
  }
}

/// Copies `in` to `out`, whose shape it gets. @returns whether that succeeded.
bool begin_with(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (!util::resize_like(ctx, in, out)) {
    return false;
  }
  util::copy(util::View(in), util::View(out));
  return true;
}

/// @param element One element that goes everywhere, or null.
bool run_scatter(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, const Tensor& index,
                 const Tensor* src, const char* element, Tensor& out) {
  Extent e;
  const size_t size = static_cast<size_t>(in.element_size());
  if (!extent_of(in, dim, index, src, out, e) || size > sizeof(int64_t)) {
    return false;
  }
  if (!begin_with(ctx, in, out)) {
    return true;
  }
  if (!util::is_contiguous(out)) {
    return false;
  }
  const int64_t* places = static_cast<const int64_t*>(index.const_data_ptr());
  const bool inside = with_size(size, [&](auto type) {
    using T = decltype(type);
    T* to = static_cast<T*>(out.mutable_data_ptr());
    if (src == nullptr) {
      T value;
      std::memcpy(&value, element, sizeof(value));
      return for_each_place(e, places, [=](size_t place, size_t) { to[place] = value; });
    }
    const T* from = static_cast<const T*>(src->const_data_ptr());
    return for_each_place(e, places, [=](size_t place, size_t at) { to[place] = from[at]; });
  });
  util::require(ctx, inside, "an index is out of range");
  return true;
}

template <typename T>
bool add_places(const Extent& e, const int64_t* places, const Tensor& src, Tensor& out) {
  const T* from = static_cast<const T*>(src.const_data_ptr());
  T* to = static_cast<T*>(out.mutable_data_ptr());
  return for_each_place(e, places, [=](size_t place, size_t at) { to[place] += from[at]; });
}

bool run_scatter_add(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, const Tensor& index,
                     const Tensor& src, Tensor& out) {
  Extent e;
  const ScalarType dtype = in.scalar_type();
  if ((dtype != ScalarType::Float && dtype != ScalarType::Long) ||
      !extent_of(in, dim, index, &src, out, e)) {
    return false;
  }
  if (!begin_with(ctx, in, out)) {
    return true;
  }
  if (!util::is_contiguous(out)) {
    return false;
  }
  const int64_t* places = static_cast<const int64_t*>(index.const_data_ptr());
  // Integers wrap around.
  const bool inside = dtype == ScalarType::Float ? add_places<float>(e, places, src, out)
                                                 : add_places<uint64_t>(e, places, src, out);
  util::require(ctx, inside, "an index is out of range");
  return true;
}

}  // namespace

Tensor& opt_scatter_src_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                            const Tensor& index, const Tensor& src, Tensor& out) {
  return run_scatter(ctx, in, dim, index, &src, nullptr, out)
             ? out
             : scatter_src_out(ctx, in, dim, index, src, out);
}

Tensor& opt_scatter_value_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                              const Tensor& index, const Scalar& value, Tensor& out) {
  char element[sizeof(int64_t)];
  const bool is_plain = optimized::element_of(in.scalar_type()) != optimized::Element::kCount &&
                        in.scalar_type() != ScalarType::Bool &&
                        util::is_representable(value, in.scalar_type()) &&
                        optimized::write_number(value, in.scalar_type(), element);
  return is_plain && run_scatter(ctx, in, dim, index, nullptr, element, out)
             ? out
             : scatter_value_out(ctx, in, dim, index, value, out);
}

Tensor& opt_scatter_add_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                            const Tensor& index, const Tensor& src, Tensor& out) {
  return run_scatter_add(ctx, in, dim, index, src, out)
             ? out
             : scatter_add_out(ctx, in, dim, index, src, out);
}

}  // namespace torch::executor::native
