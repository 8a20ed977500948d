#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
namespace {

/// Fills in the one size that may be -1. @returns false if the sizes do not give `count` elements.
bool resolve(IntArrayRef sizes, int64_t count, util::Shape& shape) {
  if (sizes.size() > util::kMaxRank) {
    return false;
  }
  int64_t known = 1;
  size_t inferred = sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1 && inferred == sizes.size()) {
      inferred = d;
      shape.push(1);
      continue;
    }
    if (sizes[d] < 0 || sizes[d] > INT32_MAX || (sizes[d] != 0 && known > INT64_MAX / sizes[d])) {
      return false;
    }
    known *= sizes[d];
    shape.push(sizes[d]);
  }
  if (inferred == sizes.size()) {
    return known == count;
  }
  if (known == 0 || count % known != 0 || count / known > INT32_MAX) {
    return false;
  }
  shape.sizes[inferred] = static_cast<SizesType>(count / known);
  return true;
}

/// The memory of a contiguous tensor seen with the sizes of another one.
util::View reshaped(const Tensor& t, const Tensor& like) {
  util::View v(t);
  v.rank = static_cast<size_t>(like.dim());
  ptrdiff_t stride = 1;
  for (size_t d = v.rank; d-- > 0;) {
    v.size[d] = static_cast<size_t>(like.size(d));
    v.stride[d] = stride;
    stride *= like.size(d);
  }
  return v;
}

}  // namespace

Tensor& view_copy_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef size, Tensor& out) {
  util::Shape shape;
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, resolve(size, in.numel(), shape),
                     "the sizes do not give the input's number of elements") ||
      !util::resize(ctx, shape, out)) {
    return out;
  }
  if (util::is_contiguous(in)) {
    util::copy(reshaped(in, out), util::View(out));
  } else if (util::is_contiguous(out)) {
    util::copy(util::View(in), reshaped(out, in));
  } else if (util::require(ctx, util::same_shape(in, out),
                           "a view of another shape needs a contiguous input or output")) {
    util::copy(util::View(in), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
