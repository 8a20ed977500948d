#include <executorch/kernels/portable/cpu/internal/complex.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& view_as_real_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const ScalarType part = util::real_part(in.scalar_type());
  if (!util::require(ctx, part != ScalarType::Undefined, "the input must be complex") ||
      !util::require(ctx, out.scalar_type() == part, "the output must have the parts' dtype") ||
      !util::require(ctx, static_cast<size_t>(in.dim()) < util::kMaxRank,
                     "the rank is at its limit")) {
    return out;
  }
  util::Shape shape(in);
  shape.push(2);
  if (util::resize(ctx, shape, out)) {
    util::copy(util::as_parts(in), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
