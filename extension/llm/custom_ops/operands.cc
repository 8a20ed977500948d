#include <cinttypes>

#include <executorch/extension/llm/custom_ops/operands.h>

namespace torch::executor::native::operands {

bool require_same_sizes(KernelRuntimeContext& ctx, const char* name, const Tensor& a,
                        const char* other_name, const Tensor& b, unsigned dims) {
  if (!require_rank(ctx, name, a, 4) || !require_rank(ctx, other_name, b, 4)) {
    return false;
  }
  for (ssize_t dim = 0; dim < 4; ++dim) {
    ET_KERNEL_CHECK_MSG(ctx, (dims >> dim & 1u) == 0 || a.size(dim) == b.size(dim), InvalidArgument,
                        false, "%s has %zd elements in dimension %zd, %s has %zd: they must agree",
                        name, static_cast<ssize_t>(a.size(dim)), dim, other_name,
                        static_cast<ssize_t>(b.size(dim)));
  }
  return true;
}

bool require_rank(KernelRuntimeContext& ctx, const char* name, const Tensor& t, ssize_t rank) {
  ET_KERNEL_CHECK_MSG(ctx, t.dim() == rank, InvalidArgument, false,
                      "%s must have %zd dimensions, it has %zd", name, rank, t.dim());
  return true;
}

bool require_dtype(KernelRuntimeContext& ctx, const char* name, const Tensor& t, ScalarType dtype) {
  ET_KERNEL_CHECK_MSG(ctx, t.scalar_type() == dtype, InvalidArgument, false,
                      "%s must be %s, it is %s", name, executorch::runtime::toString(dtype),
                      executorch::runtime::toString(t.scalar_type()));
  return true;
}

bool require_room(KernelRuntimeContext& ctx, int64_t start, int64_t length, int64_t capacity) {
  ET_KERNEL_CHECK_MSG(ctx, start >= 0, InvalidArgument, false,
                      "start_pos must not be negative, it is %" PRId64, start);
  ET_KERNEL_CHECK_MSG(ctx, length <= capacity && start <= capacity - length, InvalidArgument, false,
                      "start_pos %" PRId64 " and %" PRId64
                      " positions exceed the cache, which has %" PRId64 " positions",
                      start, length, capacity);
  return true;
}

}  // namespace torch::executor::native::operands
