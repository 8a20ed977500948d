#include <executorch/kernels/portable/cpu/internal/advanced_index.h>
#include <executorch/kernels/portable/cpu/internal/scatter.h>

namespace torch::executor::native {
namespace {

/// dst += src for one place; both have the same sizes.
void add_place(const util::View& src, const util::View& dst) {
  util::Lines<2> lines(dst);
  if (lines.empty()) {
    return;
  }
  lines.set(0, src);
  lines.set(1, dst);
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(dst.element_size);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      util::add_element(dst.dtype, src.data + (lines.offset(0) + at * lines.step(0)) * bytes,
                        dst.data + (lines.offset(1) + at * lines.step(1)) * bytes);
    }
  } while (lines.next());
}

/// Writes, or adds, `values` to the places of `target` that the indices name.
void put(KernelRuntimeContext& ctx, const util::AdvancedIndex& index, const Tensor& values,
         bool accumulate, Tensor& target) {
  const util::View whole(target);
  util::View shape;
  shape.rank = index.result_shape().rank;
  for (size_t d = 0; d < shape.rank; ++d) {
    shape.size[d] = static_cast<size_t>(index.result_shape().sizes[d]);
  }
  if (shape.numel() == 0) {
    return;
  }
  const util::View source = util::View(values).expand(shape);
  util::View from = index.result_place(source);
  util::View to = index.place(target);
  const util::CopyPlan plan(from, to);
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(whole.element_size);
  index.for_each(ctx, whole, source, [&](ptrdiff_t place, ptrdiff_t value) {
    if (!accumulate) {
      plan.run(source.data + value * bytes, whole.data + place * bytes);
      return;
    }
    from.data = source.data + value * bytes;
    to.data = whole.data + place * bytes;
    add_place(from, to);
  });
}

/// Whether `values` broadcasts to the result's shape.
bool check_values(KernelRuntimeContext& ctx, const util::Shape& result, const Tensor& values) {
  bool fits = static_cast<size_t>(values.dim()) <= result.rank;
  for (ssize_t d = 0; fits && d < values.dim(); ++d) {
    const SizesType size = result.sizes[result.rank - static_cast<size_t>(values.dim() - d)];
    fits = values.size(d) == 1 || values.size(d) == size;
  }
  return util::require(ctx, fits, "the values do not broadcast to the indexed shape");
}

}  // namespace

Tensor& index_put_out(KernelRuntimeContext& ctx, const Tensor& in,
                      ArrayRef<optional<Tensor>> indices, const Tensor& values, bool accumulate,
                      Tensor& out) {
  util::AdvancedIndex index;
  if (!util::require_same_dtype(ctx, in, out) || !util::require_same_dtype(ctx, in, values) ||
      !util::require_real(ctx, in) || !index.init(ctx, in, indices) ||
      !check_values(ctx, index.result_shape(), values) || !util::resize_like(ctx, in, out)) {
    return out;
  }
  util::copy(util::View(in), util::View(out));
  put(ctx, index, values, accumulate, out);
  return out;
}

Tensor& index_put_(KernelRuntimeContext& ctx, Tensor& in, ArrayRef<optional<Tensor>> indices,
                   const Tensor& values, bool accumulate) {
  util::AdvancedIndex index;
  if (util::require_same_dtype(ctx, in, values) && util::require_real(ctx, in) &&
      index.init(ctx, in, indices) && check_values(ctx, index.result_shape(), values)) {
    put(ctx, index, values, accumulate, in);
  }
  return in;
}

}  // namespace torch::executor::native
