#include <cmath>

#include <executorch/kernels/portable/cpu/util/lines.h>
#include <executorch/kernels/portable/cpu/util/upsample.h>

namespace torch::executor::native {
namespace {

/// The input index that an output index shows.
size_t nearest(size_t out, size_t in_size, size_t out_size, float scale) {
  if (out_size == in_size) {
    return out;
  }
  if (out_size == 2 * in_size) {
    return out / 2;
  }
  const float at = std::floor(static_cast<float>(out) * scale);
  const size_t index = at <= 0 ? 0 : static_cast<size_t>(at);
  return index < in_size - 1 ? index : in_size - 1;
}

void upsample(const Tensor& in, const util::UpsampleDim* dim, const Tensor& out) {
  const util::View source(in);
  const util::View target(out);
  const size_t size = source.element_size;
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(size);
  for (size_t n = 0; n < source.size[0]; ++n) {
    for (size_t c = 0; c < source.size[1]; ++c) {
      const util::View plane = source.select(0, n).select(0, c);
      const util::View to = target.select(0, n).select(0, c);
      for (size_t h = 0; h < to.size[0]; ++h) {
        const size_t row = nearest(h, plane.size[0], to.size[0], dim[0].scale);
        const char* line = plane.data + static_cast<ptrdiff_t>(row) * plane.stride[0] * bytes;
        char* out_line = to.data + static_cast<ptrdiff_t>(h) * to.stride[0] * bytes;
        for (size_t w = 0; w < to.size[1]; ++w) {
          const size_t column = nearest(w, plane.size[1], to.size[1], dim[1].scale);
          util::copy_element(line + static_cast<ptrdiff_t>(column) * plane.stride[1] * bytes,
                             out_line + static_cast<ptrdiff_t>(w) * to.stride[1] * bytes, size);
        }
      }
    }
  }
}

}  // namespace

Tensor& upsample_nearest2d_vec_out(KernelRuntimeContext& ctx, const Tensor& in,
                                   OptionalArrayRef<int64_t> output_size,
                                   OptionalArrayRef<double> scale_factors, Tensor& out) {
  util::UpsampleDim dim[2];
  if (util::check_upsample(ctx, in, output_size, scale_factors, dim, out)) {
    upsample(in, dim, out);
  }
  return out;
}

Tensor& upsample_nearest2d_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                               optional<double> scales_h, optional<double> scales_w, Tensor& out) {
  util::UpsampleDim dim[2];
  if (util::check_upsample(ctx, in, output_size, scales_h, scales_w, dim, out)) {
    upsample(in, dim, out);
  }
  return out;
}

}  // namespace torch::executor::native
