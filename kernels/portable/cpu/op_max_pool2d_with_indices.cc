#include <limits>
#include <tuple>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/pool.h>

namespace torch::executor::native {
namespace {

using util::ImageStrides;
using util::PoolDim;

/// Indices [begin, end).
struct Range {
  int64_t begin;
  int64_t end;
};

/// The output indices whose window has tap `tap` inside the input.
Range reach_of(const PoolDim& d, int64_t tap) {
  const int64_t offset = tap * d.dilation - d.padding;
  const int64_t begin = offset >= 0 ? 0 : (-offset + d.stride - 1) / d.stride;
  const int64_t end = offset >= d.in ? 0 : (d.in - offset + d.stride - 1) / d.stride;
  return {begin, end < d.out ? end : d.out};
}

/// The taps that are inside the input for an output index from `first` to `last`. A program may ask
/// for a kernel that is far larger than its image.
Range taps_inside(const PoolDim& d, int64_t first, int64_t last) {
  const int64_t before = d.padding - last * d.stride;
  const int64_t after = d.in - 1 + d.padding - first * d.stride;
  const int64_t begin = before <= 0 ? 0 : (before + d.dilation - 1) / d.dilation;
  const int64_t end = after < 0 ? 0 : after / d.dilation + 1;
  return {begin, end < d.kernel ? end : d.kernel};
}

/// Pools line by line: the taps are applied to a block of neighbouring outputs, one after the
/// other.
template <typename C>
class MaxPool {
 public:
  MaxPool(const Tensor& in, const PoolDim* dim, Tensor& out, Tensor& indices)
      : dim_(dim),
        in_strides_(in),
        out_strides_(out),
        index_strides_(indices),
        dtype_(in.scalar_type()),
        size_(static_cast<ptrdiff_t>(in.element_size())),
        in_(static_cast<const char*>(in.const_data_ptr())),
        out_(static_cast<char*>(out.mutable_data_ptr())),
        indices_(static_cast<int64_t*>(indices.mutable_data_ptr())) {}

  /// One channel of one image; offsets in elements.
  void run(ptrdiff_t in_offset, ptrdiff_t out_offset, ptrdiff_t index_offset) {
    for (int64_t oh = 0; oh < dim_[0].out; ++oh) {
      for (int64_t ow = 0; ow < dim_[1].out; ow += kBlock) {
        const int64_t left = dim_[1].out - ow;
        const int64_t n = left < kBlock ? left : kBlock;
        start(oh, ow, n);
        const Range rows = taps_inside(dim_[0], oh, oh);
        const Range columns = taps_inside(dim_[1], ow, ow + n - 1);
        for (int64_t kh = rows.begin; kh < rows.end; ++kh) {
          const int64_t ih = oh * dim_[0].stride - dim_[0].padding + kh * dim_[0].dilation;
          for (int64_t kw = columns.begin; kw < columns.end; ++kw) {
            apply(in_offset + static_cast<ptrdiff_t>(ih) * in_strides_.height, ih, kw, ow, n);
          }
        }
        finish(out_offset + static_cast<ptrdiff_t>(oh) * out_strides_.height,
               index_offset + static_cast<ptrdiff_t>(oh) * index_strides_.height, ow, n);
      }
    }
  }

 private:
  static constexpr int64_t kBlock = util::kChunkBytes / sizeof(int64_t);

  /// The first element inside the window; it stays the result if none is larger than the smallest
  /// value.
  static int64_t first_inside(const PoolDim& d, int64_t out) {
    const int64_t first = out * d.stride - d.padding;
    return first >= 0 ? first : first + (-first + d.dilation - 1) / d.dilation * d.dilation;
  }

  void start(int64_t oh, int64_t ow, int64_t n) {
    C least = -std::numeric_limits<C>::infinity();
    if constexpr (std::is_integral_v<C>) {
      least = std::numeric_limits<C>::min();
    }
    const int64_t row = first_inside(dim_[0], oh) * dim_[1].in;
    for (int64_t i = 0; i < n; ++i) {
      best_[i] = least;
      index_[i] = row + first_inside(dim_[1], ow + i);
      short_index_[i] = static_cast<int32_t>(index_[i]);
    }
  }

  /// Floats of small images, with the loops of another library.
  bool is_fast() const {
    return std::is_same_v<C, float> && dtype_ == ScalarType::Float &&
           util::float_loops.keep_larger != nullptr && in_strides_.width == 1 &&
           dim_[1].stride <= 2 && dim_[0].in * dim_[1].in < INT32_MAX;
  }

  void apply_fast(const float* x, ptrdiff_t stride, size_t n, int64_t at, int64_t first) {
    float* line = reinterpret_cast<float*>(line_);
    if (stride == 2) {
      util::float_loops.even(x, n, line);
      x = line;
    }
    util::float_loops.keep_larger(x, n, static_cast<int32_t>(at),
                                  static_cast<int32_t>(dim_[1].stride),
                                  reinterpret_cast<float*>(best_) + first, short_index_ + first);
  }

  /// Compares n outputs from `ow` on with what tap `kw` of an input line shows them.
  void apply(ptrdiff_t line_offset, int64_t ih, int64_t kw, int64_t ow, int64_t n) {
    const Range reach = reach_of(dim_[1], kw);
    const int64_t begin = reach.begin > ow ? reach.begin : ow;
    const int64_t end = reach.end < ow + n ? reach.end : ow + n;
    if (begin >= end) {
      return;
    }
    const int64_t first = begin * dim_[1].stride - dim_[1].padding + kw * dim_[1].dilation;
    const char* from =
        in_ + (line_offset + static_cast<ptrdiff_t>(first) * in_strides_.width) * size_;
    ptrdiff_t stride = in_strides_.width * static_cast<ptrdiff_t>(dim_[1].stride);
    const C* x = reinterpret_cast<const C*>(from);
    if (dtype_ != util::native_dtype(util::ComputeOf<C>::value)) {
      util::load(util::ComputeOf<C>::value, dtype_, from, stride, static_cast<size_t>(end - begin),
                 line_);
      x = line_;
      stride = 1;
    }
    if (is_fast()) {
      return apply_fast(reinterpret_cast<const float*>(x), stride, static_cast<size_t>(end - begin),
                        ih * dim_[1].in + first, begin - ow);
    }
    C* best = best_ + (begin - ow);
    int64_t* index = index_ + (begin - ow);
    const int64_t at = ih * dim_[1].in + first;
    for (int64_t i = 0; i < end - begin; ++i) {
      const C value = x[static_cast<ptrdiff_t>(i) * stride];
      const bool better = value > best[i] || util::is_nan(value);
      best[i] = better ? value : best[i];
      index[i] = better ? at + i * dim_[1].stride : index[i];
    }
  }

  void finish(ptrdiff_t out_line, ptrdiff_t index_line, int64_t ow, int64_t n) {
    const ptrdiff_t w = static_cast<ptrdiff_t>(ow);
    if (is_fast()) {
      for (int64_t i = 0; i < n; ++i) {
        index_[i] = short_index_[i];
      }
    }
    util::store(util::ComputeOf<C>::value, dtype_, best_, static_cast<size_t>(n),
                out_ + (out_line + w * out_strides_.width) * size_, out_strides_.width);
    util::store(util::Compute::kInt64, ScalarType::Long, index_, static_cast<size_t>(n),
                indices_ + index_line + w * index_strides_.width, index_strides_.width);
  }

  const PoolDim* dim_;
  ImageStrides in_strides_;
  ImageStrides out_strides_;
  ImageStrides index_strides_;
  ScalarType dtype_;
  ptrdiff_t size_;
  const char* in_;
  char* out_;
  int64_t* indices_;
  C best_[kBlock];
  int64_t index_[kBlock];
  int32_t short_index_[kBlock];  // of fast pools
  C line_[kBlock];
};

template <typename C>
void max_pool(const Tensor& in, const PoolDim* dim, Tensor& out, Tensor& indices) {
  const ImageStrides in_strides(in);
  const ImageStrides out_strides(out);
  const ImageStrides index_strides(indices);
  const ssize_t channel_dim = in.dim() - 3;
  const ssize_t batch = channel_dim > 0 ? in.size(0) : 1;
  const size_t channels = static_cast<size_t>(in.size(channel_dim));
  const size_t work = static_cast<size_t>(dim[0].out * dim[1].out * dim[0].kernel * dim[1].kernel);
  constexpr size_t kGrain = 32768;
  util::parallel_for(static_cast<size_t>(batch) * channels, 1 + kGrain / (work + 1),
                     [&](size_t begin, size_t end) {
                       MaxPool<C> pool(in, dim, out, indices);
                       for (size_t i = begin; i < end; ++i) {
                         const ssize_t n = static_cast<ssize_t>(i / channels);
                         const ssize_t c = static_cast<ssize_t>(i % channels);
                         pool.run(n * in_strides.batch + c * in_strides.channel,
                                  n * out_strides.batch + c * out_strides.channel,
                                  n * index_strides.batch + c * index_strides.channel);
                       }
                     });
}

}  // namespace

std::tuple<Tensor&, Tensor&> max_pool2d_with_indices_out(KernelRuntimeContext& ctx,
                                                         const Tensor& in, IntArrayRef kernel_size,
                                                         IntArrayRef stride, IntArrayRef padding,
                                                         IntArrayRef dilation, bool ceil_mode,
                                                         Tensor& out, Tensor& indices) {
  const std::tuple<Tensor&, Tensor&> result(out, indices);
  PoolDim dim[2];
  util::Shape shape;
  if (!util::check_pool(ctx, in, kernel_size, stride, padding, dilation, ceil_mode, dim, shape) ||
      !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, in.scalar_type() != ScalarType::Bool,
                     "max_pool2d is not defined for Bool") ||
      !util::require(ctx, indices.scalar_type() == ScalarType::Long, "the indices must be Long") ||
      !util::resize(ctx, shape, out) || !util::resize(ctx, shape, indices)) {
    return result;
  }
  switch (util::arithmetic_compute(in.scalar_type())) {
    case util::Compute::kFloat:
      max_pool<float>(in, dim, out, indices);
      break;
    case util::Compute::kDouble:
      if constexpr (util::has_loops(util::Compute::kDouble)) {
        max_pool<double>(in, dim, out, indices);
      }
      break;
    default:
      if constexpr (util::has_loops(util::Compute::kInt64)) {
        max_pool<int64_t>(in, dim, out, indices);
      }
  }
  return result;
}

}  // namespace torch::executor::native
