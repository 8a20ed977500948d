#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& repeat_interleave_Tensor_out(KernelRuntimeContext& ctx, const Tensor& repeats,
                                     optional<int64_t> output_size, Tensor& out) {
  if (!util::require(ctx, repeats.dim() == 1 && util::is_index_dtype(repeats.scalar_type()),
                     "repeats must be a vector of Int or Long") ||
      !util::require_same_dtype(ctx, repeats, out)) {
    return out;
  }
  int64_t total = 0;
  for (ssize_t i = 0; i < repeats.numel(); ++i) {
    const int64_t count = util::read_index(repeats, i);
    if (!util::require(ctx, count >= 0 && count <= INT32_MAX - total, "a count is out of range")) {
      return out;
    }
    total += count;
  }
  if (!util::require(ctx, !output_size.has_value() || *output_size == total,
                     "output_size must be the sum of repeats") ||
      !util::resize(ctx, IntArrayRef(&total, 1), out)) {
    return out;
  }
  char* target = static_cast<char*>(out.mutable_data_ptr());
  for (int64_t i = 0; i < repeats.numel(); ++i) {
    for (int64_t count = util::read_index(repeats, i); count > 0; --count) {
      util::store(util::Compute::kInt64, out.scalar_type(), &i, 1, target);
      target += out.element_size();
    }
  }
  return out;
}

}  // namespace torch::executor::native
