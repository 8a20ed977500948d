#include <executorch/kernels/portable/cpu/internal/pool.h>

namespace torch::executor::native::util {
namespace {

bool check_entries(KernelRuntimeContext& ctx, IntArrayRef values, int64_t least, bool may_be_empty,
                   size_t spatial, const char* name) {
  ET_KERNEL_CHECK_MSG(
      ctx, values.size() == 1 || values.size() == spatial || (may_be_empty && values.empty()),
      InvalidArgument, false, "%s has %zu entries for %zu dimensions", name, values.size(),
      spatial);
  for (const int64_t value : values) {
    ET_KERNEL_CHECK_MSG(ctx, value >= least && value <= INT32_MAX, InvalidArgument, false,
                        "an entry of %s is out of range", name);
  }
  return true;
}

int64_t entry(IntArrayRef values, size_t d, int64_t fallback) {
  return values.empty() ? fallback : values.size() == 1 ? values[0] : values[d];
}

int64_t output_size(const PoolDim& d, bool ceil_mode) {
  const int64_t room = d.in + 2 * d.padding - d.dilation * (d.kernel - 1) - 1;
  if (room < 0 && !(ceil_mode && room > -d.stride)) {
    return 0;
  }
  int64_t out = (room + (ceil_mode ? d.stride - 1 : 0)) / d.stride + 1;
  // A window that begins in the padding behind the input does not count.
  if (ceil_mode && (out - 1) * d.stride >= d.in + d.padding) {
    --out;
  }
  return out;
}

}  // namespace

bool check_pool(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef kernel, IntArrayRef stride,
                IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, PoolDim* dim,
                Shape& shape, size_t spatial) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!require(ctx, rank == spatial + 1 || rank == spatial + 2,
               "pooling needs an image of [channels, spatial...], with or without a batch") ||
      !require_real(ctx, in) || !check_entries(ctx, kernel, 1, false, spatial, "kernel_size") ||
      !check_entries(ctx, stride, 1, true, spatial, "stride") ||
      !check_entries(ctx, padding, 0, true, spatial, "padding") ||
      !check_entries(ctx, dilation, 1, true, spatial, "dilation")) {
    return false;
  }
  shape = Shape(in);
  for (size_t d = 0; d < spatial; ++d) {
    const size_t at = shape.rank - spatial + d;
    PoolDim& p = dim[d];
    p.in = in.size(static_cast<ssize_t>(at));
    p.kernel = entry(kernel, d, 1);
    p.stride = entry(stride, d, p.kernel);
    p.padding = entry(padding, d, 0);
    p.dilation = entry(dilation, d, 1);
    // Of an empty one a window would hold nothing, and average nothing by nothing.
    if (!require(ctx, p.in > 0, "the image must not be empty") ||
        !require(ctx, p.padding * 2 <= p.kernel, "padding must be at most half the kernel")) {
      return false;
    }
    p.out = output_size(p, ceil_mode);
    if (!require(ctx, p.out > 0, "the output would be empty")) {
      return false;
    }
    shape.sizes[at] = static_cast<SizesType>(p.out);
  }
  return true;
}

ImageStrides::ImageStrides(const Tensor& t) {
  const size_t rank = static_cast<size_t>(t.dim());
  const auto strides = t.strides();
  batch = rank == 4 ? strides[0] : 0;
  channel = strides[rank - 3];
  height = strides[rank - 2];
  width = strides[rank - 1];
}

}  // namespace torch::executor::native::util
