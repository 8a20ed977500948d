#include <tuple>

#include <executorch/kernels/portable/cpu/internal/order.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Sorts along `dim`, always stably. @param values If not null, takes the elements.
void sort(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool descending, Tensor* values,
          Tensor& indices) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_real(ctx, in) ||
      !util::require(ctx, indices.scalar_type() == ScalarType::Long, "the indices must be Long") ||
      !util::wrap_dim(ctx, dim, rank) ||
      (values != nullptr &&
       (!util::require_same_dtype(ctx, in, *values) || !util::resize_like(ctx, in, *values))) ||
      !util::resize_like(ctx, in, indices) || in.numel() == 0) {
    return;
  }
  const size_t at = static_cast<size_t>(dim);
  const util::View source(in);
  const util::View places(indices);
  const util::View sorted(values != nullptr ? *values : indices);
  const size_t n = rank == 0 ? 1 : source.size[at];
  const auto along = [&](const util::View& view, size_t i) {
    return rank == 0 ? 0 : static_cast<ptrdiff_t>(i) * view.stride[at];
  };
  util::for_each_sorted_line(
      ctx, source, at, descending, sorted, places,
      [&](const util::Ranked* ranked, ptrdiff_t from, ptrdiff_t value, ptrdiff_t index) {
        for (size_t i = 0; i < n; ++i) {
          const ptrdiff_t place = from + along(source, static_cast<size_t>(ranked[i].index));
          if (values != nullptr) {
            util::copy_element(util::element_at(source, place),
                               util::element_at(sorted, value + along(sorted, i)),
                               source.element_size);
          }
          util::put_element(places, index + along(places, i), ranked[i].index);
        }
      });
}

}  // namespace

std::tuple<Tensor&, Tensor&> sort_values(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                                         bool descending, Tensor& values, Tensor& indices) {
  sort(ctx, in, dim, descending, &values, indices);
  return {values, indices};
}

std::tuple<Tensor&, Tensor&> sort_values_stable(KernelRuntimeContext& ctx, const Tensor& in,
                                                optional<bool> stable, int64_t dim, bool descending,
                                                Tensor& values, Tensor& indices) {
  (void)stable;  // it always is
  sort(ctx, in, dim, descending, &values, indices);
  return {values, indices};
}

Tensor& argsort_stable_out(KernelRuntimeContext& ctx, const Tensor& in, bool stable, int64_t dim,
                           bool descending, Tensor& out) {
  (void)stable;  // it always is
  sort(ctx, in, dim, descending, nullptr, out);
  return out;
}

}  // namespace torch::executor::native
