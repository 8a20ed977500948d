#include <cmath>
#include <string_view>

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

enum class Reduction { kSum, kMean, kMax, kMin, kProd, kUnknown };

Reduction reduction_of(std::string_view name) {
  return name == "sum"    ? Reduction::kSum
         : name == "mean" ? Reduction::kMean
         : name == "max"  ? Reduction::kMax
         : name == "min"  ? Reduction::kMin
         : name == "prod" ? Reduction::kProd
                          : Reduction::kUnknown;
}

double neutral(Reduction reduction) {
  switch (reduction) {
    case Reduction::kMax:
      return -INFINITY;
    case Reduction::kMin:
      return INFINITY;
    case Reduction::kProd:
      return 1;
    default:
      return 0;
  }
}

double combine(Reduction reduction, double a, double b) {
  switch (reduction) {
    case Reduction::kMax:
      return std::isnan(b) || b > a ? b : a;
    case Reduction::kMin:
      return std::isnan(b) || b < a ? b : a;
    case Reduction::kProd:
      return a * b;
    default:
      return a + b;
  }
}

/// Neighbours [begin, end) along the axis.
struct Segment {
  int64_t begin;
  int64_t end;
};

/// The lines of segments, each of which covers the axis from its start on.
class Segments {
 public:
  /// @param offsets Whether the tensor has where segments begin and the last one ends, or their
  ///     lengths.
  Segments(const Tensor& t, bool offsets)
      : data_(t), offsets_(offsets), step_(util::View(t).stride[t.dim() - 1]) {}

  /// How many there are in a line.
  size_t count() const {
    const ssize_t last = data_.size(data_.dim() - 1);
    return static_cast<size_t>(offsets_ ? last - 1 : last);
  }

  /// The segment after `before` in the line that begins at `line`; `index` counts them.
  Segment next(const Segment& before, ptrdiff_t line, size_t index) const {
    const ptrdiff_t at = line + static_cast<ptrdiff_t>(index) * step_;
    if (offsets_) {
      return {util::read_index(data_, at), util::read_index(data_, at + step_)};
    }
    // No axis is longer, and no sum overflows.
    const int64_t length = util::read_index(data_, at);
    return {before.end, length > INT32_MAX ? -1 : before.end + length};
  }

 private:
  const Tensor& data_;
  bool offsets_;
  ptrdiff_t step_;
};

/// What the elements of a segment become.
struct How {
  Reduction reduction;
  optional<double> initial;

  double finish(double value, int64_t length) const {
    if (reduction != Reduction::kMean || (length == 0 && initial.has_value())) {
      return value;
    }
    return length == 0 ? NAN : value / static_cast<double>(length);
  }
};

/// Reduces a segment for each element beside the axis. @param in The elements at the segment's
/// line, without the axis. @param step The axis's stride.
void reduce(const How& how, const Segment& segment, const util::View& in, ptrdiff_t step,
            const util::View& out) {
  util::Lines<2> lines(out);
  if (lines.empty()) {
    return;
  }
  lines.set(0, in);
  lines.set(1, out);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      double value = how.initial.has_value() ? *how.initial : neutral(how.reduction);
      for (int64_t k = segment.begin; k < segment.end; ++k) {
        value = combine(how.reduction, value,
                        util::get_element<double>(in, lines.offset(0) + at * lines.step(0) +
                                                          static_cast<ptrdiff_t>(k) * step));
      }
      util::put_element(out, lines.offset(1) + at * lines.step(1),
                        how.finish(value, segment.end - segment.begin));
    }
  } while (lines.next());
}

/// `view` from the element at `offset` on, without its first `count` dimensions.
util::View tail_of(util::View view, ptrdiff_t offset, size_t count) {
  for (; count > 0; --count) {
    view = view.select(0, 0);
  }
  view.data += offset * static_cast<ptrdiff_t>(view.element_size);
  return view;
}

/// Goes through all segments. @param whole Whether those of a line must cover the axis.
/// @returns false where one is not inside it.
bool reduce_all(const How& how, const Segments& segments, const util::View& lengths,
                const util::View& in, const util::View& out, bool whole) {
  const size_t axis = lengths.rank - 1;
  const int64_t size = static_cast<int64_t>(in.size[axis]);
  const util::View rest = lengths.select(axis, 0);
  util::Lines<3> lines(rest);
  if (lines.empty()) {
    return true;
  }
  lines.set(0, rest);
  lines.set(1, in);
  lines.set(2, out);
  do {
    for (size_t l = 0; l < lines.length(); ++l) {
      const auto at = [&](size_t k) {
        return lines.offset(k) + static_cast<ptrdiff_t>(l) * lines.step(k);
      };
      const util::View source = tail_of(in, at(1), axis + 1);
      Segment segment{0, 0};
      for (size_t i = 0; i < segments.count(); ++i) {
        segment = segments.next(segment, at(0), i);
        if (segment.begin < 0 || segment.end < segment.begin || segment.end > size) {
          return false;
        }
        const ptrdiff_t place = at(2) + static_cast<ptrdiff_t>(i) * out.stride[axis];
        reduce(how, segment, source, in.stride[axis], tail_of(out, place, axis + 1));
      }
      if (whole && segment.end != size) {
        return false;
      }
    }
  } while (lines.next());
  return true;
}

/// Requires a line of segments for each index before the axis, which is the last of theirs.
bool check(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& lengths, int64_t axis,
           bool offsets) {
  bool fits = util::is_index_dtype(lengths.scalar_type()) && lengths.dim() == axis + 1 &&
              (!offsets || lengths.size(axis) > 0);
  for (ssize_t d = 0; fits && d < axis; ++d) {
    fits = lengths.size(d) == in.size(d);
  }
  return util::require(ctx, fits, "needs segments of the axis for all that is before it");
}

}  // namespace

Tensor& segment_reduce_out(KernelRuntimeContext& ctx, const Tensor& in, std::string_view reduce,
                           const optional<Tensor>& lengths, const optional<Tensor>& indices,
                           const optional<Tensor>& offsets, int64_t axis, bool unsafe,
                           const optional<Scalar>& initial, Tensor& out) {
  How how{reduction_of(reduce), {}};
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, how.reduction != Reduction::kUnknown,
                     "reduce must be sum, mean, max, min or prod") ||
      !util::require(ctx, !indices.has_value() && lengths.has_value() != offsets.has_value(),
                     "needs the lengths of segments or their offsets") ||
      !util::require(ctx, in.dim() > 0, "needs an axis") ||
      !util::wrap_dim(ctx, axis, static_cast<size_t>(in.dim()))) {
    return out;
  }
  const Tensor& given = lengths.has_value() ? *lengths : *offsets;
  if (!check(ctx, in, given, axis, offsets.has_value())) {
    return out;
  }
  const Segments segments(given, offsets.has_value());
  util::Shape shape(in);
  shape.sizes[axis] = static_cast<SizesType>(segments.count());
  if (!util::resize(ctx, shape, out)) {
    return out;
  }
  if (initial.has_value()) {
    how.initial = util::ScalarValue(*initial).d;
  }
  const bool whole = lengths.has_value() && !unsafe;
  util::require(
      ctx, reduce_all(how, segments, util::View(given), util::View(in), util::View(out), whole),
      "segments must lie in the axis, and their lengths add up to its size");
  return out;
}

}  // namespace torch::executor::native
