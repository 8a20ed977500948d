#include <tuple>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/random.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
std::tuple<Tensor&, Tensor&> native_dropout_out(KernelRuntimeContext& ctx, const Tensor& in,
                                                double p, optional<bool> train, Tensor& out,
                                                Tensor& mask) {
  const std::tuple<Tensor&, Tensor&> result(out, mask);
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, mask.scalar_type() == ScalarType::Bool, "the mask must be Bool") ||
      !util::require(ctx, p >= 0 && p <= 1, "p must be in [0, 1]") ||
      !util::resize_like(ctx, in, out) || !util::resize_like(ctx, in, mask) ||
      !util::require(ctx, util::same_layout(in, out) && util::same_layout(in, mask),
                     "dropout needs tensors of one dim order")) {
    return result;
  }
  uint8_t* kept = static_cast<uint8_t*>(mask.mutable_data_ptr());
  if ((train.has_value() && !*train) || p == 0) {
    util::copy(util::View(in), util::View(out));
    util::fill(util::ScalarValue(int64_t{1}), mask);
    return result;
  }
  util::Random random;
  const size_t size = static_cast<size_t>(in.element_size());
  const char* from = static_cast<const char*>(in.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  for (size_t i = 0; i < static_cast<size_t>(in.numel()); ++i) {
    double value;
    util::load(util::Compute::kDouble, in.scalar_type(), from + i * size, 1, 1, &value);
    kept[i] = random.uniform() >= p ? 1 : 0;
    value = kept[i] != 0 ? value / (1 - p) : 0;
    util::store(util::Compute::kDouble, out.scalar_type(), &value, 1, to + i * size);
  }
  return result;
}

}  // namespace torch::executor::native
