#include <executorch/kernels/portable/cpu/internal/pad.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native::util {
namespace {

/// What the recursion over the padded dimensions knows.
struct Padding {
  PadMode mode;
  size_t count;           // padded dimensions; they are the last ones
  const int64_t* before;  // by dimension from the first padded one
};

/// Fills `out`, from which dimension `d` on is still to be padded, from `in`.
void pad_from(const Padding& padding, const View& in, const View& out, size_t i) {
  if (i == padding.count) {
    copy(in, out);
    return;
  }
  const size_t d = in.rank - padding.count + i;
  const int64_t size = static_cast<int64_t>(in.size[d]);
  const int64_t total = static_cast<int64_t>(out.size[d]);
  const int64_t shift = padding.before[i];
  // Output index k shows input index k - shift; negative padding cuts off.
  const int64_t first = shift > 0 ? 0 : -shift;
  const int64_t end = total - shift < size ? total - shift : size;
  const size_t before = static_cast<size_t>(shift < 0 ? 0 : shift < total ? shift : total);
  const size_t middle = static_cast<size_t>(end > first ? end - first : 0);
  const size_t after = static_cast<size_t>(total) - before - middle;
  const size_t last = static_cast<size_t>(size) - 1;
  const bool reflect = padding.mode == PadMode::kReflect;
  if (before > 0) {
    const View edge =
        reflect ? in.narrow(d, static_cast<size_t>(shift), before, -1) : in.narrow(d, 0, before, 0);
    pad_from(padding, edge, out.narrow(d, 0, before), i + 1);
  }
  if (middle > 0) {
    pad_from(padding, in.narrow(d, static_cast<size_t>(first), middle),
             out.narrow(d, before, middle), i + 1);
  }
  if (after > 0) {
    // The mirrored elements, of which negative padding in front may cut off the first ones.
    const size_t cut = static_cast<size_t>(first > size ? first - size : 0);
    const View edge =
        reflect ? in.narrow(d, last - 1 - cut, after, -1) : in.narrow(d, last, after, 0);
    pad_from(padding, edge, out.narrow(d, before + middle, after), i + 1);
  }
}

}  // namespace

Tensor& pad_edges(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef padding, size_t spatial,
                  PadMode mode, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!require_same_dtype(ctx, in, out) ||
      !require(ctx, rank == spatial + 1 || rank == spatial + 2, "the input's rank is wrong") ||
      !require(ctx, padding.size() == 2 * spatial,
               "padding needs two entries for each dimension")) {
    return out;
  }
  int64_t before[3];
  int64_t after[3];
  Shape shape(in);
  for (size_t i = 0; i < spatial; ++i) {
    const size_t d = rank - spatial + i;
    const int64_t size = in.size(static_cast<ssize_t>(d));
    before[i] = padding[2 * (spatial - 1 - i)];
    after[i] = padding[2 * (spatial - 1 - i) + 1];
    const int64_t limit = mode == PadMode::kReflect ? size - 1 : INT32_MAX / 4;
    const int64_t least = -INT32_MAX / 4;
    if (!require(ctx, size > 0, "the input must not be empty") ||
        !require(ctx,
                 before[i] >= least && after[i] >= least && before[i] <= limit &&
                     after[i] <= limit && size + before[i] + after[i] <= INT32_MAX &&
                     size + before[i] + after[i] >= 1,
                 "the padding is out of range")) {
      return out;
    }
    shape.sizes[d] = static_cast<SizesType>(size + before[i] + after[i]);
  }
  if (resize(ctx, shape, out) && out.numel() > 0) {
    pad_from({mode, spatial, before}, View(in), View(out), 0);
  }
  return out;
}

}  // namespace torch::executor::native::util
