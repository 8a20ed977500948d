#include <tuple>

#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

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

template <typename C>
void topk(const Tensor& in, size_t dim, size_t k, bool largest, Tensor& values, Tensor& indices) {
  const util::View source(in);
  const util::View value_view(values);
  const util::View index_view(indices);
  const bool single = source.rank == 0;
  const util::View rest = single ? source : source.select(dim, 0);
  util::Lines<3> lines(rest);
  lines.set(0, rest);
  lines.set(1, single ? value_view : value_view.select(dim, 0));
  lines.set(2, single ? index_view : index_view.select(dim, 0));
  const size_t size = single ? 1 : source.size[dim];
  const ptrdiff_t stride = single ? 1 : source.stride[dim];
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(source.element_size);
  constexpr size_t kMost = util::kChunkBytes / sizeof(C);
  C buffer[kMost];
  do {
    for (size_t l = 0; l < lines.length(); ++l) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(l);
      const char* from = source.data + (lines.offset(0) + at * lines.step(0)) * bytes;
      Best<C> best(
          values, value_view.data + (lines.offset(1) + at * lines.step(1)) * bytes,
          single ? 1 : value_view.stride[dim],
          reinterpret_cast<int64_t*>(index_view.data) + lines.offset(2) + at * lines.step(2),
          single ? 1 : index_view.stride[dim]);
      for (size_t first = 0; first < size; first += kMost) {
        const size_t n = size - first < kMost ? size - first : kMost;
        util::load(util::ComputeOf<C>::value, source.dtype,
                   from + static_cast<ptrdiff_t>(first) * stride * bytes, stride, n, buffer);
        for (size_t i = 0; i < n; ++i) {
          best.insert(buffer[i], static_cast<int64_t>(first + i), k, largest);
        }
      }
    }
  } while (lines.next());
}

}  // namespace

std::tuple<Tensor&, Tensor&> topk_values(KernelRuntimeContext& ctx, const Tensor& in, int64_t k,
                                         int64_t dim, bool largest, bool sorted, Tensor& values,
                                         Tensor& indices) {
  (void)sorted;  // the results are always in order
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
  switch (util::arithmetic_compute(in.scalar_type())) {
    case util::Compute::kFloat:
      topk<float>(in, at, count, largest, values, indices);
      break;
    case util::Compute::kDouble:
      topk<double>(in, at, count, largest, values, indices);
      break;
    default:
      topk<int64_t>(in, at, count, largest, values, indices);
  }
  return result;
}

}  // namespace torch::executor::native
