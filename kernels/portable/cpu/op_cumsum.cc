#include <executorch/kernels/portable/cpu/util/lines.h>
#include <executorch/kernels/portable/cpu/util/math.h>
#include <executorch/kernels/portable/cpu/util/promote.h>
#include <executorch/kernels/portable/cpu/util/shape.h>

namespace torch::executor::native {
namespace {

/// Running sums along `dim`, in accumulator type A.
template <typename A>
void cumsum(const Tensor& in, size_t dim, Tensor& out) {
  constexpr util::Compute c = util::ComputeOf<A>::value;
  const util::View source(in);
  const util::View target(out);
  const bool single = source.rank == 0;
  util::View rest = single ? source : source.select(dim, 0);
  util::Lines<2> lines(rest);
  lines.set(0, rest);
  lines.set(1, single ? target : target.select(dim, 0));
  const size_t size = single ? 1 : source.size[dim];
  const ptrdiff_t stride = single ? 1 : source.stride[dim];
  const ptrdiff_t out_stride = single ? 1 : target.stride[dim];
  constexpr size_t kMost = util::kChunkBytes / sizeof(A);
  A buffer[kMost];
  do {
    for (size_t l = 0; l < lines.length(); ++l) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(l);
      const char* from = source.data + (lines.offset(0) + at * lines.step(0)) *
                                           static_cast<ptrdiff_t>(source.element_size);
      char* to = target.data + (lines.offset(1) + at * lines.step(1)) *
                                   static_cast<ptrdiff_t>(target.element_size);
      A sum = 0;
      for (size_t first = 0; first < size; first += kMost) {
        const size_t n = size - first < kMost ? size - first : kMost;
        const ptrdiff_t skip = static_cast<ptrdiff_t>(first);
        util::load(c, source.dtype,
                   from + skip * stride * static_cast<ptrdiff_t>(source.element_size), stride, n,
                   buffer);
        for (size_t i = 0; i < n; ++i) {
          sum = util::wrapping_add(sum, buffer[i]);
          buffer[i] = sum;
        }
        util::store(c, target.dtype, buffer, n,
                    to + skip * out_stride * static_cast<ptrdiff_t>(target.element_size),
                    out_stride);
      }
    }
  } while (lines.next());
}

}  // namespace

Tensor& cumsum_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                   optional<ScalarType> dtype, Tensor& out) {
  if (!util::require_real(ctx, in) || !util::require_real(ctx, out) ||
      !util::require(ctx, !dtype.has_value() || *dtype == out.scalar_type(),
                     "dtype must be the output's") ||
      !util::wrap_dim(ctx, dim, static_cast<size_t>(in.dim())) ||
      !util::resize_like(ctx, in, out) || in.numel() == 0) {
    return out;
  }
  if (util::is_floating(out.scalar_type())) {
    cumsum<double>(in, static_cast<size_t>(dim), out);
  } else {
    cumsum<int64_t>(in, static_cast<size_t>(dim), out);
  }
  return out;
}

}  // namespace torch::executor::native
