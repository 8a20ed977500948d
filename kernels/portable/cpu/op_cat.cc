#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
namespace {

/// Eager skips tensors of shape [0] whatever the rank of the others.
bool is_legacy_empty(const Tensor& t) { return t.dim() == 1 && t.numel() == 0; }

bool check(KernelRuntimeContext& ctx, TensorList tensors, int64_t& dim, const Tensor& out,
           util::Shape& shape) {
  const Tensor* reference = nullptr;
  for (const Tensor& t : tensors) {
    if (!util::require_castable(ctx, t, out) ||
        !util::require(ctx, t.dim() > 0, "cat needs tensors with dimensions")) {
      return false;
    }
    reference = reference == nullptr && !is_legacy_empty(t) ? &t : reference;
  }
  if (!util::require(ctx, tensors.size() > 0, "cat needs a tensor")) {
    return false;
  }
  reference = reference == nullptr ? &tensors[0] : reference;
  const size_t rank = static_cast<size_t>(reference->dim());
  if (!util::wrap_dim(ctx, dim, rank)) {
    return false;
  }
  int64_t total = 0;
  for (const Tensor& t : tensors) {
    if (is_legacy_empty(t)) {
      continue;
    }
    if (!util::require(ctx, static_cast<size_t>(t.dim()) == rank, "the ranks differ")) {
      return false;
    }
    for (size_t d = 0; d < rank; ++d) {
      if (d != static_cast<size_t>(dim) &&
          !util::require(ctx, t.size(d) == reference->size(d), "the sizes differ")) {
        return false;
      }
    }
    total += t.size(dim);
  }
  shape = util::Shape(*reference);
  shape.sizes[dim] = static_cast<SizesType>(total);
  return util::require(ctx, total <= INT32_MAX, "the result is too large");
}

}  // namespace

Tensor& cat_out(KernelRuntimeContext& ctx, TensorList tensors, int64_t dim, Tensor& out) {
  util::Shape shape;
  if (!check(ctx, tensors, dim, out, shape) || !util::resize(ctx, shape, out)) {
    return out;
  }
  const size_t at = static_cast<size_t>(dim);
  const util::View target(out);
  size_t offset = 0;
  for (const Tensor& t : tensors) {
    if (t.numel() == 0) {
      continue;
    }
    const size_t count = static_cast<size_t>(t.size(at));
    util::copy(util::View(t), target.narrow(at, offset, count));
    offset += count;
  }
  return out;
}

}  // namespace torch::executor::native
