/**
 * @file
 * Running folds along a dimension: cumulative sums, products and their like.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// `out` = running folds of `in` along `dim`: `first` for none, then `fold(result, element)`, in A.
template <typename A, typename Fold>
void scan_in(const Tensor& in, size_t dim, A first, Tensor& out, const Fold& fold) {
  constexpr Compute c = ComputeOf<A>::value;
  const View source(in);
  const View target(out);
  const bool single = source.rank == 0;
  const View rest = single ? source : source.select(dim, 0);
  Lines<2> lines(rest);
  lines.set(0, rest);
  lines.set(1, single ? target : target.select(dim, 0));
  const size_t size = single ? 1 : source.size[dim];
  const ptrdiff_t stride = single ? 1 : source.stride[dim];
  const ptrdiff_t out_stride = single ? 1 : target.stride[dim];
  const ptrdiff_t in_bytes = static_cast<ptrdiff_t>(source.element_size);
  const ptrdiff_t out_bytes = static_cast<ptrdiff_t>(target.element_size);
  constexpr size_t kMost = kChunkBytes / sizeof(A);
  A buffer[kMost];
  do {
    for (size_t l = 0; l < lines.length(); ++l) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(l);
      const char* from = source.data + (lines.offset(0) + at * lines.step(0)) * in_bytes;
      char* to = target.data + (lines.offset(1) + at * lines.step(1)) * out_bytes;
      A result = first;
      for (size_t done = 0; done < size; done += kMost) {
        const size_t n = size - done < kMost ? size - done : kMost;
        const ptrdiff_t skip = static_cast<ptrdiff_t>(done);
        load(c, source.dtype, from + skip * stride * in_bytes, stride, n, buffer);
        for (size_t i = 0; i < n; ++i) {
          result = fold(result, buffer[i]);
          buffer[i] = result;
        }
        store(c, target.dtype, buffer, n, to + skip * out_stride * out_bytes, out_stride);
      }
    }
  } while (lines.next());
}

/**
 * A cumulative operator: validates, resizes, folds in double or int64 by the output's dtype.
 * @param fold On both types.
 */
template <typename Fold>
Tensor& scan(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, optional<ScalarType> dtype,
             int64_t first, Tensor& out, const Fold& fold) {
  if (!require_real(ctx, in) || !require_real(ctx, out) ||
      !require(ctx, !dtype.has_value() || *dtype == out.scalar_type(),
               "dtype must be the output's") ||
      !wrap_dim(ctx, dim, static_cast<size_t>(in.dim())) || !resize_like(ctx, in, out) ||
      in.numel() == 0) {
    return out;
  }
  if (is_floating(out.scalar_type())) {
    scan_in(in, static_cast<size_t>(dim), static_cast<double>(first), out, fold);
  } else {
    scan_in(in, static_cast<size_t>(dim), first, out, fold);
  }
  return out;
}

}  // namespace torch::executor::native::util
