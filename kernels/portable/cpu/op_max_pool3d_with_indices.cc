#include <tuple>

#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/volume.h>

namespace torch::executor::native {
namespace {

using util::PoolDim;

/// The taps [begin, end) of the window at `first` that are inside the input.
struct Taps {
  int64_t begin;
  int64_t end;

  Taps(const PoolDim& d, int64_t first)
      : begin(first >= 0 ? 0 : (-first + d.dilation - 1) / d.dilation),
        end(first >= d.in ? 0 : (d.in - 1 - first) / d.dilation + 1) {
    end = end < d.kernel ? end : d.kernel;
  }
};

template <typename C>
void max_pool(const util::View& in, const PoolDim* dim, const util::View& out,
              const util::View& indices) {
  util::for_each_in_volume(out, [&](size_t n, size_t c, size_t d, size_t h, size_t w) {
    const int64_t at[3] = {static_cast<int64_t>(d), static_cast<int64_t>(h),
                           static_cast<int64_t>(w)};
    int64_t first[3];
    for (size_t k = 0; k < 3; ++k) {
      first[k] = at[k] * dim[k].stride - dim[k].padding;
    }
    const Taps depth(dim[0], first[0]);
    const Taps rows(dim[1], first[1]);
    const Taps columns(dim[2], first[2]);
    C best = 0;
    int64_t index = -1;
    for (int64_t kz = depth.begin; kz < depth.end; ++kz) {
      for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
        for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
          const int64_t z = first[0] + kz * dim[0].dilation;
          const int64_t y = first[1] + ky * dim[1].dilation;
          const int64_t x = first[2] + kx * dim[2].dilation;
          const C value = util::get_element<C>(in, util::volume_offset(in, n, c, z, y, x));
          if (index < 0 || value > best || util::is_nan(value)) {
            best = value;
            index = (z * dim[1].in + y) * dim[2].in + x;
          }
        }
      }
    }
    util::put_element<C>(out, util::volume_offset(out, n, c, at[0], at[1], at[2]), best);
    util::put_element<int64_t>(indices, util::volume_offset(indices, n, c, at[0], at[1], at[2]),
                               index < 0 ? 0 : index);
  });
}

}  // namespace

std::tuple<Tensor&, Tensor&> max_pool3d_with_indices_out(KernelRuntimeContext& ctx,
                                                         const Tensor& in, IntArrayRef kernel_size,
                                                         IntArrayRef stride, IntArrayRef padding,
                                                         IntArrayRef dilation, bool ceil_mode,
                                                         Tensor& out, Tensor& indices) {
  const std::tuple<Tensor&, Tensor&> result(out, indices);
  PoolDim dim[3];
  util::Shape shape;
  if (!util::check_pool(ctx, in, kernel_size, stride, padding, dilation, ceil_mode, dim, shape,
                        3) ||
      !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, in.scalar_type() != ScalarType::Bool,
                     "max_pool3d is not defined for Bool") ||
      !util::require(ctx, indices.scalar_type() == ScalarType::Long, "the indices must be Long") ||
      !util::resize(ctx, shape, out) || !util::resize(ctx, shape, indices)) {
    return result;
  }
  util::with_arithmetic_type(in.scalar_type(), [&](auto zero) {
    max_pool<decltype(zero)>(util::as_volume(in, 3), dim, util::as_volume(out, 3),
                             util::as_volume(indices, 3));
  });
  return result;
}

}  // namespace torch::executor::native
