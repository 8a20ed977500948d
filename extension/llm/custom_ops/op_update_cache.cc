#include <cinttypes>
#include <cstring>

#include <executorch/extension/llm/custom_ops/op_update_cache.h>
#include <executorch/extension/llm/custom_ops/operands.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
namespace {

using util::View;

constexpr size_t kPositions = 1;

/// All but the number of positions.
bool require_same_lines(KernelRuntimeContext& ctx, const Tensor& value, const Tensor& cache) {
  constexpr unsigned kAllButPositions = 1u << 0 | 1u << 2 | 1u << 3;
  return operands::require_dtype(ctx, "value", value, cache.scalar_type()) &&
         operands::require_same_sizes(ctx, "value", value, "cache", cache, kAllButPositions);
}

/// The output has no meaning, and a defined value.
bool finish_output(KernelRuntimeContext& ctx, Tensor& output) {
  const int64_t one = 1;
  if (!util::resize(ctx, IntArrayRef(&one, 1), output)) {
    return false;
  }
  std::memset(output.mutable_data_ptr(), 0, output.nbytes());
  return true;
}

bool require_indices(KernelRuntimeContext& ctx, const Tensor& value, const Tensor& cache,
                     const Tensor& indices) {
  if (!operands::require_rank(ctx, "indices", indices, 2) ||
      !operands::require_dtype(ctx, "indices", indices, ScalarType::Long) ||
      !util::require(ctx,
                     indices.size(0) == value.size(0) && indices.size(1) == value.size(1) &&
                         util::is_contiguous(indices),
                     "indices must have one for each batch and position of the value")) {
    return false;
  }
  const int64_t* const at = static_cast<const int64_t*>(indices.const_data_ptr());
  for (ssize_t i = 0; i < indices.numel(); ++i) {
    ET_KERNEL_CHECK_MSG(ctx, at[i] >= 0 && at[i] < cache.size(1), InvalidArgument, false,
                        "index %" PRId64 " is not in the cache, which has %zd positions", at[i],
                        static_cast<ssize_t>(cache.size(1)));
  }
  return true;
}

}  // namespace

bool require_cache_fits(KernelRuntimeContext& ctx, const Tensor& value, const Tensor& cache,
                        int64_t start_pos) {
  return require_same_lines(ctx, value, cache) &&
         operands::require_room(ctx, start_pos, value.size(1), cache.size(1));
}

void write_cache(const Tensor& value, Tensor& cache, int64_t start_pos) {
  const size_t length = static_cast<size_t>(value.size(1));
  util::copy(View(value), View(cache).narrow(kPositions, static_cast<size_t>(start_pos), length));
}

Tensor& update_cache_out(KernelRuntimeContext& ctx, const Tensor& value, Tensor& cache,
                         int64_t start_pos, Tensor& output) {
  if (require_cache_fits(ctx, value, cache, start_pos) && finish_output(ctx, output)) {
    write_cache(value, cache, start_pos);
  }
  return output;
}

Tensor& update_cache_with_indices_out(KernelRuntimeContext& ctx, const Tensor& value, Tensor& cache,
                                      int64_t /*start_pos*/, const Tensor& indices,
                                      Tensor& output) {
  if (!require_same_lines(ctx, value, cache) || !require_indices(ctx, value, cache, indices) ||
      !finish_output(ctx, output)) {
    return output;
  }
  const int64_t* at = static_cast<const int64_t*>(indices.const_data_ptr());
  for (size_t b = 0; b < static_cast<size_t>(value.size(0)); ++b) {
    const View from = View(value).select(0, b);
    const View to = View(cache).select(0, b);
    for (size_t i = 0; i < static_cast<size_t>(value.size(1)); ++i) {
      util::copy(from.select(0, i), to.select(0, static_cast<size_t>(*at++)));
    }
  }
  return output;
}

}  // namespace torch::executor::native
