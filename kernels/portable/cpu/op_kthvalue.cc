#include <tuple>

#include <executorch/kernels/portable/cpu/internal/order.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// How many of the sorted elements are numbers; NaN comes last.
size_t count_numbers(const util::Ranked* ranked, size_t n, bool floating) {
  while (floating && n > 0 && ranked[n - 1].key == INT64_MAX) {
    --n;
  }
  return n;
}

/**
 * The element of each line at the place that `choose(ranked, n)` names.
 * @param keepdim Whether the outputs have `dim` with size 1.
 */
template <typename Choose>
void select_ranked(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool keepdim,
                   Tensor& values, Tensor& indices, Choose&& choose) {
  const size_t rank = static_cast<size_t>(in.dim());
  bool reduced[util::kMaxRank] = {};
  if (!util::require_real(ctx, in) || !util::require_same_dtype(ctx, in, values) ||
      !util::require(ctx, indices.scalar_type() == ScalarType::Long, "the indices must be Long") ||
      !util::wrap_dim(ctx, dim, rank)) {
    return;
  }
  reduced[dim] = true;
  const size_t at = static_cast<size_t>(dim);
  const size_t n = rank == 0 ? 1 : static_cast<size_t>(in.size(dim));
  if (!util::require(ctx, n > 0, "the dimension must not be empty") ||
      !util::resize_reduced(ctx, in, reduced, keepdim, values) ||
      !util::resize_reduced(ctx, in, reduced, keepdim, indices) || values.numel() == 0) {
    return;
  }
  const util::View source(in);
  util::View value_view(values);
  util::View index_view(indices);
  if (rank > 0 && !keepdim) {
    value_view = value_view.unsqueeze(at);
    index_view = index_view.unsqueeze(at);
  }
  util::for_each_sorted_line(
      ctx, source, at, /*descending=*/false, value_view, index_view,
      [&](const util::Ranked* ranked, ptrdiff_t from, ptrdiff_t value, ptrdiff_t index) {
        const int64_t place = choose(ranked, n);
        const ptrdiff_t step = rank == 0 ? 0 : source.stride[at];
        util::copy_element(util::element_at(source, from + static_cast<ptrdiff_t>(place) * step),
                           util::element_at(value_view, value), source.element_size);
        util::put_element(index_view, index, place);
      });
}

}  // namespace

std::tuple<Tensor&, Tensor&> kthvalue_values(KernelRuntimeContext& ctx, const Tensor& in, int64_t k,
                                             int64_t dim, bool keepdim, Tensor& values,
                                             Tensor& indices) {
  const int64_t wrapped = dim < 0 ? dim + in.dim() : dim;
  const int64_t n = in.dim() == 0 || wrapped < 0 || wrapped >= in.dim() ? 1 : in.size(wrapped);
  if (util::require(ctx, k >= 1 && k <= n, "k is out of range")) {
    select_ranked(ctx, in, dim, keepdim, values, indices,
                  [&](const util::Ranked* ranked, size_t) { return ranked[k - 1].index; });
  }
  return {values, indices};
}

std::tuple<Tensor&, Tensor&> median_dim_values(KernelRuntimeContext& ctx, const Tensor& in,
                                               int64_t dim, bool keepdim, Tensor& values,
                                               Tensor& indices) {
  const bool floating = util::arithmetic_compute(in.scalar_type()) != util::Compute::kInt64;
  select_ranked(ctx, in, dim, keepdim, values, indices, [&](const util::Ranked* ranked, size_t n) {
    const size_t numbers = count_numbers(ranked, n, floating);
    return ranked[numbers < n ? numbers : (n - 1) / 2].index;
  });
  return {values, indices};
}

std::tuple<Tensor&, Tensor&> mode_values(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                                         bool keepdim, Tensor& values, Tensor& indices) {
  const bool floating = util::arithmetic_compute(in.scalar_type()) != util::Compute::kInt64;
  select_ranked(ctx, in, dim, keepdim, values, indices, [&](const util::Ranked* ranked, size_t n) {
    int64_t place = ranked[0].index;
    size_t most = 0;
    for (size_t first = 0, i = 0; i < n; ++i) {
      const bool none = floating && ranked[i].key == INT64_MAX;  // what is no number equals none
      if (i + 1 < n && !none && ranked[i + 1].key == ranked[i].key) {
        continue;
      }
      if (i + 1 - first > most) {
        most = i + 1 - first;
        place = ranked[i].index;
      }
      first = i + 1;
    }
    return place;
  });
  return {values, indices};
}

}  // namespace torch::executor::native
