#include <tuple>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/pool.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Pools of Float images: of channels-last ones all channels of a pixel at once, and averages of
// contiguous ones by the sums of lines.

namespace torch::executor::native {
namespace {

using optimized::simd;
using util::AverageWindow;
using util::PoolDim;

/// The fewest additions that are worth a thread.
constexpr size_t kGrain = 16384;
/// Elements of a block on the stack.
constexpr size_t kBlock = 1024;
/// The most pixels of a window.
constexpr size_t kMostTaps = 256;

bool is_float(const Tensor& in, const Tensor& out) {
  return in.scalar_type() == ScalarType::Float && out.scalar_type() == ScalarType::Float;
}

/// True if the pixels of an image of rank 4 lie one behind the other, each with its channels.
bool is_channels_last(const Tensor& t) {
  if (t.dim() != 4 || t.size(1) == 1) {
    return false;
  }
  const auto order = t.dim_order();
  return order[0] == 0 && order[1] == 2 && order[2] == 3;
}

/// Sizes of an image [..., channels, height, width].
struct Sizes {
  size_t batch;
  size_t channels;
  size_t height;
  size_t width;

  explicit Sizes(const Tensor& t) {
    const ssize_t rank = t.dim();
    batch = rank > 3 ? static_cast<size_t>(t.size(0)) : 1;
    channels = static_cast<size_t>(t.size(rank - 3));
    height = static_cast<size_t>(t.size(rank - 2));
    width = static_cast<size_t>(t.size(rank - 1));
  }
};

/// Averages the windows of output lines of a channels-last image.
template <typename Windows>
void average_pixels(const Tensor& in, const Tensor& out, const Windows& windows, float divisor) {
  const Sizes from(in);
  const Sizes to(out);
  const float* x = static_cast<const float*>(in.const_data_ptr());
  float* result = static_cast<float*>(out.mutable_data_ptr());
  const size_t line_size = to.width * to.channels;
  util::parallel_for(
      to.batch * to.height, 1 + kGrain / 4 / line_size, [&](size_t begin, size_t end) {
        for (size_t line = begin; line < end; ++line) {
          const AverageWindow rows = windows(0, static_cast<int64_t>(line % to.height));
          const float* image = x + line / to.height * from.height * from.width * from.channels;
          for (size_t column = 0; column < to.width; ++column) {
            const AverageWindow columns = windows(1, static_cast<int64_t>(column));
            const float* pixels[kMostTaps];
            size_t count = 0;
            for (int64_t r = rows.begin; r < rows.end; ++r) {
              const size_t first = static_cast<size_t>(r) * from.width;
              for (int64_t c = columns.begin; c < columns.end; ++c) {
                pixels[count++] = image + (first + static_cast<size_t>(c)) * from.channels;
              }
            }
            const float by =
                divisor != 0 ? divisor : static_cast<float>(rows.divisor * columns.divisor);
            simd->average_lines(pixels, count, to.channels, by,
                                result + line * line_size + column * to.channels);
          }
        }
      });
}

/// Averages the windows of output lines of a contiguous image, from the sums of its lines.
template <typename Windows>
void average_planes(const Tensor& in, const Tensor& out, const Windows& windows, float divisor) {
  const Sizes from(in);
  const Sizes to(out);
  const float* x = static_cast<const float*>(in.const_data_ptr());
  float* result = static_cast<float*>(out.mutable_data_ptr());
  const size_t lines = to.batch * to.channels * to.height;
  util::parallel_for(lines, 1 + kGrain / 4 / from.width, [&](size_t begin, size_t end) {
    float sums[kBlock];
    for (size_t line = begin; line < end; ++line) {
      const AverageWindow rows = windows(0, static_cast<int64_t>(line % to.height));
      const float* plane = x + line / to.height * from.height * from.width;
      const size_t count = rows.end > rows.begin ? static_cast<size_t>(rows.end - rows.begin) : 0;
      const AverageWindow all = windows(1, 0);
      if (to.width == 1 && all.begin == 0 && all.end == static_cast<int64_t>(from.width)) {
        const double sum = simd->loops.sum(plane + static_cast<size_t>(rows.begin) * from.width,
                                           count * from.width);
        const float by = divisor != 0 ? divisor : static_cast<float>(rows.divisor * all.divisor);
        result[line] = static_cast<float>(sum) / by;
        continue;
      }
      simd->sum_columns(plane + static_cast<size_t>(rows.begin) * from.width, count, from.width,
                        from.width, 1, sums);
      for (size_t column = 0; column < to.width; ++column) {
        const AverageWindow columns = windows(1, static_cast<int64_t>(column));
        float sum = 0;
        for (int64_t c = columns.begin; c < columns.end; ++c) {
          sum += sums[c];
        }
        const float by =
            divisor != 0 ? divisor : static_cast<float>(rows.divisor * columns.divisor);
        result[line * to.width + column] = sum / by;
      }
    }
  });
}

/// @param most The most pixels of a window.
/// @returns false if the layouts are not for this.
template <typename Windows>
bool run_average(const Tensor& in, const Tensor& out, const Windows& windows, float divisor,
                 int64_t most) {
  // Padding alone has averages as well.
  if (out.numel() == 0 || in.numel() == 0) {
    return false;
  }
  if (is_channels_last(in) && is_channels_last(out) && most <= static_cast<int64_t>(kMostTaps)) {
    average_pixels(in, out, windows, divisor);
    return true;
  }
  if (util::is_contiguous(in) && util::is_contiguous(out) &&
      in.size(in.dim() - 1) <= static_cast<ssize_t>(kBlock)) {
    average_planes(in, out, windows, divisor);
    return true;
  }
  return false;
}

/// Taps [begin, end) of a window of which all are inside of the image.
struct Taps {
  int64_t begin;
  int64_t end;

  Taps(const PoolDim& d, int64_t out) {
    const int64_t first = out * d.stride - d.padding;
    begin = first >= 0 ? 0 : (-first + d.dilation - 1) / d.dilation;
    const int64_t room = d.in - 1 - first;
    end = room < 0 ? 0 : room / d.dilation + 1;
    end = end < d.kernel ? end : d.kernel;
  }
};

/// Pools of channels-last images; largest values and where they are.
class MaxPool {
 public:
  MaxPool(const Tensor& in, const PoolDim* dim, const Tensor& out, const Tensor& indices)
      : dim_(dim),
        from_(in),
        to_(out),
        in_(static_cast<const float*>(in.const_data_ptr())),
        out_(static_cast<float*>(out.mutable_data_ptr())),
        indices_(static_cast<int64_t*>(indices.mutable_data_ptr())) {}

  void run() const {
    const size_t line_size = to_.width * to_.channels;
    util::parallel_for(to_.batch * to_.height, 1 + kGrain / 4 / line_size,
                       [&](size_t begin, size_t end) {
                         for (size_t line = begin; line < end; ++line) {
                           run_line(line);
                         }
                       });
  }

 private:
  void run_line(size_t line) const {
    const int64_t row = static_cast<int64_t>(line % to_.height);
    const float* image = in_ + line / to_.height * from_.height * from_.width * from_.channels;
    const Taps rows(dim_[0], row);
    for (size_t column = 0; column < to_.width; ++column) {
      const Taps columns(dim_[1], static_cast<int64_t>(column));
      const int64_t y = row * dim_[0].stride - dim_[0].padding;
      const int64_t x = static_cast<int64_t>(column) * dim_[1].stride - dim_[1].padding;
      const float* pixels[kMostTaps];
      int32_t places[kMostTaps];
      size_t count = 0;
      for (int64_t r = rows.begin; r < rows.end; ++r) {
        for (int64_t c = columns.begin; c < columns.end; ++c) {
          const int64_t at = (y + r * dim_[0].dilation) * dim_[1].in + x + c * dim_[1].dilation;
          pixels[count] = image + static_cast<size_t>(at) * from_.channels;
          places[count++] = static_cast<int32_t>(at);
        }
      }
      if (count == 0) {
        const int64_t at =
            (y + rows.begin * dim_[0].dilation) * dim_[1].in + x + columns.begin * dim_[1].dilation;
        places[0] = static_cast<int32_t>(at);
      }
      const size_t pixel = (line * to_.width + column) * to_.channels;
      simd->largest_lines(pixels, places, count, to_.channels, out_ + pixel, indices_ + pixel);
    }
  }

  const PoolDim* dim_;
  Sizes from_;
  Sizes to_;
  const float* in_;
  float* out_;
  int64_t* indices_;
};

bool run_max_pool(const Tensor& in, const PoolDim* dim, const Tensor& out, const Tensor& indices) {
  if (out.numel() == 0 || !is_channels_last(in) || !is_channels_last(out) ||
      !is_channels_last(indices) || dim[0].in * dim[1].in > INT32_MAX ||
      dim[0].kernel > static_cast<int64_t>(kMostTaps) ||
      dim[0].kernel * dim[1].kernel > static_cast<int64_t>(kMostTaps)) {
    return false;
  }
  MaxPool(in, dim, out, indices).run();
  return true;
}

}  // namespace

Tensor& opt_avg_pool2d_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef kernel_size,
                           IntArrayRef stride, IntArrayRef padding, bool ceil_mode,
                           bool count_include_pad, optional<int64_t> divisor_override,
                           Tensor& out) {
  PoolDim dim[2];
  util::Shape shape;
  const int64_t divisor = divisor_override.value_or(0);
  if (is_float(in, out) && (!divisor_override.has_value() || divisor != 0)) {
    if (!util::check_pool(ctx, in, kernel_size, stride, padding, IntArrayRef(), ceil_mode, dim,
                          shape) ||
        !util::resize(ctx, shape, out)) {
      return out;
    }
    const auto windows = [&](size_t d, int64_t index) {
      return util::average_window(dim[d], index, count_include_pad);
    };
    // A program may ask for a kernel that is far larger than its image.
    const auto reach = [&](size_t d) {
      return dim[d].kernel < dim[d].in ? dim[d].kernel : dim[d].in;
    };
    if (run_average(in, out, windows, static_cast<float>(divisor), reach(0) * reach(1))) {
      return out;
    }
  }
  return avg_pool2d_out(ctx, in, kernel_size, stride, padding, ceil_mode, count_include_pad,
                        divisor_override, out);
}

Tensor& opt__adaptive_avg_pool2d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                     IntArrayRef output_size, Tensor& out) {
  const ssize_t rank = in.dim();
  const bool sized = output_size.size() == 2 && output_size[0] > 0 && output_size[1] > 0 &&
                     output_size[0] <= INT32_MAX && output_size[1] <= INT32_MAX;
  if (is_float(in, out) && (rank == 3 || rank == 4) && sized && in.numel() > 0) {
    util::Shape shape(in);
    shape.sizes[shape.rank - 2] = static_cast<SizesType>(output_size[0]);
    shape.sizes[shape.rank - 1] = static_cast<SizesType>(output_size[1]);
    if (!util::resize(ctx, shape, out)) {
      return out;
    }
    const int64_t sizes[2] = {in.size(rank - 2), in.size(rank - 1)};
    const auto windows = [&](size_t d, int64_t index) {
      return util::adaptive_window(sizes[d], output_size[d], index);
    };
    // A window has at most two elements more than the sizes' quotient.
    const auto reach = [&](size_t d) { return sizes[d] / output_size[d] + 2; };
    if (run_average(in, out, windows, 0, reach(0) * reach(1))) {
      return out;
    }
  }
  return _adaptive_avg_pool2d_out(ctx, in, output_size, out);
}

std::tuple<Tensor&, Tensor&> opt_max_pool2d_with_indices_out(
    KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef kernel_size, IntArrayRef stride,
    IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, Tensor& out, Tensor& indices) {
  PoolDim dim[2];
  util::Shape shape;
  if (is_float(in, out) && indices.scalar_type() == ScalarType::Long && is_channels_last(in)) {
    if (!util::check_pool(ctx, in, kernel_size, stride, padding, dilation, ceil_mode, dim, shape) ||
        !util::resize(ctx, shape, out) || !util::resize(ctx, shape, indices) ||
        run_max_pool(in, dim, out, indices)) {
      return {out, indices};
    }
  }
  return max_pool2d_with_indices_out(ctx, in, kernel_size, stride, padding, dilation, ceil_mode,
                                     out, indices);
}

}  // namespace torch::executor::native
