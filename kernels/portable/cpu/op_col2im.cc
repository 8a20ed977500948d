#include <executorch/kernels/portable/cpu/internal/patches.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scatter.h>

namespace torch::executor::native {
Tensor& col2im_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                   IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding,
                   IntArrayRef stride, Tensor& out) {
  const ssize_t rank = in.dim();
  if (!util::require(ctx, rank == 2 || rank == 3, "col2im needs columns of rank 2 or 3") ||
      !util::require_real(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, output_size.size() == 2, "output_size must have two entries")) {
    return out;
  }
  const int64_t image[2] = {output_size[0], output_size[1]};
  util::PatchDim dims[2];
  if (!util::check_patches(ctx, image, kernel_size, dilation, padding, stride, dims)) {
    return out;
  }
  const int64_t area = dims[0].kernel * dims[1].kernel;
  if (!util::require(
          ctx, in.size(rank - 2) % area == 0 && in.size(rank - 1) == dims[0].count * dims[1].count,
          "the columns must be those of an image of output_size")) {
    return out;
  }
  const int64_t channels = in.size(rank - 2) / area;
  const int64_t sizes[4] = {rank == 3 ? in.size(0) : 1, channels, image[0], image[1]};
  if (!util::resize(ctx, IntArrayRef(rank == 3 ? sizes : sizes + 1, rank == 3 ? 4 : 3), out)) {
    return out;
  }
  util::fill(util::ScalarValue(int64_t{0}), out);
  const util::View from = rank == 3 ? util::View(in) : util::View(in).unsqueeze(0);
  const util::View to = rank == 3 ? util::View(out) : util::View(out).unsqueeze(0);
  for (size_t n = 0; n < to.size[0]; ++n) {
    for (size_t c = 0; c < to.size[1]; ++c) {
      const util::View plane = to.select(0, n).select(0, c);
      const util::View columns = from.select(0, n);
      util::for_each_patch_element(dims, [&](int64_t row, int64_t column, int64_t h, int64_t w) {
        if (h < 0 || h >= image[0] || w < 0 || w >= image[1]) {
          return;
        }
        const ptrdiff_t source =
            static_cast<ptrdiff_t>(static_cast<int64_t>(c) * area + row) * columns.stride[0] +
            static_cast<ptrdiff_t>(column) * columns.stride[1];
        const ptrdiff_t target = static_cast<ptrdiff_t>(h) * plane.stride[0] +
                                 static_cast<ptrdiff_t>(w) * plane.stride[1];
        util::add_element(plane.dtype, util::element_at(columns, source),
                          util::element_at(plane, target));
      });
    }
  }
  return out;
}

}  // namespace torch::executor::native
