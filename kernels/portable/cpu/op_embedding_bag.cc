#include <cstring>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

enum Mode : int64_t { kSum = 0, kMean = 1, kMax = 2 };

/// The arguments of an embedding bag.
struct Bags {
  const Tensor& weight;
  const Tensor& indices;
  const Tensor& offsets;
  const Tensor* scales;  // a factor for each index, or null
  int64_t mode;
  int64_t padding;  // an index that does not count, or -1
  int64_t count;    // number of bags

  int64_t index(int64_t i) const { return util::read_index(indices, static_cast<ptrdiff_t>(i)); }
  int64_t begin(int64_t bag) const {
    return util::read_index(offsets, static_cast<ptrdiff_t>(bag));
  }
  int64_t end(int64_t bag) const {
    return bag + 1 < offsets.numel() ? begin(bag + 1) : indices.numel();
  }
};

bool check(KernelRuntimeContext& ctx, const Bags& bags, const Tensor& out) {
  if (!util::require_floating(ctx, bags.weight) ||
      !util::require_same_dtype(ctx, bags.weight, out) ||
      !util::require(ctx, bags.weight.dim() == 2 && util::is_contiguous(bags.weight),
                     "the weight must be a contiguous matrix") ||
      !util::require(ctx, bags.indices.dim() == 1 && bags.offsets.dim() == 1,
                     "indices and offsets must be vectors") ||
      !util::require(ctx,
                     util::is_index_dtype(bags.indices.scalar_type()) &&
                         util::is_index_dtype(bags.offsets.scalar_type()),
                     "indices and offsets must be Int or Long") ||
      !util::require(ctx, bags.mode >= kSum && bags.mode <= kMax, "mode must be 0, 1 or 2") ||
      !util::require(ctx,
                     bags.scales == nullptr ||
                         (bags.mode == kSum && bags.scales->numel() == bags.indices.numel() &&
                          bags.scales->scalar_type() == bags.weight.scalar_type()),
                     "per_sample_weights need mode sum and a weight for each index")) {
    return false;
  }
  for (int64_t i = 0; i < bags.indices.numel(); ++i) {
    if (!util::require(ctx, bags.index(i) >= 0 && bags.index(i) < bags.weight.size(0),
                       "an index is out of range")) {
      return false;
    }
  }
  for (int64_t bag = 0; bag < bags.offsets.numel(); ++bag) {
    if (!util::require(ctx,
                       bags.begin(bag) >= (bag == 0 ? 0 : bags.begin(bag - 1)) &&
                           bags.begin(bag) <= bags.indices.numel() &&
                           (bag > 0 || bags.begin(0) == 0),
                       "the offsets must rise from 0 to at most the number of indices")) {
      return false;
    }
  }
  return true;
}

/// Folds column `column` of a bag. @param best The index of the largest element, -1 if none.
double fold(const Bags& bags, int64_t bag, int64_t column, int64_t* used, int64_t* best) {
  const util::View rows(bags.weight);
  double result = 0;
  *used = 0;
  *best = -1;
  for (int64_t i = bags.begin(bag); i < bags.end(bag); ++i) {
    const int64_t index = bags.index(i);
    if (index == bags.padding) {
      continue;
    }
    double value = util::get_element<double>(
        rows, static_cast<ptrdiff_t>(index * bags.weight.size(1) + column));
    if (bags.scales != nullptr) {
      value *= util::get_element<double>(util::View(*bags.scales), static_cast<ptrdiff_t>(i));
    }
    if (bags.mode == kMax) {
      const bool better = *used == 0 || value > result || value != value;
      *best = better ? index : *best;
      result = better ? value : result;
    } else {
      result += value;
    }
    ++*used;
  }
  return bags.mode == kMean && *used > 0 ? result / static_cast<double>(*used) : result;
}

/// Fills a bookkeeping output, which only gradients read, as far as the program has room for it.
void fill_bookkeeping(const Bags& bags, Tensor& offset2bag, Tensor& bag_size) {
  const util::View sizes(bag_size);
  const util::View places(offset2bag);
  const bool has_places = offset2bag.numel() == bags.indices.numel();
  for (int64_t bag = 0; bag < bags.count; ++bag) {
    int64_t used = 0;
    for (int64_t i = bags.begin(bag); i < bags.end(bag); ++i) {
      used += bags.index(i) != bags.padding ? 1 : 0;
      if (has_places) {
        util::put_element<int64_t>(places, static_cast<ptrdiff_t>(i), bag);
      }
    }
    if (bag_size.numel() == bags.count) {
      util::put_element<int64_t>(sizes, static_cast<ptrdiff_t>(bag), bags.mode == kSum ? 0 : used);
    }
  }
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> _embedding_bag_out(
    KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& indices, const Tensor& offsets,
    bool scale_grad_by_freq, int64_t mode, bool sparse, const optional<Tensor>& per_sample_weights,
    bool include_last_offset, int64_t padding_idx, Tensor& out0, Tensor& out1, Tensor& out2,
    Tensor& out3) {
  (void)scale_grad_by_freq;  // only matters for gradients, as the next one
  (void)sparse;
  const std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> result(out0, out1, out2, out3);
  const int64_t count = offsets.numel() - (include_last_offset ? 1 : 0);
  const Bags bags = {
      weight, indices,     offsets, per_sample_weights.has_value() ? &*per_sample_weights : nullptr,
      mode,   padding_idx, count};
  if (!util::require(ctx, count >= 0, "include_last_offset needs an offset") ||
      !check(ctx, bags, out0)) {
    return result;
  }
  util::Shape shape;
  shape.push(count);
  shape.push(weight.size(1));
  const bool keeps_indices =
      mode == kMax && out3.dim() == 2 && out3.numel() == count * weight.size(1);
  if (!util::resize(ctx, shape, out0) ||
      !util::require(ctx,
                     util::is_index_dtype(out1.scalar_type()) &&
                         util::is_index_dtype(out2.scalar_type()) &&
                         util::is_index_dtype(out3.scalar_type()),
                     "the bookkeeping outputs must be Int or Long")) {
    return result;
  }
  const util::View target(out0);
  const util::View largest(out3);
  for (int64_t bag = 0; bag < count; ++bag) {
    for (int64_t column = 0; column < weight.size(1); ++column) {
      int64_t used;
      int64_t best;
      const double value = fold(bags, bag, column, &used, &best);
      util::put_element(target,
                        static_cast<ptrdiff_t>(bag) * target.stride[0] +
                            static_cast<ptrdiff_t>(column) * target.stride[1],
                        value);
      if (keeps_indices) {
        util::put_element<int64_t>(largest,
                                   static_cast<ptrdiff_t>(bag) * largest.stride[0] +
                                       static_cast<ptrdiff_t>(column) * largest.stride[1],
                                   best < 0 ? 0 : best);
      }
    }
  }
  fill_bookkeeping(bags, out1, out2);
  return result;
}

}  // namespace torch::executor::native
