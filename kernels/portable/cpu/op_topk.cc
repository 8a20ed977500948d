#include <tuple>

#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/selection.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Which of equal elements are taken, and their order, are eager's (internal/selection.h), if there
// is memory for the elements that are kept. Without any, the outputs themselves keep the first ones
// in order, and of equal ones those come first that stand first in the line.

namespace torch::executor::native {
namespace {

/// The order of the results: NaN counts as the largest value.
template <typename C>
bool before(C a, C b, bool largest) {
  if (util::is_nan(a) || util::is_nan(b)) {
    return largest ? util::is_nan(a) && !util::is_nan(b) : !util::is_nan(a) && util::is_nan(b);
  }
  return largest ? a > b : a < b;
}

/// The first results of one line so far, kept in order in the outputs themselves.
template <typename C>
class Best {
 public:
  Best(Tensor& values, char* at, ptrdiff_t stride, int64_t* indices, ptrdiff_t index_stride)
      : dtype_(values.scalar_type()),
        size_(static_cast<ptrdiff_t>(values.element_size())),
        values_(at),
        stride_(stride),
        indices_(indices),
        index_stride_(index_stride) {}

  void insert(C value, int64_t index, size_t k, bool largest) {
    if (count_ == k && !before(value, get(k - 1), largest)) {
      return;
    }
    size_t at = count_ < k ? count_++ : k - 1;
    for (; at > 0 && before(value, get(at - 1), largest); --at) {
      set(at, get(at - 1), indices_[static_cast<ptrdiff_t>(at - 1) * index_stride_]);
    }
    set(at, value, index);
  }

 private:
  C get(size_t i) const {
    C value;
    util::load(util::ComputeOf<C>::value, dtype_,
               values_ + static_cast<ptrdiff_t>(i) * stride_ * size_, 1, 1, &value);
    return value;
  }
  void set(size_t i, C value, int64_t index) {
    util::store(util::ComputeOf<C>::value, dtype_, &value, 1,
                values_ + static_cast<ptrdiff_t>(i) * stride_ * size_);
    indices_[static_cast<ptrdiff_t>(i) * index_stride_] = index;
  }

  ScalarType dtype_;
  ptrdiff_t size_;
  char* values_;
  ptrdiff_t stride_;
  int64_t* indices_;
  ptrdiff_t index_stride_;
  size_t count_ = 0;
};

/// The lines of the three tensors along the dimension, which a scalar has none of.
struct Along {
  util::View in;
  util::View values;
  util::View indices;
  size_t n = 1;
  ptrdiff_t in_stride = 1;
  ptrdiff_t value_stride = 1;
  ptrdiff_t index_stride = 1;

  Along(const Tensor& input, size_t dim, const Tensor& value, const Tensor& index)
      : in(input), values(value), indices(index) {
    if (in.rank > 0) {
      n = in.size[dim];
      in_stride = in.stride[dim];
      value_stride = values.stride[dim];
      index_stride = indices.stride[dim];
    }
  }

  /// Calls `fn` with the offsets of the first element of each line.
  template <typename Fn>
  void for_each_line(size_t dim, Fn&& fn) const {
    const auto rest = [&](const util::View& view) {
      return view.rank == 0 ? view : view.select(dim, 0);
    };
    util::Lines<3> lines(rest(in));
    lines.set(0, rest(in));
    lines.set(1, rest(values));
    lines.set(2, rest(indices));
    do {
      for (size_t l = 0; l < lines.length(); ++l) {
        const ptrdiff_t at = static_cast<ptrdiff_t>(l);
        fn(lines.offset(0) + at * lines.step(0), lines.offset(1) + at * lines.step(1),
           lines.offset(2) + at * lines.step(2));
      }
    } while (lines.next());
  }
};

template <typename C>
void topk_in_place(const Along& along, size_t dim, size_t k, bool largest, Tensor& values) {
  constexpr size_t kMost = util::kChunkBytes / sizeof(C);
  C buffer[kMost];
  along.for_each_line(dim, [&](ptrdiff_t from, ptrdiff_t value, ptrdiff_t index) {
    Best<C> best(values, util::element_at(along.values, value), along.value_stride,
                 reinterpret_cast<int64_t*>(along.indices.data) + index, along.index_stride);
    for (size_t first = 0; first < along.n; first += kMost) {
      const size_t n = along.n - first < kMost ? along.n - first : kMost;
      util::load(util::ComputeOf<C>::value, along.in.dtype,
                 util::element_at(along.in, from + static_cast<ptrdiff_t>(first) * along.in_stride),
                 along.in_stride, n, buffer);
      for (size_t i = 0; i < n; ++i) {
        best.insert(buffer[i], static_cast<int64_t>(first + i), k, largest);
      }
    }
  });
}

/// Selects from a line that begins at `from`. @param ranked Room for `k` elements if a heap does,
/// else for the whole line; the first `k` are the result.
void select_line(const Along& along, ptrdiff_t from, size_t k, bool largest, bool sorted,
                 util::Ranked* ranked) {
  constexpr size_t kMost = util::kChunkBytes / sizeof(int64_t);
  int64_t keys[kMost];
  const bool by_heap = util::selects_by_heap(along.n, k);
  for (size_t first = 0; first < along.n; first += kMost) {
    const size_t n = along.n - first < kMost ? along.n - first : kMost;
    util::order_keys(
        along.in.dtype,
        util::element_at(along.in, from + static_cast<ptrdiff_t>(first) * along.in_stride),
        along.in_stride, n, keys);
    for (size_t i = 0; i < n; ++i) {
      const size_t at = first + i;
      const util::Ranked element = {largest ? ~keys[i] : keys[i], static_cast<int64_t>(at)};
      if (by_heap && at >= k) {
        util::offer(ranked, k, element);
        continue;
      }
      ranked[at] = element;
      if (by_heap && at == k - 1) {
        util::build_heap(ranked, k);
      }
    }
  }
  if (by_heap) {
    util::sort_heap(ranked, k);
  } else {
    util::select_first(ranked, along.n, k, sorted);
  }
}

/// @return Whether there was memory.
bool topk_in_eager_order(KernelRuntimeContext& ctx, const Along& along, size_t dim, size_t k,
                         bool largest, bool sorted) {
  util::Ranked small[util::kRankedOnStack];
  util::Ranked* ranked = small;
  const size_t room = util::selects_by_heap(along.n, k) ? k : along.n;
  if (room > util::kRankedOnStack) {
    if (!ctx.has_temp_allocator()) {
      return false;
    }
    const auto memory = ctx.allocate_temp(room * sizeof(util::Ranked), alignof(util::Ranked));
    if (!memory.ok()) {
      return false;
    }
    ranked = static_cast<util::Ranked*>(*memory);
  }
  along.for_each_line(dim, [&](ptrdiff_t from, ptrdiff_t value, ptrdiff_t index) {
    select_line(along, from, k, largest, sorted, ranked);
    for (size_t i = 0; i < k; ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      const ptrdiff_t place = static_cast<ptrdiff_t>(ranked[i].index);
      util::copy_element(util::element_at(along.in, from + place * along.in_stride),
                         util::element_at(along.values, value + at * along.value_stride),
                         along.in.element_size);
      util::put_element(along.indices, index + at * along.index_stride, ranked[i].index);
    }
  });
  return true;
}

}  // namespace

std::tuple<Tensor&, Tensor&> topk_values(KernelRuntimeContext& ctx, const Tensor& in, int64_t k,
                                         int64_t dim, bool largest, bool sorted, Tensor& values,
                                         Tensor& indices) {
  const std::tuple<Tensor&, Tensor&> result(values, indices);
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_real(ctx, in) || !util::require_same_dtype(ctx, in, values) ||
      !util::require(ctx, indices.scalar_type() == ScalarType::Long, "the indices must be Long") ||
      !util::wrap_dim(ctx, dim, rank) ||
      !util::require(ctx, k >= 0 && k <= (rank == 0 ? 1 : in.size(dim)), "k is out of range")) {
    return result;
  }
  util::Shape shape(in);
  if (rank > 0) {
    shape.sizes[dim] = static_cast<SizesType>(k);
  }
  if (!util::resize(ctx, shape, values) || !util::resize(ctx, shape, indices) || k == 0 ||
      in.numel() == 0) {
    return result;
  }
  const size_t count = static_cast<size_t>(k);
  const size_t at = static_cast<size_t>(dim);
  const Along along(in, at, values, indices);
  if (topk_in_eager_order(ctx, along, at, count, largest, sorted)) {
    return result;
  }
  switch (util::arithmetic_compute(in.scalar_type())) {
    case util::Compute::kFloat:
      topk_in_place<float>(along, at, count, largest, values);
      break;
    case util::Compute::kDouble:
      topk_in_place<double>(along, at, count, largest, values);
      break;
    default:
      topk_in_place<int64_t>(along, at, count, largest, values);
  }
  return result;
}

}  // namespace torch::executor::native
