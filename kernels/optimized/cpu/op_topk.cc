#include <tuple>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/selection.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// The first few of long lines of Floats. Most elements are passed over a block at a time, since the
// block has none that is among them. Where eager does not keep them in a heap the portable kernel
// runs, so that equal elements come in the order that eager leaves them in.

namespace torch::executor::native {
namespace {

using optimized::simd;

/// The most results of a line.
constexpr size_t kMost = 256;
/// Elements that are looked at together.
constexpr size_t kBlock = 64;
/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 16384;

/// One line's results so far, in a heap.
template <bool kLargest>
class Best {
 public:
  explicit Best(size_t k) : k_(k) {}

  void add_block(const float* x, size_t n, int64_t first) {
    if (count_ == k_) {
      const float extreme = kLargest ? simd->loops.largest(x, n) : simd->loops.smallest(x, n);
      // NaN hides what the others are.
      if (extreme == extreme && key(extreme) >= heap_[0].key) {
        return;
      }
    }
    for (size_t i = 0; i < n; ++i) {
      add({key(x[i]), first + static_cast<int64_t>(i)});
    }
  }

  void write(const float* x, float* values, int64_t* indices) {
    util::sort_heap(heap_, k_);
    for (size_t i = 0; i < k_; ++i) {
      values[i] = x[heap_[i].index];
      indices[i] = heap_[i].index;
    }
  }

 private:
  /// Smaller for what comes first.
  static int64_t key(float value) {
    const int64_t rising = util::order_key(value);
    return kLargest ? ~rising : rising;
  }

  void add(util::Ranked element) {
    if (count_ == k_) {
      util::offer(heap_, k_, element);
      return;
    }
    heap_[count_++] = element;
    if (count_ == k_) {
      util::build_heap(heap_, k_);
    }
  }

  size_t k_;
  size_t count_ = 0;
  util::Ranked heap_[kMost];
};

template <bool kLargest>
void run_lines(const float* x, size_t lines, size_t length, size_t k, float* values,
               int64_t* indices) {
  util::parallel_for(lines, 1 + kGrain / length, [=](size_t begin, size_t end) {
    for (size_t line = begin; line < end; ++line) {
      Best<kLargest> best(k);
      for (size_t first = 0; first < length; first += kBlock) {
        const size_t n = length - first < kBlock ? length - first : kBlock;
        best.add_block(x + line * length + first, n, static_cast<int64_t>(first));
      }
      best.write(x + line * length, values + line * k, indices + line * k);
    }
  });
}

bool run_topk(KernelRuntimeContext& ctx, const Tensor& in, int64_t k, int64_t dim, bool largest,
              Tensor& values, Tensor& indices) {
  const int64_t rank = in.dim();
  if (rank == 0 || (dim != -1 && dim != rank - 1) || k <= 0 || k > in.size(rank - 1) ||
      k > static_cast<int64_t>(kMost) || in.scalar_type() != ScalarType::Float ||
      values.scalar_type() != ScalarType::Float || indices.scalar_type() != ScalarType::Long) {
    return false;
  }
  util::Shape shape(in);
  shape.sizes[rank - 1] = static_cast<SizesType>(k);
  if (!util::resize(ctx, shape, values) || !util::resize(ctx, shape, indices)) {
    return true;
  }
  if (in.numel() == 0 || !util::is_contiguous(in) || !util::is_contiguous(values) ||
      !util::is_contiguous(indices)) {
    return false;
  }
  const size_t length = static_cast<size_t>(in.size(rank - 1));
  if (!util::selects_by_heap(length, static_cast<size_t>(k))) {
    return false;
  }
  const size_t lines = static_cast<size_t>(in.numel()) / length;
  const float* x = static_cast<const float*>(in.const_data_ptr());
  float* to = static_cast<float*>(values.mutable_data_ptr());
  int64_t* places = static_cast<int64_t*>(indices.mutable_data_ptr());
  if (largest) {
    run_lines<true>(x, lines, length, static_cast<size_t>(k), to, places);
  } else {
    run_lines<false>(x, lines, length, static_cast<size_t>(k), to, places);
  }
  return true;
}

}  // namespace

std::tuple<Tensor&, Tensor&> opt_topk_values(KernelRuntimeContext& ctx, const Tensor& in, int64_t k,
                                             int64_t dim, bool largest, bool sorted, Tensor& values,
                                             Tensor& indices) {
  if (run_topk(ctx, in, k, dim, largest, values, indices)) {
    return {values, indices};
  }
  return topk_values(ctx, in, k, dim, largest, sorted, values, indices);
}

}  // namespace torch::executor::native
