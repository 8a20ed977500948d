#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& repeat_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef repeats, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, repeats.size() >= rank && repeats.size() <= util::kMaxRank / 2,
                     "repeat needs a count for each dimension, and at most 8 of them")) {
    return out;
  }
  // Each dimension becomes a pair of them: the repetitions, and the input's own.
  util::Shape shape;
  const size_t missing = repeats.size() - rank;
  for (size_t d = 0; d < repeats.size(); ++d) {
    const int64_t own = d < missing ? 1 : in.size(d - missing);
    if (!util::require(ctx,
                       repeats[d] >= 0 && repeats[d] <= INT32_MAX &&
                           (own == 0 || repeats[d] <= INT32_MAX / own),
                       "a count is out of range")) {
      return out;
    }
    shape.push(own * repeats[d]);
  }
  if (!util::resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  const util::View whole_in(in);
  const util::View whole_out(out);
  util::View src = whole_in;
  util::View dst = whole_out;
  src.rank = dst.rank = 2 * repeats.size();
  for (size_t d = 0; d < repeats.size(); ++d) {
    const size_t own = d < missing ? 1 : whole_in.size[d - missing];
    src.size[2 * d] = dst.size[2 * d] = static_cast<size_t>(repeats[d]);
    src.size[2 * d + 1] = dst.size[2 * d + 1] = own;
    src.stride[2 * d] = 0;
    src.stride[2 * d + 1] = d < missing ? 0 : whole_in.stride[d - missing];
    dst.stride[2 * d] = whole_out.stride[d] * static_cast<ptrdiff_t>(own);
    dst.stride[2 * d + 1] = whole_out.stride[d];
  }
  util::copy(src, dst);
  return out;
}

}  // namespace torch::executor::native
