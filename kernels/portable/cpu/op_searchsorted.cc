#include <string_view>

#include <executorch/kernels/portable/cpu/internal/order.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// A sorted line, and how places in it are counted.
struct Boundaries {
  util::View view;
  size_t count;
  ptrdiff_t stride;
  bool integers;  // whether both sides are compared as integers
  bool right;

  int64_t key(ptrdiff_t offset, size_t i) const {
    const ptrdiff_t at = offset + static_cast<ptrdiff_t>(i) * stride;
    return integers ? util::get_element<int64_t>(view, at)
                    : util::order_key(util::get_element<double>(view, at));
  }

  /// The number of boundaries below `wanted` (`right`: not above) in the line at `offset`.
  int64_t find(ptrdiff_t offset, int64_t wanted, const int64_t* order) const {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      const int64_t at =
          key(offset, order == nullptr ? middle : static_cast<size_t>(order[middle]));
      if (right ? at <= wanted : at < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return static_cast<int64_t>(low);
  }
};

bool is_integer(ScalarType t) { return util::arithmetic_compute(t) == util::Compute::kInt64; }

bool check(KernelRuntimeContext& ctx, const Tensor& sorted, bool out_int32, bool right,
           const optional<std::string_view>& side, const optional<Tensor>& sorter,
           const Tensor& out) {
  if (!util::require_real(ctx, sorted) ||
      !util::require(ctx, sorted.dim() > 0 && util::is_contiguous(sorted),
                     "the boundaries must be contiguous and have a dimension") ||
      !util::require(ctx, out.scalar_type() == (out_int32 ? ScalarType::Int : ScalarType::Long),
                     "the output must be Long, or Int with out_int32") ||
      !util::require(ctx, !side.has_value() || *side == "right" || (*side == "left" && !right),
                     "side must be left or right, and not contradict right")) {
    return false;
  }
  if (!sorter.has_value()) {
    return true;
  }
  if (!util::require(ctx,
                     sorter->scalar_type() == ScalarType::Long &&
                         util::same_shape(*sorter, sorted) && util::is_contiguous(*sorter),
                     "the sorter must be Long with the shape of the boundaries")) {
    return false;
  }
  const int64_t* order = static_cast<const int64_t*>(sorter->const_data_ptr());
  for (ssize_t i = 0; i < sorter->numel(); ++i) {
    if (!util::require(ctx, order[i] >= 0 && order[i] < sorted.size(sorted.dim() - 1),
                       "the sorter has an index that is out of range")) {
      return false;
    }
  }
  return true;
}

void search(const Tensor& sorted, const Tensor& in, bool right, const int64_t* sorter,
            Tensor& out) {
  const util::View source(in);
  const util::View target(out);
  const size_t count = static_cast<size_t>(sorted.size(sorted.dim() - 1));
  const Boundaries boundaries = {util::View(sorted), count, 1,
                                 is_integer(sorted.scalar_type()) && is_integer(in.scalar_type()),
                                 right};
  util::Lines<2> lines(source);
  if (lines.empty()) {
    return;
  }
  lines.set(0, source);
  lines.set(1, target);
  ptrdiff_t row = 0;
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = lines.offset(0) + static_cast<ptrdiff_t>(i) * lines.step(0);
      const int64_t wanted = boundaries.integers
                                 ? util::get_element<int64_t>(source, at)
                                 : util::order_key(util::get_element<double>(source, at));
      const ptrdiff_t first = sorted.dim() == 1 ? 0 : row * static_cast<ptrdiff_t>(count);
      util::put_element(
          target, lines.offset(1) + static_cast<ptrdiff_t>(i) * lines.step(1),
          boundaries.find(first, wanted, sorter == nullptr ? nullptr : sorter + first));
    }
    ++row;
  } while (lines.next());
}

Tensor& search_scalar(KernelRuntimeContext& ctx, const Tensor& sorted, const Scalar& value,
                      bool right, const int64_t* sorter, Tensor& out) {
  if (!util::require(ctx, sorted.dim() == 1, "a scalar is searched in a vector") ||
      !util::resize(ctx, util::Shape(), out)) {
    return out;
  }
  const util::ScalarValue scalar(value);
  const bool integers = is_integer(sorted.scalar_type()) && !value.isFloatingPoint();
  const Boundaries boundaries = {util::View(sorted), static_cast<size_t>(sorted.numel()), 1,
                                 integers, right};
  util::put_element(util::View(out), 0,
                    boundaries.find(0, integers ? scalar.i : util::order_key(scalar.d), sorter));
  return out;
}

const int64_t* sorter_data(const optional<Tensor>& sorter) {
  return sorter.has_value() ? static_cast<const int64_t*>(sorter->const_data_ptr()) : nullptr;
}

}  // namespace

Tensor& searchsorted_tensor_out(KernelRuntimeContext& ctx, const Tensor& sorted_sequence,
                                const Tensor& in, bool out_int32, bool right,
                                optional<std::string_view> side, const optional<Tensor>& sorter,
                                Tensor& out) {
  if (!util::require_real(ctx, in) ||
      !check(ctx, sorted_sequence, out_int32, right, side, sorter, out)) {
    return out;
  }
  bool fits = sorted_sequence.dim() == 1 || sorted_sequence.dim() == in.dim();
  for (ssize_t d = 0; fits && sorted_sequence.dim() > 1 && d + 1 < in.dim(); ++d) {
    fits = sorted_sequence.size(d) == in.size(d);
  }
  if (util::require(ctx, fits, "the boundaries must be a vector, or have a line for each line") &&
      util::resize_like(ctx, in, out)) {
    search(sorted_sequence, in, right || (side.has_value() && *side == "right"),
           sorter_data(sorter), out);
  }
  return out;
}

Tensor& searchsorted_scalar_out(KernelRuntimeContext& ctx, const Tensor& sorted_sequence,
                                const Scalar& value, bool out_int32, bool right,
                                optional<std::string_view> side, const optional<Tensor>& sorter,
                                Tensor& out) {
  if (!check(ctx, sorted_sequence, out_int32, right, side, sorter, out)) {
    return out;
  }
  return search_scalar(ctx, sorted_sequence, value, right || (side.has_value() && *side == "right"),
                       sorter_data(sorter), out);
}

Tensor& bucketize_tensor_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& boundaries,
                             bool out_int32, bool right, Tensor& out) {
  if (util::require_real(ctx, in) && check(ctx, boundaries, out_int32, right, {}, {}, out) &&
      util::require(ctx, boundaries.dim() == 1, "the boundaries must be a vector") &&
      util::resize_like(ctx, in, out)) {
    search(boundaries, in, right, nullptr, out);
  }
  return out;
}

Tensor& bucketize_scalar_out(KernelRuntimeContext& ctx, const Scalar& value,
                             const Tensor& boundaries, bool out_int32, bool right, Tensor& out) {
  if (!check(ctx, boundaries, out_int32, right, {}, {}, out)) {
    return out;
  }
  return search_scalar(ctx, boundaries, value, right, nullptr, out);
}

}  // namespace torch::executor::native
