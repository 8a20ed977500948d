#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
namespace {

/// Copies with dimension `dims[k]` and the ones after it rotated by their shifts.
void roll(const util::View& in, const util::View& out, const size_t* dims, const size_t* shifts,
          size_t k) {
  if (k == 0) {
    util::copy(in, out);
    return;
  }
  const size_t dim = dims[k - 1];
  const size_t shift = shifts[k - 1];
  const size_t kept = in.size[dim] - shift;
  roll(in.narrow(dim, 0, kept), out.narrow(dim, shift, kept), dims, shifts, k - 1);
  if (shift != 0) {
    roll(in.narrow(dim, kept, shift), out.narrow(dim, 0, shift), dims, shifts, k - 1);
  }
}

}  // namespace

Tensor& roll_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef shifts, IntArrayRef dims,
                 Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, shifts.size() == dims.size() && dims.size() > 0,
                     "roll needs one shift for each dimension") ||
      !util::resize_like(ctx, in, out) || in.numel() == 0) {
    return out;
  }
  size_t which[util::kMaxRank];
  size_t by[util::kMaxRank] = {};
  size_t count = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t dim = dims[i];
    if (!util::wrap_dim(ctx, dim, rank)) {
      return out;
    }
    if (rank == 0) {
      continue;
    }
    const int64_t size = in.size(dim);
    const size_t shift = static_cast<size_t>((shifts[i] % size + size) % size);
    size_t k = 0;
    while (k < count && which[k] != static_cast<size_t>(dim)) {
      ++k;
    }
    count += k == count ? 1 : 0;
    which[k] = static_cast<size_t>(dim);
    by[k] = (by[k] + shift) % static_cast<size_t>(size);
  }
  roll(util::View(in), util::View(out), which, by, count);
  return out;
}

}  // namespace torch::executor::native
