#include <cinttypes>

#include <executorch/extension/llm/custom_ops/op_tile_crop.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {

using util::View;

Tensor& tile_crop_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t tile_size, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, in.dim() == 3, InvalidArgument, out,
                      "the image must be [channels, height, width], it has %zd dimensions",
                      in.dim());
  ET_KERNEL_CHECK_MSG(
      ctx, tile_size > 0 && in.size(1) % tile_size == 0 && in.size(2) % tile_size == 0,
      InvalidArgument, out,
      "an image of %zd by %zd cannot be cut into tiles of %" PRId64 ": pad or resize it first",
      static_cast<ssize_t>(in.size(1)), static_cast<ssize_t>(in.size(2)), tile_size);
  const int64_t rows = in.size(1) / tile_size;
  const int64_t columns = in.size(2) / tile_size;
  const int64_t sizes[] = {rows * columns, in.size(0), tile_size, tile_size};
  if (!util::require_same_dtype(ctx, in, out) || !util::resize(ctx, IntArrayRef(sizes, 4), out)) {
    return out;
  }
  const View image(in);
  const View tiles(out);
  const size_t size = static_cast<size_t>(tile_size);
  for (size_t tile = 0; tile < static_cast<size_t>(sizes[0]); ++tile) {
    const size_t row = tile / static_cast<size_t>(columns);
    const size_t column = tile % static_cast<size_t>(columns);
    util::copy(image.narrow(1, row * size, size).narrow(2, column * size, size),
               tiles.select(0, tile));
  }
  return out;
}

}  // namespace torch::executor::native
