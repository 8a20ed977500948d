#include <executorch/backends/cadence/kernels/windows.h>
#include <executorch/kernels/portable/cpu/internal/element.h>

namespace impl::generic::native {

namespace util = torch::executor::native::util;

namespace {

/// One image's windows as rows [c, rows, columns], outside of it `nothing`.
template <typename T>
T* write_rows(const Windows& windows, const Images& images, const T* image, T nothing, T* to) {
  const Axis& rows = windows.axis[0];
  const Axis& columns = windows.axis[1];
  for (int64_t row = 0; row < rows.out; ++row) {
    for (int64_t column = 0; column < columns.out; ++column) {
      const T* x = image;
      for (size_t c = 0; c < images.channels; ++c, x += images.channel_stride) {
        for (int64_t i = 0; i < rows.taps; ++i) {
          const int64_t y = row * rows.stride - rows.padding + i * rows.dilation;
          for (int64_t j = 0; j < columns.taps; ++j) {
            const int64_t at = column * columns.stride - columns.padding + j * columns.dilation;
            const bool inside = y >= 0 && y < rows.in && at >= 0 && at < columns.in;
            *to++ = inside ? x[y * rows.in_stride + at * columns.in_stride] : nothing;
          }
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
void write_images(const Windows& windows, const Tensor& input, bool channels_last,
                  const Outside& outside, Tensor& out) {
  const Images images(input, channels_last);
  T* to = out.mutable_data_ptr<T>();
  for (size_t n = 0; n < images.batch; ++n) {
    const T* const image =
        input.const_data_ptr<T>() + static_cast<ptrdiff_t>(n) * images.batch_stride;
    to = write_rows(windows, images, image, static_cast<T>(outside.of(n)), to);
  }
}

/// The operators' lists have an entry for rows and one for columns, whatever the input has.
bool read(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel_size,
          const Lists& lists, bool channels_last, Windows& windows, Tensor& out) {
  const ssize_t rank = input.dim();
  if (!require_plain(ctx, input, input.scalar_type()) ||
      !require_plain(ctx, out, input.scalar_type()) ||
      !require(ctx, rank == 3 || rank == 4, "images have three or four dimensions") ||
      !require(ctx, kernel_size.size() == 2, "a window has two sizes")) {
    return false;
  }
  const Images in(input, channels_last);
  const int64_t taps[2] = {kernel_size[0], kernel_size[1]};
  if (!read_windows(ctx, in, 4, taps, lists, windows)) {
    return false;
  }
  const int64_t count = windows.axis[0].out * windows.axis[1].out;
  constexpr int64_t kLimit = std::numeric_limits<SizesType>::max();
  if (!require(ctx, taps[0] <= kLimit / taps[1] && count <= kLimit, "the rows are too many")) {
    return false;
  }
  const int64_t sizes[3] = {input.size(0), count,
                            taps[0] * taps[1] * static_cast<int64_t>(in.channels)};
  return resize(ctx, IntArrayRef(sizes, 3), out);
}

void run(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel_size,
         const Lists& lists, const Outside& outside, bool channels_last, Tensor& out) {
  Windows windows;
  if (!read(ctx, input, kernel_size, lists, channels_last, windows, out)) {
    return;
  }
  switch (input.scalar_type()) {
    case ScalarType::Float:
      return write_images<float>(windows, input, channels_last, outside, out);
    case ScalarType::Char:
      return write_images<int8_t>(windows, input, channels_last, outside, out);
    case ScalarType::Byte:
      return write_images<uint8_t>(windows, input, channels_last, outside, out);
    case ScalarType::Short:
      return write_images<int16_t>(windows, input, channels_last, outside, out);
    case ScalarType::Int:
      return write_images<int32_t>(windows, input, channels_last, outside, out);
    default:
      require(ctx, false, "values are Float, Char, Byte, Short or Int");
  }
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
  const bool each = in_zero_point.numel() != 1;
  if (!util::require_real(ctx, in_zero_point) ||
      !require(ctx, !each || (input.dim() > 0 && in_zero_point.numel() == input.size(0)),
               "one zero point, or one for each image") ||
      (!each && !read_integer(ctx, in_zero_point, outside.value))) {
    return out;
  }
  outside.each = each ? &in_zero_point : nullptr;
  run(ctx, input, kernel_size, {stride, padding, dilation}, outside, channel_last, out);
  return out;
}

}  // namespace impl::generic::native
