#include <cstdint>

#include <executorch/kernels/portable/cpu/internal/order.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

using util::Ranked;
using util::View;

/// A box from (x1, y1) to (x2, y2).
struct Box {
  double x1;
  double y1;
  double x2;
  double y2;

  Box(const View& boxes, int64_t index) {
    const ptrdiff_t at = static_cast<ptrdiff_t>(index) * boxes.stride[0];
    x1 = util::get_element<double>(boxes, at);
    y1 = util::get_element<double>(boxes, at + boxes.stride[1]);
    x2 = util::get_element<double>(boxes, at + 2 * boxes.stride[1]);
    y2 = util::get_element<double>(boxes, at + 3 * boxes.stride[1]);
  }

  double area() const { return (x2 - x1) * (y2 - y1); }
};

/// Whether the boxes' intersection has more than `threshold` of their union.
bool overlap(const Box& a, const Box& b, double threshold) {
  const double width = (a.x2 < b.x2 ? a.x2 : b.x2) - (a.x1 > b.x1 ? a.x1 : b.x1);
  const double height = (a.y2 < b.y2 ? a.y2 : b.y2) - (a.y1 > b.y1 ? a.y1 : b.y1);
  const double shared = (width > 0 ? width : 0) * (height > 0 ? height : 0);
  return shared / (a.area() + b.area() - shared) > threshold;
}

/// Writes the indices of the boxes that no better one overlaps, best first. @returns how many.
int64_t keep(const View& boxes, const Ranked* ranked, size_t n, double threshold, int64_t* kept) {
  int64_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    const Box box(boxes, ranked[i].index);
    bool free = true;
    for (int64_t k = 0; free && k < count; ++k) {
      free = !overlap(Box(boxes, kept[k]), box, threshold);
    }
    if (free) {
      kept[count++] = ranked[i].index;
    }
  }
  return count;
}

}  // namespace

/// The output has room for an index of every box; more than a few hundred need temporary memory.
Tensor& nms_out(KernelRuntimeContext& ctx, const Tensor& dets, const Tensor& scores,
                double iou_threshold, Tensor& out) {
  if (!util::require_floating(ctx, dets) || !util::require_same_dtype(ctx, dets, scores) ||
      !util::require(ctx, out.scalar_type() == ScalarType::Long, "the indices must be Long") ||
      !util::require(ctx,
                     dets.dim() == 2 && dets.size(1) == 4 && scores.dim() == 1 &&
                         scores.size(0) == dets.size(0),
                     "needs boxes [n, 4] and scores [n]")) {
    return out;
  }
  const int64_t n = dets.size(0);
  // The result is written before its size is known: first make room for all.
  if (!util::resize(ctx, IntArrayRef(&n, 1), out) || n == 0) {
    return out;
  }
  const View boxes(dets);
  const View ranks(scores);
  int64_t count = 0;
  util::for_each_sorted_line(ctx, ranks, 0, /*descending=*/true, ranks, ranks,
                             [&](const Ranked* ranked, ptrdiff_t, ptrdiff_t, ptrdiff_t) {
                               count = keep(boxes, ranked, static_cast<size_t>(n), iou_threshold,
                                            static_cast<int64_t*>(out.mutable_data_ptr()));
                             });
  if (ctx.failure_state() == executorch::runtime::Error::Ok) {
    util::resize(ctx, IntArrayRef(&count, 1), out);
  }
  return out;
}

}  // namespace torch::executor::native
