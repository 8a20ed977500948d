#include <cstring>
#include <tuple>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// The first few of lines of Floats. Most elements are passed over a block at a time, since the
// block has none that is among them.

namespace torch::executor::native {
namespace {

using optimized::simd;

/// The most results of a line.
constexpr size_t kMost = 256;
/// Elements that are looked at together.
constexpr size_t kBlock = 64;
/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 16384;

/// The order of the results: NaN counts as the largest value.
template <bool kLargest>
bool before(float a, float b) {
  if (a != a || b != b) {
    return kLargest ? a != a && b == b : a == a && b != b;
  }
  return kLargest ? a > b : a < b;
}

/// One line's results so far, in order.
template <bool kLargest>
class Best {
 public:
  explicit Best(size_t k) : k_(k) {}

  void add_block(const float* x, size_t n, int64_t first) {
    if (count_ == k_) {
      const float extreme = kLargest ? simd->loops.largest(x, n) : simd->loops.smallest(x, n);
      // NaN hides what the others are.
      if (extreme == extreme && !before<kLargest>(extreme, value_[k_ - 1])) {
        return;
      }
    }
    for (size_t i = 0; i < n; ++i) {
      insert(x[i], first + static_cast<int64_t>(i));
    }
  }

  void write(float* values, int64_t* indices) const {
    std::memcpy(values, value_, k_ * sizeof(float));
    std::memcpy(indices, index_, k_ * sizeof(int64_t));
  }

 private:
  void insert(float value, int64_t index) {
    if (count_ == k_ && !before<kLargest>(value, value_[k_ - 1])) {
      return;
    }
    size_t at = count_ < k_ ? count_++ : k_ - 1;
    for (; at > 0 && before<kLargest>(value, value_[at - 1]); --at) {
      value_[at] = value_[at - 1];
      index_[at] = index_[at - 1];
    }
    value_[at] = value;
    index_[at] = index;
  }

  size_t k_;
  size_t count_ = 0;
  float value_[kMost];
  int64_t index_[kMost];
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
      best.write(values + line * k, indices + line * k);
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
