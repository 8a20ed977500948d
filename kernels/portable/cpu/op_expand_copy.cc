#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& expand_copy_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef sizes,
                        bool implicit, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, !implicit, "implicit expand is not supported") ||
      !util::require(ctx, sizes.size() >= rank && sizes.size() <= util::kMaxRank,
                     "expand needs a size for each dimension of the input")) {
    return out;
  }
  const size_t missing = sizes.size() - rank;
  util::Shape shape;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool is_new = d < missing;
    const int64_t own = is_new ? 1 : in.size(d - missing);
    const int64_t size = sizes[d] == -1 && !is_new ? own : sizes[d];
    if (!util::require(ctx, size >= 0 && size <= INT32_MAX && (own == 1 || own == size),
                       "the input does not expand to the sizes")) {
      return out;
    }
    shape.push(size);
  }
  if (util::resize(ctx, shape, out)) {
    const util::View target(out);
    util::copy(util::View(in).expand(target), target);
  }
  return out;
}

}  // namespace torch::executor::native
