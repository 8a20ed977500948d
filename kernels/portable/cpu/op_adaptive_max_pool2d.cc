#include <tuple>

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pool.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/volume.h>

namespace torch::executor::native {
namespace {

/// Takes the largest element of each window, the first of equal ones, NaN before all.
template <typename C>
void pool_windows(const util::View& in, const util::View& out, const util::View& indices) {
  util::for_each_in_volume(out, [&](size_t n, size_t c, size_t, size_t h, size_t w) {
    const auto window = [&](size_t d, size_t index) {
      return util::adaptive_window(static_cast<int64_t>(in.size[d]),
                                   static_cast<int64_t>(out.size[d]), static_cast<int64_t>(index));
    };
    const util::AverageWindow rows = window(3, h);
    const util::AverageWindow columns = window(4, w);
    C best = util::get_element<C>(in, util::volume_offset(in, n, c, 0, rows.begin, columns.begin));
    int64_t place = rows.begin * static_cast<int64_t>(in.size[4]) + columns.begin;
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      for (int64_t x = columns.begin; x < columns.end; ++x) {
        const C value = util::get_element<C>(in, util::volume_offset(in, n, c, 0, y, x));
        if (value > best || util::is_nan(value)) {
          best = value;
          place = y * static_cast<int64_t>(in.size[4]) + x;
        }
      }
    }
    const int64_t row = static_cast<int64_t>(h);
    const int64_t column = static_cast<int64_t>(w);
    util::put_element(out, util::volume_offset(out, n, c, 0, row, column), best);
    util::put_element(indices, util::volume_offset(indices, n, c, 0, row, column), place);
  });
}

}  // namespace

std::tuple<Tensor&, Tensor&> adaptive_max_pool2d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                                     IntArrayRef output_size, Tensor& out,
                                                     Tensor& indices) {
  const std::tuple<Tensor&, Tensor&> result(out, indices);
  if (!util::require(ctx, in.dim() == 3 || in.dim() == 4,
                     "pooling needs an image of rank 3 or 4") ||
      !util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, indices.scalar_type() == ScalarType::Long, "the indices must be Long") ||
      !util::require(ctx,
                     output_size.size() == 2 && output_size[0] >= 0 && output_size[1] >= 0 &&
                         output_size[0] <= INT32_MAX && output_size[1] <= INT32_MAX,
                     "output_size must be two sizes") ||
      !util::require(ctx, in.size(in.dim() - 2) > 0 && in.size(in.dim() - 1) > 0,
                     "the image must not be empty")) {
    return result;
  }
  util::Shape shape(in);
  shape.sizes[shape.rank - 2] = static_cast<SizesType>(output_size[0]);
  shape.sizes[shape.rank - 1] = static_cast<SizesType>(output_size[1]);
  if (!util::resize(ctx, shape, out) || !util::resize(ctx, shape, indices)) {
    return result;
  }
  const util::View source = util::as_volume(in, 2);
  const util::View target = util::as_volume(out, 2);
  const util::View places = util::as_volume(indices, 2);
  if (util::arithmetic_compute(in.scalar_type()) == util::Compute::kDouble) {
    pool_windows<double>(source, target, places);
  } else {
    pool_windows<float>(source, target, places);
  }
  return result;
}

}  // namespace torch::executor::native
