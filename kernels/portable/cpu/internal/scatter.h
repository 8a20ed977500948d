/**
 * @file
 * Gathering and scattering along a dimension: place [i][index[i][j]][...] for element [i][j][...].
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// The view with at least one dimension: gathering and scattering take a single element for a line
/// of one.
inline View at_least_1d(const View& view) { return view.rank == 0 ? view.unsqueeze(0) : view; }

/**
 * Checks the arguments of a gather or scatter, and wraps `dim`.
 * @param in The tensor that is read or written at the places that `index` names.
 * @param src If not null, the tensor that is scattered; `index` must not exceed it.
 * @returns false after setting the context's failure state.
 */
bool check_scatter(KernelRuntimeContext& ctx, const Tensor& in, int64_t& dim, const Tensor& index,
                   const Tensor* src);

/**
 * Calls `fn(place, at)` for each element of `index`: the offset of the place that it names in `in`,
 * and of the element of `other` with the same index, both in elements. Fails the kernel at an index
 * that is out of range.
 */
template <typename Fn>
void for_each_scattered(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                        const Tensor& index, const View& other, Fn&& fn) {
  const View index_view = at_least_1d(View(index));
  Lines<3> lines(index_view);
  if (lines.empty()) {
    return;
  }
  const View target = at_least_1d(View(in));
  lines.set(0, index_view);
  lines.set(1, at_least_1d(other));
  lines.set(2, target);
  // The index replaces the position along `dim`.
  const ptrdiff_t stride = target.stride[dim];
  const int64_t size = static_cast<int64_t>(target.size[dim]);
  lines.set_stride(2, static_cast<size_t>(dim), 0);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t step = static_cast<ptrdiff_t>(i);
      const int64_t at = read_index(index, lines.offset(0) + step * lines.step(0));
      if (!require(ctx, at >= 0 && at < size, "an index is out of range")) {
        return;
      }
      fn(lines.offset(2) + step * lines.step(2) + static_cast<ptrdiff_t>(at) * stride,
         lines.offset(1) + step * lines.step(1));
    }
  } while (lines.next());
}

/// Writes a scalar as an element of `dtype`, at most 8 bytes.
void store_scalar(const ScalarValue& value, ScalarType dtype, void* dst);

/// *dst += *src for one element of a real dtype. Bool: logical or.
void add_element(ScalarType dtype, const char* src, char* dst);

}  // namespace torch::executor::native::util
