#include <executorch/backends/cadence/kernels/windows.h>
#include <executorch/kernels/portable/cpu/internal/element.h>

namespace impl::generic::native {

namespace util = torch::executor::native::util;

namespace {

/// Windows over an input whose values stand `spread` apart, with nothing between them.
struct Rows {
  Windows windows;
  int64_t spread[2] = {1, 1};
  /// Whether a row is [rows, columns, c], not [c, rows, columns].
  bool channels_inside = false;
};

/// The input that a tap of a window reads; -1 for none.
template <bool kSpread>
int64_t input_of(const Axis& axis, int64_t spread, int64_t window, int64_t tap) {
  int64_t at = window * axis.stride - axis.padding + tap * axis.dilation;
  if constexpr (kSpread) {
    at = at < 0 || at % spread != 0 ? -1 : at / spread;
  }
  return at >= 0 && at < axis.in ? at : -1;
}

/// One image's windows as rows, outside of it and between its values `nothing`.
template <bool kSpread, typename T>
T* write_rows(const Rows& rows, const Images& images, const T* image, T nothing, T* to) {
  const Axis& high = rows.windows.axis[0];
  const Axis& wide = rows.windows.axis[1];
  const auto channels = static_cast<ptrdiff_t>(images.channels);
  const auto taps = static_cast<ptrdiff_t>(high.taps * wide.taps);
  const ptrdiff_t channel_step = rows.channels_inside ? 1 : taps;
  const ptrdiff_t tap_step = rows.channels_inside ? channels : 1;
  for (int64_t window = 0; window < high.out * wide.out; ++window, to += channels * taps) {
    T* tap = to;
    for (int64_t i = 0; i < high.taps; ++i) {
      const int64_t y = input_of<kSpread>(high, rows.spread[0], window / wide.out, i);
      for (int64_t j = 0; j < wide.taps; ++j, tap += tap_step) {
        const int64_t at = input_of<kSpread>(wide, rows.spread[1], window % wide.out, j);
        const bool inside = y >= 0 && at >= 0;
        const T* x = inside ? image + y * high.in_stride + at * wide.in_stride : &nothing;
        const ptrdiff_t step = inside ? images.channel_stride : 0;
        for (ptrdiff_t c = 0; c < channels; ++c, x += step) {
          tap[c * channel_step] = *x;
        }
      }
    }
  }
  return to;
}

/// What stands outside of image `n`: one value for all, or one for each.
struct Outside {
  int64_t value = 0;
  const Tensor* each = nullptr;

  int64_t of(size_t n) const {
    return each == nullptr
               ? value
               : util::get_element<int64_t>(util::View(*each), static_cast<ptrdiff_t>(n));
  }
};

template <typename T>
void write_images(const Rows& rows, const Tensor& input, bool channels_last, const Outside& outside,
                  Tensor& out) {
  const Images images(input, channels_last);
  const bool spread = rows.spread[0] > 1 || rows.spread[1] > 1;
  T* to = out.mutable_data_ptr<T>();
  for (size_t n = 0; n < images.batch; ++n) {
    const T* const image =
        input.const_data_ptr<T>() + static_cast<ptrdiff_t>(n) * images.batch_stride;
    const auto nothing = static_cast<T>(outside.of(n));
    to = spread ? write_rows<true>(rows, images, image, nothing, to)
                : write_rows<false>(rows, images, image, nothing, to);
  }
}

bool check(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel_size,
           const Tensor& out) {
  return require_plain(ctx, input, input.scalar_type()) &&
         require_plain(ctx, out, input.scalar_type()) &&
         require(ctx, input.dim() == 3 || input.dim() == 4,
                 "images have three or four dimensions") &&
         require(ctx, kernel_size.size() == 2, "a window has two sizes");
}

bool resize_rows(KernelRuntimeContext& ctx, const Images& in, const Windows& windows, Tensor& out) {
  const Axis& high = windows.axis[0];
  const Axis& wide = windows.axis[1];
  const int64_t count = high.out * wide.out;
  constexpr int64_t kLimit = std::numeric_limits<SizesType>::max();
  if (!require(ctx, high.taps <= kLimit / wide.taps && count <= kLimit, "the rows are too many")) {
    return false;
  }
  const int64_t sizes[3] = {static_cast<int64_t>(in.batch), count,
                            high.taps * wide.taps * static_cast<int64_t>(in.channels)};
  return resize(ctx, IntArrayRef(sizes, 3), out);
}

void write(KernelRuntimeContext& ctx, const Rows& rows, const Tensor& input, bool channels_last,
           const Outside& outside, Tensor& out) {
  switch (input.scalar_type()) {
    case ScalarType::Float:
      return write_images<float>(rows, input, channels_last, outside, out);
    case ScalarType::Char:
      return write_images<int8_t>(rows, input, channels_last, outside, out);
    case ScalarType::Byte:
      return write_images<uint8_t>(rows, input, channels_last, outside, out);
    case ScalarType::Short:
      return write_images<int16_t>(rows, input, channels_last, outside, out);
    case ScalarType::Int:
      return write_images<int32_t>(rows, input, channels_last, outside, out);
    default:
      require(ctx, false, "values are Float, Char, Byte, Short or Int");
  }
}

/// The operators' lists have an entry for rows and one for columns, whatever the input has.
void run(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel_size,
         const Lists& lists, const Outside& outside, bool channels_last, Tensor& out) {
  if (!check(ctx, input, kernel_size, out)) {
    return;
  }
  const Images in(input, channels_last);
  const int64_t taps[2] = {kernel_size[0], kernel_size[1]};
  Rows rows;
  if (read_windows(ctx, in, 4, taps, lists, rows.windows) &&
      resize_rows(ctx, in, rows.windows, out)) {
    write(ctx, rows, input, channels_last, outside, out);
  }
}

/// A zero point for all images, or one for each.
bool read_outside(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& zero_point,
                  Outside& outside) {
  const bool each = zero_point.numel() != 1;
  outside.each = each ? &zero_point : nullptr;
  return util::require_real(ctx, zero_point) &&
         require(ctx, !each || (input.dim() > 0 && zero_point.numel() == input.size(0)),
                 "one zero point, or one for each image") &&
         (each || read_integer(ctx, zero_point, outside.value));
}

/// The windows of a transposed convolution lie one behind the other over the spread input.
bool read_spread(KernelRuntimeContext& ctx, const Images& in, const int64_t (&taps)[2],
                 const Lists& lists, IntArrayRef output_padding, Rows& rows) {
  for (size_t d = 0; d < 2; ++d) {
    Axis& axis = rows.windows.axis[d];
    axis.in = in.size[d];
    axis.in_stride = in.stride[d];
    axis.taps = taps[d];
    int64_t one[4];
    if (!read_entry(ctx, lists.stride, d, 2, one[0]) ||
        !read_entry(ctx, lists.padding, d, 2, one[1]) ||
        !read_entry(ctx, lists.dilation, d, 2, one[2]) ||
        !read_entry(ctx, output_padding, d, 2, one[3]) ||
        !read_transposed(ctx, axis, one[0], one[1], one[2], one[3])) {
      return false;
    }
    rows.spread[d] = axis.stride;
    axis.stride = 1;
    axis.padding = axis.dilation * (axis.taps - 1) - axis.padding;
  }
  return true;
}

}  // namespace

Tensor& im2row_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input,
                              IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding,
                              IntArrayRef stride, int64_t in_zero_point, bool channel_last,
                              Tensor& out) {
  run(ctx, input, kernel_size, {stride, padding, dilation}, {in_zero_point, nullptr}, channel_last,
      out);
  return out;
}

Tensor& im2row_out(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel_size,
                   IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride,
                   const Tensor& in_zero_point, bool channel_last, Tensor& out) {
  Outside outside;
  if (read_outside(ctx, input, in_zero_point, outside)) {
    run(ctx, input, kernel_size, {stride, padding, dilation}, outside, channel_last, out);
  }
  return out;
}

Tensor& transposed_im2row_out(KernelRuntimeContext& ctx, const Tensor& input,
                              IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding,
                              IntArrayRef stride, IntArrayRef output_padding,
                              const Tensor& in_zero_point, bool channel_last, Tensor& out) {
  Outside outside;
  if (!check(ctx, input, kernel_size, out) || !read_outside(ctx, input, in_zero_point, outside)) {
    return out;
  }
  const Images in(input, channel_last);
  const int64_t taps[2] = {kernel_size[0], kernel_size[1]};
  Rows rows;
  rows.channels_inside = channel_last;
  if (read_spread(ctx, in, taps, {stride, padding, dilation}, output_padding, rows) &&
      resize_rows(ctx, in, rows.windows, out)) {
    write(ctx, rows, input, channel_last, outside, out);
  }
  return out;
}

}  // namespace impl::generic::native
