#include <algorithm>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/order.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/temp_memory.h>

namespace torch::executor::native {
namespace {

using util::Ranked;
using util::View;

/// Where element `index` of a view lies, in elements from its first one.
ptrdiff_t offset_of(const View& view, size_t index) {
  ptrdiff_t offset = 0;
  for (size_t d = view.rank; d-- > 0;) {
    offset += static_cast<ptrdiff_t>(index % view.size[d]) * view.stride[d];
    index /= view.size[d];
  }
  return offset;
}

/// All elements in index order, with their keys.
void rank_all(const View& in, Ranked* ranked) {
  util::Lines<1> lines(in);
  if (lines.empty()) {
    return;
  }
  lines.set(0, in);
  constexpr size_t kMost = util::kChunkBytes / sizeof(int64_t);
  int64_t keys[kMost];
  int64_t index = 0;
  do {
    for (size_t first = 0; first < lines.length(); first += kMost) {
      const size_t n = lines.length() - first < kMost ? lines.length() - first : kMost;
      const ptrdiff_t from = lines.offset(0) + static_cast<ptrdiff_t>(first) * lines.step(0);
      util::order_keys(in.dtype, util::element_at(in, from), lines.step(0), n, keys);
      for (size_t i = 0; i < n; ++i, ++index) {
        ranked[index] = {keys[i], index};
      }
    }
  } while (lines.next());
}

struct Outputs {
  bool inverse;
  bool counts;
  Tensor& values_out;
  Tensor& inverse_out;
  Tensor& counts_out;
};

bool check(KernelRuntimeContext& ctx, const Tensor& in, const Outputs& to) {
  return util::require_real(ctx, in) && util::require_same_dtype(ctx, in, to.values_out) &&
         util::require(ctx,
                       to.inverse_out.scalar_type() == ScalarType::Long &&
                           to.counts_out.scalar_type() == ScalarType::Long,
                       "indices and counts must be Long");
}

/// Writes one element, its places and its count for each run of equal elements.
void write_runs(KernelRuntimeContext& ctx, const Tensor& in, const Ranked* ranked, size_t n,
                const Outputs& to) {
  // No number equals another, nor itself if it is none.
  const bool floating = util::arithmetic_compute(in.scalar_type()) != util::Compute::kInt64;
  const auto begins = [&](size_t i) {
    return i == 0 || ranked[i].key != ranked[i - 1].key || (floating && ranked[i].key == INT64_MAX);
  };
  int64_t runs = 0;
  for (size_t i = 0; i < n; ++i) {
    runs += begins(i) ? 1 : 0;
  }
  const int64_t none = 0;
  if (!util::resize(ctx, IntArrayRef(&runs, 1), to.values_out) ||
      !(to.inverse ? util::resize_like(ctx, in, to.inverse_out)
                   : util::resize(ctx, IntArrayRef(&none, 1), to.inverse_out)) ||
      !util::resize(ctx, IntArrayRef(to.counts ? &runs : &none, 1), to.counts_out)) {
    return;
  }
  const View source(in);
  const View values(to.values_out);
  const View places(to.inverse_out);
  const View counts(to.counts_out);
  ptrdiff_t run = -1;
  for (size_t i = 0; i < n; ++i) {
    const size_t index = static_cast<size_t>(ranked[i].index);
    if (begins(i)) {
      ++run;
      util::copy_element(util::element_at(source, offset_of(source, index)),
                         util::element_at(values, run), source.element_size);
      if (to.counts) {
        util::put_element(counts, run, int64_t{0});
      }
    }
    if (to.inverse) {
      util::put_element(places, offset_of(places, index), int64_t{run});
    }
    if (to.counts) {
      util::put_element(counts, run, util::get_element<int64_t>(counts, run) + 1);
    }
  }
}

void unique(KernelRuntimeContext& ctx, const Tensor& in, bool sort, const Outputs& to) {
  if (!check(ctx, in, to)) {
    return;
  }
  const size_t n = static_cast<size_t>(in.numel());
  Ranked small[util::kRankedOnStack];
  Ranked* ranked = util::ranked_memory(ctx, n, small, util::kRankedOnStack);
  if (ranked == nullptr) {
    return;
  }
  rank_all(View(in), ranked);
  if (sort) {
    util::sort_ranked(ranked, n, /*descending=*/false);
  }
  write_runs(ctx, in, ranked, n, to);
}

/// How two views of the same sizes differ.
struct Difference {
  int order;   // less than 0 if the first one comes first
  bool equal;  // what is no number equals none
};

/// By the first elements that differ; what is no number is larger than what is one.
Difference compare(const View& a, const View& b, bool floating) {
  Difference found{0, true};
  util::Lines<2> lines(a);
  if (lines.empty()) {
    return found;
  }
  lines.set(0, a);
  lines.set(1, b);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      int64_t keys[2];
      util::order_keys(a.dtype, util::element_at(a, lines.offset(0) + at * lines.step(0)), 1, 1,
                       &keys[0]);
      util::order_keys(b.dtype, util::element_at(b, lines.offset(1) + at * lines.step(1)), 1, 1,
                       &keys[1]);
      if (keys[0] != keys[1]) {
        return {keys[0] < keys[1] ? -1 : 1, false};
      }
      found.equal = found.equal && !(floating && keys[0] == INT64_MAX);
    }
  } while (lines.next());
  return found;
}

/// The slices of a view along a dimension, as they lie or sorted.
struct Slices {
  View view;
  size_t dim;
  bool floating;
  int64_t* order = nullptr;  // null as they lie

  Slices(const Tensor& in, int64_t along)
      : view(in),
        dim(static_cast<size_t>(along)),
        floating(util::arithmetic_compute(in.scalar_type()) != util::Compute::kInt64) {}

  size_t count() const { return view.size[dim]; }
  size_t index(size_t i) const { return order == nullptr ? i : static_cast<size_t>(order[i]); }
  View at(size_t i) const { return view.select(dim, index(i)); }

  /// Whether the slice at place `i` differs from the one before it.
  bool begins(size_t i) const { return i == 0 || !compare(at(i), at(i - 1), floating).equal; }

  /// Takes `memory` for a place for each slice.
  void sort(int64_t* memory) {
    for (size_t i = 0; i < count(); ++i) {
      memory[i] = static_cast<int64_t>(i);
    }
    // Indices are distinct: no two slices are equal, and the order is that of a stable sort.
    std::sort(memory, memory + count(), [this](int64_t a, int64_t b) {
      const int found = compare(view.select(dim, static_cast<size_t>(a)),
                                view.select(dim, static_cast<size_t>(b)), floating)
                            .order;
      return found != 0 ? found < 0 : a < b;
    });
    order = memory;
  }
};

/// One of each run of equal slices; eager gives their places and counts unasked.
void write_slices(KernelRuntimeContext& ctx, const Tensor& in, const Slices& slices,
                  const Outputs& to) {
  const size_t n = slices.count();
  int64_t runs = 0;
  for (size_t i = 0; i < n; ++i) {
    runs += slices.begins(i) ? 1 : 0;
  }
  util::Shape shape(in);
  shape.sizes[slices.dim] = static_cast<SizesType>(runs);
  const int64_t places = static_cast<int64_t>(n);
  if (!util::resize(ctx, shape, to.values_out) ||
      !util::resize(ctx, IntArrayRef(&places, 1), to.inverse_out) ||
      !util::resize(ctx, IntArrayRef(&runs, 1), to.counts_out)) {
    return;
  }
  const View values(to.values_out);
  const View indices(to.inverse_out);
  const View counts(to.counts_out);
  ptrdiff_t run = -1;
  int64_t length = 0;
  for (size_t i = 0; i < n; ++i, ++length) {
    if (slices.begins(i)) {
      ++run;
      length = 0;
      util::copy(slices.at(i), values.select(slices.dim, static_cast<size_t>(run)));
    }
    util::put_element(indices, static_cast<ptrdiff_t>(slices.index(i)), int64_t{run});
    util::put_element(counts, run, length + 1);
  }
}

void unique_slices(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool sort,
                   const Outputs& to) {
  if (!check(ctx, in, to) || !util::wrap_dim(ctx, dim, static_cast<size_t>(in.dim())) ||
      !util::require(ctx, in.dim() > 0 && (in.numel() > 0 || in.size(dim) == 0),
                     "slices must have elements")) {
    return;
  }
  Slices slices(in, dim);
  if (sort) {
    int64_t* memory = util::temp_memory<int64_t>(ctx, slices.count(), "sorted slices");
    if (memory == nullptr) {
      return;
    }
    slices.sort(memory);
  }
  write_slices(ctx, in, slices, to);
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&> _unique2_out(KernelRuntimeContext& ctx, const Tensor& in,
                                                   bool, bool return_inverse, bool return_counts,
                                                   Tensor& values, Tensor& inverse,
                                                   Tensor& counts) {
  unique(ctx, in, /*sort=*/true, {return_inverse, return_counts, values, inverse, counts});
  return {values, inverse, counts};
}

std::tuple<Tensor&, Tensor&, Tensor&> unique_dim_out(KernelRuntimeContext& ctx, const Tensor& in,
                                                     int64_t dim, bool, bool return_inverse,
                                                     bool return_counts, Tensor& values,
                                                     Tensor& inverse, Tensor& counts) {
  unique_slices(ctx, in, dim, /*sort=*/true,
                {return_inverse, return_counts, values, inverse, counts});
  return {values, inverse, counts};
}

std::tuple<Tensor&, Tensor&, Tensor&> unique_consecutive_out(KernelRuntimeContext& ctx,
                                                             const Tensor& in, bool return_inverse,
                                                             bool return_counts,
                                                             optional<int64_t> dim, Tensor& values,
                                                             Tensor& inverse, Tensor& counts) {
  const Outputs to{return_inverse, return_counts, values, inverse, counts};
  if (!dim.has_value()) {
    unique(ctx, in, /*sort=*/false, to);
  } else {
    unique_slices(ctx, in, *dim, /*sort=*/false, to);
  }
  return {values, inverse, counts};
}

}  // namespace torch::executor::native
