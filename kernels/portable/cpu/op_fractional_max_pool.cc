#include <tuple>

#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/volume.h>

namespace torch::executor::native {
namespace {

/// One dimension of a volume: its windows' size, and which random number of a channel moves them.
struct Axis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t kernel = 1;
  size_t sample = 0;
};

struct Outputs {
  Tensor& values;
  Tensor& indices;
};

/// A number as an element of `dtype`: eager places windows by arithmetic in the input's own type.
template <typename C>
C rounded(ScalarType dtype, C x) {
  if (dtype == util::native_dtype(util::ComputeOf<C>::value)) {
    return x;
  }
  char element[sizeof(C)];
  util::store(util::ComputeOf<C>::value, dtype, &x, 1, element);
  util::load(util::ComputeOf<C>::value, dtype, element, 1, 1, &x);
  return x;
}

/// Where window `index` begins: steps whose mean is the share of an output, moved by `sample`.
template <typename C>
int64_t window_start(ScalarType dtype, const Axis& axis, C sample, int64_t index) {
  const int64_t last = axis.in - axis.kernel;
  if (index + 1 == axis.out) {
    return last;
  }
  const C share = rounded<C>(dtype, rounded<C>(dtype, static_cast<C>(last)) /
                                        rounded<C>(dtype, static_cast<C>(axis.out - 1)));
  const C moved = rounded<C>(dtype, rounded<C>(dtype, static_cast<C>(index)) + sample);
  const int64_t start = static_cast<int64_t>(rounded<C>(dtype, moved * share)) -
                        static_cast<int64_t>(rounded<C>(dtype, sample * share));
  return start < last ? start : last;
}

/// The first largest element of a window, or its last NaN.
template <typename C>
struct Best {
  C value = 0;
  int64_t index = -1;

  void take(C other, int64_t at) {
    if (index < 0 || other > value || util::is_nan(other)) {
      value = other;
      index = at;
    }
  }
};

template <typename C>
void pool(const util::View& in, const util::View& samples, const Axis* axis, const util::View& out,
          const util::View& indices) {
  util::for_each_in_volume(out, [&](size_t n, size_t c, size_t d, size_t h, size_t w) {
    const int64_t at[3] = {static_cast<int64_t>(d), static_cast<int64_t>(h),
                           static_cast<int64_t>(w)};
    int64_t first[3];
    for (size_t k = 0; k < 3; ++k) {
      const ptrdiff_t place = static_cast<ptrdiff_t>(n) * samples.stride[0] +
                              static_cast<ptrdiff_t>(c) * samples.stride[1] +
                              static_cast<ptrdiff_t>(axis[k].sample) * samples.stride[2];
      first[k] = window_start(in.dtype, axis[k], util::get_element<C>(samples, place), at[k]);
    }
    Best<C> best;
    for (int64_t z = first[0]; z < first[0] + axis[0].kernel; ++z) {
      for (int64_t y = first[1]; y < first[1] + axis[1].kernel; ++y) {
        for (int64_t x = first[2]; x < first[2] + axis[2].kernel; ++x) {
          best.take(util::get_element<C>(in, util::volume_offset(in, n, c, z, y, x)),
                    (z * axis[1].in + y) * axis[2].in + x);
        }
      }
    }
    util::put_element<C>(out, util::volume_offset(out, n, c, at[0], at[1], at[2]), best.value);
    util::put_element<int64_t>(indices, util::volume_offset(indices, n, c, at[0], at[1], at[2]),
                               best.index);
  });
}

/// Requires a number from 0 to 1 for each channel and spatial dimension.
bool require_samples(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& samples,
                     size_t spatial) {
  const ssize_t channels = in.dim() - static_cast<ssize_t>(spatial) - 1;
  if (!util::require_same_dtype(ctx, in, samples) ||
      !util::require(ctx,
                     samples.dim() == 3 && samples.size(0) == (channels == 0 ? 1 : in.size(0)) &&
                         samples.size(1) == in.size(channels) &&
                         samples.size(2) == static_cast<ssize_t>(spatial),
                     "needs a random number for each channel and spatial dimension")) {
    return false;
  }
  const util::View view(samples);
  bool inside = true;
  util::for_each_offset(view, [&](ptrdiff_t offset) {
    const double x = util::get_element<double>(view, offset);
    inside = inside && x >= 0 && x <= 1;
  });
  return util::require(ctx, inside, "random numbers must be from 0 to 1");
}

/// Reads the arguments. @param axis Three, of which the last ones are written.
bool check(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef kernel, IntArrayRef size,
           size_t spatial, Axis* axis, util::Shape& shape) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_floating(ctx, in) ||
      !util::require(ctx, rank == spatial + 1 || rank == spatial + 2,
                     "pooling needs an image of its spatial dimensions, channels and at most a "
                     "batch") ||
      !util::require(ctx, kernel.size() == spatial && size.size() == spatial,
                     "needs a size for each spatial dimension")) {
    return false;
  }
  shape = util::Shape(in);
  for (size_t d = 0; d < spatial; ++d) {
    Axis& to = axis[3 - spatial + d];
    const size_t at = rank - spatial + d;
    // Of an image, the first number moves windows sideways.
    to = {in.size(static_cast<ssize_t>(at)), size[d], kernel[d], spatial == 2 ? 1 - d : d};
    if (!util::require(ctx,
                       to.kernel > 0 && to.out > 0 && to.kernel <= to.in && to.out <= to.in &&
                           to.out + to.kernel - 1 <= to.in,
                       "windows and output must fit into the image")) {
      return false;
    }
    shape.sizes[at] = static_cast<SizesType>(to.out);
  }
  return util::require(ctx, in.size(static_cast<ssize_t>(rank - spatial - 1)) > 0,
                       "the image must have channels");
}

void fractional_max_pool(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef kernel,
                         IntArrayRef size, const Tensor& samples, size_t spatial,
                         const Outputs& to) {
  Axis axis[3];
  util::Shape shape;
  if (!check(ctx, in, kernel, size, spatial, axis, shape) ||
      !require_samples(ctx, in, samples, spatial) ||
      !util::require_same_dtype(ctx, in, to.values) ||
      !util::require(ctx, to.indices.scalar_type() == ScalarType::Long,
                     "the indices must be Long") ||
      !util::resize(ctx, shape, to.values) || !util::resize(ctx, shape, to.indices)) {
    return;
  }
  const util::View source = util::as_volume(in, spatial);
  const util::View values = util::as_volume(to.values, spatial);
  const util::View indices = util::as_volume(to.indices, spatial);
  if (util::arithmetic_compute(in.scalar_type()) == util::Compute::kDouble) {
    pool<double>(source, util::View(samples), axis, values, indices);
  } else {
    pool<float>(source, util::View(samples), axis, values, indices);
  }
}

}  // namespace

std::tuple<Tensor&, Tensor&> fractional_max_pool2d_output(KernelRuntimeContext& ctx,
                                                          const Tensor& in, IntArrayRef kernel_size,
                                                          IntArrayRef output_size,
                                                          const Tensor& random_samples,
                                                          Tensor& output, Tensor& indices) {
  fractional_max_pool(ctx, in, kernel_size, output_size, random_samples, 2, {output, indices});
  return {output, indices};
}

std::tuple<Tensor&, Tensor&> fractional_max_pool3d_output(KernelRuntimeContext& ctx,
                                                          const Tensor& in, IntArrayRef kernel_size,
                                                          IntArrayRef output_size,
                                                          const Tensor& random_samples,
                                                          Tensor& output, Tensor& indices) {
  fractional_max_pool(ctx, in, kernel_size, output_size, random_samples, 3, {output, indices});
  return {output, indices};
}

}  // namespace torch::executor::native
