#include <string_view>

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/scatter.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

enum class Reduction { kSum, kProd, kMean, kMax, kMin, kUnknown };

Reduction reduction_of(std::string_view name) {
  return name == "sum"    ? Reduction::kSum
         : name == "prod" ? Reduction::kProd
         : name == "mean" ? Reduction::kMean
         : name == "amax" ? Reduction::kMax
         : name == "amin" ? Reduction::kMin
                          : Reduction::kUnknown;
}

template <typename C>
C combine(Reduction reduction, C a, C b) {
  switch (reduction) {
    case Reduction::kProd:
      return util::wrapping_mul(a, b);
    case Reduction::kMax:
      return util::nan_max(a, b);
    case Reduction::kMin:
      return util::nan_min(a, b);
    default:
      return util::wrapping_add(a, b);
  }
}

template <typename C>
C mean(C sum, int64_t count) {
  return util::div_floor(sum, static_cast<C>(count));
}
template <>
float mean(float sum, int64_t count) {
  return sum / static_cast<float>(count);
}
template <>
double mean(double sum, int64_t count) {
  return sum / static_cast<double>(count);
}

/// The arguments of a scatter.
struct Scatter {
  KernelRuntimeContext& ctx;
  int64_t dim;
  const Tensor& index;
  Reduction reduction;
  bool include_self;
};

/// Divides each place that the index names by the number of values there, line by line.
template <typename C>
void divide(const Scatter& s, const util::View& target) {
  const util::View index = util::at_least_1d(util::View(s.index));
  const util::View places = util::at_least_1d(target);
  const size_t dim = static_cast<size_t>(s.dim);
  const util::View rest = index.select(dim, 0);
  util::Lines<2> lines(rest);
  if (lines.empty()) {
    return;
  }
  lines.set(0, rest);
  lines.set(1, places.select(dim, 0));
  do {
    for (size_t l = 0; l < lines.length(); ++l) {
      const ptrdiff_t from = lines.offset(0) + static_cast<ptrdiff_t>(l) * lines.step(0);
      const ptrdiff_t to = lines.offset(1) + static_cast<ptrdiff_t>(l) * lines.step(1);
      for (size_t i = 0; i < index.size[dim]; ++i) {
        const auto at = [&](size_t k) {
          return util::read_index(s.index, from + static_cast<ptrdiff_t>(k) * index.stride[dim]);
        };
        const int64_t place = at(i);
        int64_t count = s.include_self ? 1 : 0;
        bool first = true;
        for (size_t k = 0; k < index.size[dim]; ++k) {
          const bool same = at(k) == place;
          count += same ? 1 : 0;
          first = first && !(same && k < i);
        }
        if (first) {
          const ptrdiff_t offset = to + static_cast<ptrdiff_t>(place) * places.stride[dim];
          util::put_element(target, offset, mean(util::get_element<C>(target, offset), count));
        }
      }
    }
  } while (lines.next());
}

template <typename C>
void run(const Scatter& s, const util::View& source, Tensor& out) {
  const util::View target(out);
  if (!s.include_self) {
    // What is named begins with the reduction's neutral element.
    const C start = s.reduction == Reduction::kProd ? C(1) : C(0);
    util::for_each_scattered(
        s.ctx, out, s.dim, s.index, source, [&](ptrdiff_t place, ptrdiff_t at) {
          const bool extreme = s.reduction == Reduction::kMax || s.reduction == Reduction::kMin;
          util::put_element(target, place, extreme ? util::get_element<C>(source, at) : start);
        });
  }
  util::for_each_scattered(s.ctx, out, s.dim, s.index, source, [&](ptrdiff_t place, ptrdiff_t at) {
    util::put_element(target, place,
                      combine(s.reduction, util::get_element<C>(target, place),
                              util::get_element<C>(source, at)));
  });
  if (s.reduction == Reduction::kMean && s.index.numel() > 0 &&
      s.ctx.failure_state() == Error::Ok) {
    divide<C>(s, target);
  }
}

}  // namespace

Tensor& scatter_reduce_two_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                               const Tensor& index, const Tensor& src, std::string_view reduce,
                               bool include_self, Tensor& out) {
  const Reduction reduction = reduction_of(reduce);
  if (!util::require(ctx, reduction != Reduction::kUnknown,
                     "reduce must be sum, prod, mean, amax or amin") ||
      !util::require_real(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require_same_dtype(ctx, in, src) || !util::check_scatter(ctx, in, dim, index, &src) ||
      !util::resize_like(ctx, in, out)) {
    return out;
  }
  util::copy(util::View(in), util::View(out));
  const Scatter scatter = {ctx, dim, index, reduction, include_self};
  util::with_arithmetic_type(
      in.scalar_type(), [&](auto zero) { run<decltype(zero)>(scatter, util::View(src), out); });
  return out;
}

}  // namespace torch::executor::native
