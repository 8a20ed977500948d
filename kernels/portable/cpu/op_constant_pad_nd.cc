#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& constant_pad_nd_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef pad,
                            const Scalar& value, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_real(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require_representable(ctx, value, out) ||
      !util::require(ctx, pad.size() % 2 == 0 && pad.size() / 2 <= rank,
                     "pad needs two entries for each of the last dimensions")) {
    return out;
  }
  // The part of the input that is kept, and where it goes; negative padding crops.
  util::Shape shape(in);
  util::View source(in);
  size_t first[util::kMaxRank] = {};
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const size_t d = rank - 1 - i;
    const int64_t before = pad[2 * i];
    const int64_t after = pad[2 * i + 1];
    const int64_t size = in.size(d);
    const bool sane =
        before >= -size && after >= -size && before <= INT32_MAX && after <= INT32_MAX;
    if (!util::require(ctx,
                       sane && size + before + after >= 0 && size + before + after <= INT32_MAX,
                       "the padding gives an impossible size")) {
      return out;
    }
    shape.sizes[d] = static_cast<SizesType>(size + before + after);
    const int64_t begin = before < 0 ? -before : 0;
    const int64_t end = size + (after < 0 ? after : 0);
    source = source.narrow(d, static_cast<size_t>(begin),
                           end > begin ? static_cast<size_t>(end - begin) : 0);
    first[d] = before > 0 ? static_cast<size_t>(before) : 0;
  }
  if (!util::resize(ctx, shape, out)) {
    return out;
  }
  util::fill(util::ScalarValue(value), out);
  util::View target(out);
  if (source.numel() > 0) {
    for (size_t d = 0; d < rank; ++d) {
      target = target.narrow(d, first[d], source.size[d]);
    }
    util::copy(source, target);
  }
  return out;
}

}  // namespace torch::executor::native
