#include <cmath>

#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/upsample.h>
#include <executorch/kernels/portable/cpu/internal/volume.h>

namespace torch::executor::native::util {
namespace {

/// The input index that an output index shows.
template <typename Float>
size_t nearest_index(size_t index, const UpsampleDim& dim, Nearest nearest) {
  const Float at = nearest == Nearest::kCenter ? static_cast<Float>(index) + Float(0.5)
                                               : static_cast<Float>(index);
  const Float scaled = std::floor(at * static_cast<Float>(dim.scale));
  // A program may give any factor.
  const Float last = static_cast<Float>(dim.in - 1);
  const Float inside = scaled > 0 ? (scaled < last ? scaled : last) : 0;
  return static_cast<size_t>(inside);
}

size_t nearest_index(ScalarType dtype, size_t index, const UpsampleDim& dim, Nearest nearest) {
  return dtype == ScalarType::Double ? nearest_index<double>(index, dim, nearest)
                                     : nearest_index<float>(index, dim, nearest);
}

/// to[i * step] = from[at[i]]: elements of T, by their place in bytes.
template <typename T>
void pick(const char* from, const ptrdiff_t* at, size_t n, char* to, ptrdiff_t step) {
  for (size_t i = 0; i < n; ++i) {
    __builtin_memcpy(to + static_cast<ptrdiff_t>(i) * step, from + at[i], sizeof(T));
  }
}

void pick(size_t element_size, const char* from, const ptrdiff_t* at, size_t n, char* to,
          ptrdiff_t step) {
  switch (element_size) {
    case 1:
      return pick<uint8_t>(from, at, n, to, step);
    case 2:
      return pick<uint16_t>(from, at, n, to, step);
    case 4:
      return pick<uint32_t>(from, at, n, to, step);
    default:
      return pick<uint64_t>(from, at, n, to, step);
  }
}

}  // namespace

double upsample_scale(const UpsampleDim& dim, bool align_corners, bool single) {
  if (align_corners && dim.out < 2) {
    return 0;
  }
  const double scale = align_corners
                           ? static_cast<double>(dim.in - 1) / static_cast<double>(dim.out - 1)
                           : dim.scale;
  // A program may give any factor; so large a one leads out of every image.
  constexpr double kMost = 1e30;
  return upsample_rounded(scale < kMost ? scale : kMost, single);
}

double upsample_position(size_t out, double scale, bool align_corners, bool single) {
  const double pixel = static_cast<double>(out);
  return upsample_rounded(align_corners ? pixel * scale : (pixel + 0.5) * scale - 0.5, single);
}

bool check_upsample(KernelRuntimeContext& ctx, const Tensor& in, size_t spatial,
                    const OptionalArrayRef<int64_t>& output_size,
                    const OptionalArrayRef<double>& scale_factors, UpsampleDim* dim, Tensor& out) {
  if (!require_real(ctx, in) || !require_same_dtype(ctx, in, out) ||
      !require(ctx, static_cast<size_t>(in.dim()) == spatial + 2,
               "the image must have a batch, channels and the operator's spatial dimensions") ||
      !require(ctx, output_size.has_value() != scale_factors.has_value(),
               "exactly one of output_size and scale_factors must be given") ||
      !require(ctx, !output_size.has_value() || output_size->size() == spatial,
               "output_size must have an entry for each spatial dimension") ||
      !require(ctx, !scale_factors.has_value() || scale_factors->size() == spatial,
               "scale_factors must have an entry for each spatial dimension")) {
    return false;
  }
  Shape shape(in);
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t size = in.size(static_cast<ssize_t>(2 + d));
    const double out_size = output_size.has_value()
                                ? static_cast<double>((*output_size)[d])
                                : static_cast<double>(size) * (*scale_factors)[d];
    if (!require(ctx, size > 0 && out_size >= 1 && out_size <= INT32_MAX,
                 "a size of the image is out of range")) {
      return false;
    }
    shape.sizes[2 + d] = static_cast<SizesType>(out_size);
    dim[d].in = static_cast<size_t>(size);
    dim[d].out = static_cast<size_t>(out_size);
    dim[d].scale = scale_factors.has_value()
                       ? 1.0 / (*scale_factors)[d]
                       : static_cast<double>(size) / static_cast<double>(dim[d].out);
  }
  return resize(ctx, shape, out);
}

bool check_upsample(KernelRuntimeContext& ctx, const Tensor& in, size_t spatial,
                    IntArrayRef output_size, const optional<double>* scales, UpsampleDim* dim,
                    Tensor& out) {
  if (!check_upsample(ctx, in, spatial, OptionalArrayRef<int64_t>(output_size),
                      OptionalArrayRef<double>(), dim, out)) {
    return false;
  }
  for (size_t d = 0; d < spatial; ++d) {
    if (!scales[d].has_value() || !(*scales[d] > 0)) {
      continue;
    }
    dim[d].scale = 1.0 / *scales[d];
    if (!require(ctx, dim[d].scale <= INT32_MAX, "a scale is out of range")) {
      return false;
    }
  }
  return true;
}

void upsample_nearest(const Tensor& in, size_t spatial, const UpsampleDim* dim, Nearest nearest,
                      const Tensor& out) {
  const View source = as_volume(in, spatial);
  const View target = as_volume(out, spatial);
  // Dimensions that the image does not have map index 0 to itself.
  UpsampleDim dims[kMostSpatial] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  for (size_t d = 0; d < spatial; ++d) {
    UpsampleDim& to = dims[kMostSpatial - spatial + d];
    to = dim[d];
    // Eager, in two dimensions, looks at the factor only where lines are not copied or doubled.
    if (spatial == 2 && nearest == Nearest::kCorner && (to.out == to.in || to.out == 2 * to.in)) {
      to.scale = static_cast<double>(to.in) / static_cast<double>(to.out);
    }
  }
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(source.element_size);
  constexpr size_t kMost = kChunkBytes / sizeof(ptrdiff_t);
  const size_t lines = target.numel() / target.size[4];
  constexpr size_t kGrain = 16384;
  parallel_for(lines, 1 + kGrain / target.size[4], [&](size_t begin, size_t end) {
    ptrdiff_t columns[kMost];
    for (size_t first = 0; first < target.size[4]; first += kMost) {
      const size_t left = target.size[4] - first;
      const size_t n = left < kMost ? left : kMost;
      for (size_t i = 0; i < n; ++i) {
        const size_t column = nearest_index(source.dtype, first + i, dims[2], nearest);
        columns[i] = static_cast<ptrdiff_t>(column) * source.stride[4] * bytes;
      }
      for (size_t line = begin; line < end; ++line) {
        const VolumeLine at(target, line);
        const size_t d = nearest_index(source.dtype, at.d, dims[0], nearest);
        const size_t h = nearest_index(source.dtype, at.h, dims[1], nearest);
        const ptrdiff_t from =
            volume_offset(source, at.n, at.c, static_cast<int64_t>(d), static_cast<int64_t>(h), 0);
        const ptrdiff_t to = volume_offset(target, at.n, at.c, static_cast<int64_t>(at.d),
                                           static_cast<int64_t>(at.h), static_cast<int64_t>(first));
        pick(source.element_size, element_at(source, from), columns, n, element_at(target, to),
             target.stride[4] * bytes);
      }
    }
  });
}

Tensor& nearest_out(KernelRuntimeContext& ctx, const Tensor& in, size_t spatial,
                    IntArrayRef output_size, const optional<double>* scales, Nearest nearest,
                    Tensor& out) {
  UpsampleDim dim[kMostSpatial];
  if (check_upsample(ctx, in, spatial, output_size, scales, dim, out)) {
    upsample_nearest(in, spatial, dim, nearest, out);
  }
  return out;
}

}  // namespace torch::executor::native::util
