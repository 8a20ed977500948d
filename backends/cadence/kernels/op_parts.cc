#include <executorch/backends/cadence/kernels/common.h>

// Operators that copy nothing: the plan of memory has put their results where they would be copied
// to. They check that it has, so that a program that was planned otherwise is refused.
namespace impl::generic::native {

namespace util = torch::executor::native::util;

namespace {

/// Requires that a part has the bytes of the whole that begin at an offset.
bool require_inside(KernelRuntimeContext& ctx, const Tensor& part, const Tensor& whole,
                    size_t offset) {
  const auto* base = static_cast<const uint8_t*>(whole.const_data_ptr());
  const auto* begin = static_cast<const uint8_t*>(part.const_data_ptr());
  return require(ctx, part.scalar_type() == whole.scalar_type(), "the types differ") &&
         require(ctx, is_contiguous(part) && is_contiguous(whole), "the layouts differ") &&
         require(ctx, offset + part.nbytes() <= whole.nbytes() && begin == base + offset,
                 "the part does not lie where the plan of memory has to put it");
}

/// Bytes of one step along a dimension; requires that those before it have size 1.
bool block_of(KernelRuntimeContext& ctx, const Tensor& whole, size_t dim, size_t& bytes) {
  for (size_t d = 0; d < dim; ++d) {
    if (!require(ctx, whole.size(static_cast<ssize_t>(d)) == 1, "an outer dimension is not 1")) {
      return false;
    }
  }
  bytes = static_cast<size_t>(whole.element_size());
  for (ssize_t d = static_cast<ssize_t>(dim) + 1; d < whole.dim(); ++d) {
    bytes *= static_cast<size_t>(whole.size(d));
  }
  return true;
}

}  // namespace

Tensor& _cat_nop_out(KernelRuntimeContext& ctx, ArrayRef<Tensor> tensors, int64_t dim,
                     Tensor& out) {
  size_t block = 0;
  if (!wrap_dim(ctx, dim, static_cast<size_t>(out.dim())) ||
      !block_of(ctx, out, static_cast<size_t>(dim), block)) {
    return out;
  }
  size_t offset = 0;
  for (const Tensor& part : tensors) {
    if (!require_inside(ctx, part, out, offset)) {
      return out;
    }
    offset += part.nbytes();
  }
  require(ctx, offset == out.nbytes(), "the parts are not the whole");
  return out;
}

Tensor& _slice_copy_nop_tensor_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim,
                                   optional<int64_t> start, optional<int64_t> end, int64_t step,
                                   Tensor& out) {
  size_t block = 0;
  if (!require(ctx, step > 0, "step must be positive") ||
      !wrap_dim(ctx, dim, static_cast<size_t>(self.dim())) ||
      !block_of(ctx, self, static_cast<size_t>(dim), block)) {
    return out;
  }
  const util::Range range = util::slice_range(self.size(dim), start, end, step);
  if (require(ctx, range.step == 1 || range.count <= 1, "the slice has gaps") &&
      require(ctx, out.nbytes() == range.count * block, "the result is not the slice")) {
    require_inside(ctx, out, self, range.start * block);
  }
  return out;
}

Tensor& _select_copy_nop_int_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim,
                                 int64_t index, Tensor& out) {
  size_t block = 0;
  if (!wrap_dim(ctx, dim, static_cast<size_t>(self.dim())) ||
      !block_of(ctx, self, static_cast<size_t>(dim), block)) {
    return out;
  }
  const int64_t size = self.size(dim);
  index += index < 0 ? size : 0;
  if (require(ctx, 0 <= index && index < size, "the index is out of range") &&
      require(ctx, out.nbytes() == block, "the result is not one element")) {
    require_inside(ctx, out, self, static_cast<size_t>(index) * block);
  }
  return out;
}

}  // namespace impl::generic::native
