#include <limits>
#include <tuple>
#include <type_traits>

#include <executorch/kernels/portable/cpu/util/math.h>
#include <executorch/kernels/portable/cpu/util/pool.h>

namespace torch::executor::native {
namespace {

using util::ImageStrides;
using util::PoolDim;

/// The part of a window that lies inside the input.
struct Window {
  int64_t begin;  // first input index
  int64_t count;  // of taps
};

Window window_at(const PoolDim& d, int64_t out) {
  int64_t first = out * d.stride - d.padding;
  int64_t taps = d.kernel;
  if (first < 0) {
    const int64_t skipped = (-first + d.dilation - 1) / d.dilation;
    first += skipped * d.dilation;
    taps -= skipped;
  }
  const int64_t room = first < d.in ? (d.in - 1 - first) / d.dilation + 1 : 0;
  return {first, taps < room ? taps : room};
}

template <typename C>
class MaxPool {
 public:
  MaxPool(const Tensor& in, const PoolDim* dim, Tensor& out, Tensor& indices)
      : dim_(dim),
        in_strides_(in),
        out_strides_(out),
        index_strides_(indices),
        in_dtype_(in.scalar_type()),
        out_dtype_(out.scalar_type()),
        size_(static_cast<ptrdiff_t>(in.element_size())),
        in_(static_cast<const char*>(in.const_data_ptr())),
        out_(static_cast<char*>(out.mutable_data_ptr())),
        indices_(static_cast<int64_t*>(indices.mutable_data_ptr())) {}

  /// One channel of one image; offsets in elements.
  void run(ptrdiff_t in_offset, ptrdiff_t out_offset, ptrdiff_t index_offset) {
    for (int64_t oh = 0; oh < dim_[0].out; ++oh) {
      const Window rows = window_at(dim_[0], oh);
      for (int64_t ow = 0; ow < dim_[1].out; ++ow) {
        const Window columns = window_at(dim_[1], ow);
        C best = -std::numeric_limits<C>::infinity();
        if constexpr (std::is_integral_v<C>) {
          best = std::numeric_limits<C>::min();
        }
        int64_t index = rows.begin * dim_[1].in + columns.begin;
        scan(in_offset, rows, columns, best, index);
        const ptrdiff_t h = static_cast<ptrdiff_t>(oh);
        const ptrdiff_t w = static_cast<ptrdiff_t>(ow);
        util::store(util::ComputeOf<C>::value, out_dtype_, &best, 1,
                    out_ + (out_offset + h * out_strides_.height + w * out_strides_.width) * size_);
        indices_[index_offset + h * index_strides_.height + w * index_strides_.width] = index;
      }
    }
  }

 private:
  void scan(ptrdiff_t in_offset, const Window& rows, const Window& columns, C& best,
            int64_t& index) {
    constexpr int64_t kMost = 64;
    C line[kMost];
    const bool native = in_dtype_ == util::native_dtype(util::ComputeOf<C>::value);
    const ptrdiff_t step = in_strides_.width * static_cast<ptrdiff_t>(dim_[1].dilation);
    for (int64_t r = 0; r < rows.count; ++r) {
      const int64_t ih = rows.begin + r * dim_[0].dilation;
      for (int64_t c0 = 0; c0 < columns.count; c0 += kMost) {
        const int64_t n = columns.count - c0 < kMost ? columns.count - c0 : kMost;
        const int64_t iw = columns.begin + c0 * dim_[1].dilation;
        const char* from = in_ + (in_offset + static_cast<ptrdiff_t>(ih) * in_strides_.height +
                                  static_cast<ptrdiff_t>(iw) * in_strides_.width) *
                                     size_;
        const C* x = reinterpret_cast<const C*>(from);
        ptrdiff_t stride = step;
        if (!native) {
          util::load(util::ComputeOf<C>::value, in_dtype_, from, step, static_cast<size_t>(n),
                     line);
          x = line;
          stride = 1;
        }
        for (int64_t i = 0; i < n; ++i) {
          const C value = x[static_cast<ptrdiff_t>(i) * stride];
          if (value > best || util::is_nan(value)) {
            best = value;
            index = ih * dim_[1].in + iw + i * dim_[1].dilation;
          }
        }
      }
    }
  }

  const PoolDim* dim_;
  ImageStrides in_strides_;
  ImageStrides out_strides_;
  ImageStrides index_strides_;
  ScalarType in_dtype_;
  ScalarType out_dtype_;
  ptrdiff_t size_;
  const char* in_;
  char* out_;
  int64_t* indices_;
};

template <typename C>
void max_pool(const Tensor& in, const PoolDim* dim, Tensor& out, Tensor& indices) {
  MaxPool<C> pool(in, dim, out, indices);
  const ImageStrides in_strides(in);
  const ImageStrides out_strides(out);
  const ImageStrides index_strides(indices);
  const ssize_t channel_dim = in.dim() - 3;
  const ssize_t batch = channel_dim > 0 ? in.size(0) : 1;
  for (ssize_t n = 0; n < batch; ++n) {
    for (ssize_t c = 0; c < in.size(channel_dim); ++c) {
      pool.run(n * in_strides.batch + c * in_strides.channel,
               n * out_strides.batch + c * out_strides.channel,
               n * index_strides.batch + c * index_strides.channel);
    }
  }
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
      max_pool<double>(in, dim, out, indices);
      break;
    default:
      max_pool<int64_t>(in, dim, out, indices);
  }
  return result;
}

}  // namespace torch::executor::native
