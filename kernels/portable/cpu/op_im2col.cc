#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/patches.h>

namespace torch::executor::native {
Tensor& im2col_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef kernel_size,
                   IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride, Tensor& out) {
  const ssize_t rank = in.dim();
  if (!util::require(ctx, rank == 3 || rank == 4, "im2col needs an image of rank 3 or 4") ||
      !util::require_same_dtype(ctx, in, out)) {
    return out;
  }
  const int64_t image[2] = {in.size(rank - 2), in.size(rank - 1)};
  util::PatchDim dims[2];
  if (!util::check_patches(ctx, image, kernel_size, dilation, padding, stride, dims)) {
    return out;
  }
  const int64_t area = dims[0].kernel * dims[1].kernel;
  const int64_t channels = in.size(rank - 3);
  const int64_t sizes[3] = {in.size(0), channels * area, dims[0].count * dims[1].count};
  if (!util::resize(ctx, IntArrayRef(rank == 4 ? sizes : sizes + 1, rank == 4 ? 3 : 2), out)) {
    return out;
  }
  const util::View from = rank == 4 ? util::View(in) : util::View(in).unsqueeze(0);
  const util::View to = rank == 4 ? util::View(out) : util::View(out).unsqueeze(0);
  alignas(16) const char zero[16] = {};
  for (size_t n = 0; n < from.size[0]; ++n) {
    for (size_t c = 0; c < from.size[1]; ++c) {
      const util::View plane = from.select(0, n).select(0, c);
      const util::View columns = to.select(0, n);
      util::for_each_patch_element(dims, [&](int64_t row, int64_t column, int64_t h, int64_t w) {
        const bool inside = h >= 0 && h < image[0] && w >= 0 && w < image[1];
        const ptrdiff_t target =
            static_cast<ptrdiff_t>(static_cast<int64_t>(c) * area + row) * columns.stride[0] +
            static_cast<ptrdiff_t>(column) * columns.stride[1];
        const ptrdiff_t source = static_cast<ptrdiff_t>(h) * plane.stride[0] +
                                 static_cast<ptrdiff_t>(w) * plane.stride[1];
        util::copy_element(inside ? util::element_at(plane, source) : zero,
                           util::element_at(columns, target), from.element_size);
      });
    }
  }
  return out;
}

}  // namespace torch::executor::native
