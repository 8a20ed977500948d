#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Calls `fn(offset)` for the elements of `in`, broadcast to `shape`, at which the mask is true.
template <typename Fn>
void for_each_selected(const util::View& in, const util::View& mask, const util::View& shape,
                       Fn&& fn) {
  util::Lines<2> lines(shape);
  if (lines.empty()) {
    return;
  }
  lines.set(0, in.expand(shape));
  lines.set(1, mask.expand(shape));
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      if (mask.data[lines.offset(1) + at * lines.step(1)] != 0) {
        fn(lines.offset(0) + at * lines.step(0));
      }
    }
  } while (lines.next());
}

}  // namespace

Tensor& masked_select_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mask,
                          Tensor& out) {
  util::Shape common(in);
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, mask.scalar_type() == ScalarType::Bool, "the mask must be Bool") ||
      !util::require(ctx, util::broadcast(common, mask), "the shapes do not broadcast")) {
    return out;
  }
  util::View shape;
  shape.rank = common.rank;
  for (size_t d = 0; d < common.rank; ++d) {
    shape.size[d] = static_cast<size_t>(common.sizes[d]);
  }
  const util::View source(in);
  const util::View mask_view(mask);
  int64_t count = 0;
  for_each_selected(source, mask_view, shape, [&](ptrdiff_t) { ++count; });
  if (!util::resize(ctx, IntArrayRef(&count, 1), out)) {
    return out;
  }
  char* target = static_cast<char*>(out.mutable_data_ptr());
  const ptrdiff_t size = static_cast<ptrdiff_t>(source.element_size);
  for_each_selected(source, mask_view, shape, [&](ptrdiff_t offset) {
    util::copy_element(source.data + offset * size, target, source.element_size);
    target += size;
  });
  return out;
}

}  // namespace torch::executor::native
