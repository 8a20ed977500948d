#include <cmath>
#include <limits>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/quantized/cpu/util/affine.h>

namespace torch::executor::native {
namespace {

using Results = std::tuple<Tensor&, Tensor&>;

/// Least and largest of some elements and 0.
struct Extent {
  double low = 0;
  double high = 0;
};

/// The extent of `n` neighbours in memory.
Extent extent_of(const util::View& view, size_t first, size_t n) {
  const util::FloatLoops& loops = util::float_loops;
  if (view.dtype == ScalarType::Float && n > 0 && loops.smallest != nullptr &&
      loops.largest != nullptr) {
    const float* x =
        reinterpret_cast<const float*>(util::element_at(view, static_cast<ptrdiff_t>(first)));
    const float least = loops.smallest(x, n);
    const float most = loops.largest(x, n);
    // Below, NaN does not count.
    if (least == least) {
      return {least < 0 ? least : 0, most > 0 ? most : 0};
    }
  }
  constexpr size_t kMost = util::kChunkBytes / sizeof(float);
  float buffer[kMost];
  float low = 0;
  float high = 0;
  for (size_t done = 0; done < n; done += kMost) {
    const size_t count = n - done < kMost ? n - done : kMost;
    util::load(util::Compute::kFloat, view.dtype,
               util::element_at(view, static_cast<ptrdiff_t>(first + done)), 1, count, buffer);
    for (size_t i = 0; i < count; ++i) {
      low = buffer[i] < low ? buffer[i] : low;
      high = buffer[i] > high ? buffer[i] : high;
    }
  }
  return {low, high};
}

bool check_outputs(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& scale,
                   const Tensor& zero_point) {
  return util::require_floating(ctx, in) && util::require_floating(ctx, scale) &&
         util::require_real(ctx, zero_point);
}

void write(const Tensor& scale_out, const Tensor& zero_point_out, size_t at, double scale,
           int64_t zero_point) {
  util::put_element(util::View(scale_out), static_cast<ptrdiff_t>(at), scale);
  util::put_element(util::View(zero_point_out), static_cast<ptrdiff_t>(at), zero_point);
}

/// Resizes the outputs to one element for the whole tensor.
bool prepare_whole(KernelRuntimeContext& ctx, const Tensor& in, int64_t quant_min,
                   int64_t quant_max, Tensor& scale_out, Tensor& zero_point_out) {
  const int64_t one = 1;
  return check_outputs(ctx, in, scale_out, zero_point_out) &&
         util::require(ctx, quant_min < quant_max && in.numel() > 0,
                       "quant_min must be below quant_max, and the tensor have an element") &&
         util::resize(ctx, IntArrayRef(&one, 1), scale_out) &&
         util::resize(ctx, IntArrayRef(&one, 1), zero_point_out);
}

/// Resizes the outputs to one element for each row. @returns the number of rows, -1 if it failed.
int64_t prepare_rows(KernelRuntimeContext& ctx, const Tensor& in, Tensor& scale_out,
                     Tensor& zero_point_out) {
  if (!check_outputs(ctx, in, scale_out, zero_point_out) ||
      !util::require(ctx, in.dim() > 0 && in.size(in.dim() - 1) > 0 && util::is_contiguous(in),
                     "the rows must be contiguous and not empty")) {
    return -1;
  }
  util::Shape shape(in);
  shape.sizes[shape.rank - 1] = 1;
  if (!util::resize(ctx, shape, scale_out) || !util::resize(ctx, shape, zero_point_out)) {
    return -1;
  }
  return in.numel() / in.size(in.dim() - 1);
}

}  // namespace

Results choose_qparams_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, int64_t quant_min,
                                  int64_t quant_max, double eps, ScalarType dtype,
                                  Tensor& scale_out, Tensor& zero_point_out) {
  (void)dtype;  // the range says it
  if (prepare_whole(ctx, input, quant_min, quant_max, scale_out, zero_point_out)) {
    const Extent extent = extent_of(util::View(input), 0, static_cast<size_t>(input.numel()));
    double scale = (extent.high - extent.low) / static_cast<double>(quant_max - quant_min);
    scale = scale > eps ? scale : eps;
    const double start =
        static_cast<double>(quant_min) - (scale > 0 ? std::nearbyint(extent.low / scale) : 0);
    const int64_t zero_point = static_cast<int64_t>(start);
    write(scale_out, zero_point_out, 0, scale,
          zero_point < quant_min   ? quant_min
          : zero_point > quant_max ? quant_max
                                   : zero_point);
  }
  return {scale_out, zero_point_out};
}

Results choose_qparams_symmetric_tensor_out(KernelRuntimeContext& ctx, const Tensor& input,
                                            int64_t quant_min, int64_t quant_max, double eps,
                                            ScalarType dtype, Tensor& scale_out,
                                            Tensor& zero_point_out) {
  if (prepare_whole(ctx, input, quant_min, quant_max, scale_out, zero_point_out)) {
    const Extent extent = extent_of(util::View(input), 0, static_cast<size_t>(input.numel()));
    const double size = extent.high > -extent.low ? extent.high : -extent.low;
    const double scale = size / (static_cast<double>(quant_max - quant_min) / 2);
    write(scale_out, zero_point_out, 0, scale > eps ? scale : eps,
          dtype == ScalarType::Byte ? 128 : 0);
  }
  return {scale_out, zero_point_out};
}

Results choose_qparams_per_token_out(KernelRuntimeContext& ctx, const Tensor& input,
                                     ScalarType dtype, Tensor& scale_out, Tensor& zero_point_out) {
  if (!util::require(ctx, dtype == ScalarType::Char, "the dtype must be Char")) {
    return {scale_out, zero_point_out};
  }
  const int64_t rows = prepare_rows(ctx, input, scale_out, zero_point_out);
  const size_t n = rows < 0 ? 0 : static_cast<size_t>(input.size(input.dim() - 1));
  for (int64_t row = 0; row < rows; ++row) {
    const Extent extent = extent_of(util::View(input), static_cast<size_t>(row) * n, n);
    const double size = extent.high > -extent.low ? extent.high : -extent.low;
    write(scale_out, zero_point_out, static_cast<size_t>(row), (size > 1e-5 ? size : 1e-5) / 127,
          0);
  }
  return {scale_out, zero_point_out};
}

Results choose_qparams_per_token_asymmetric_out(KernelRuntimeContext& ctx, const Tensor& input,
                                                ScalarType dtype, Tensor& scale_out,
                                                Tensor& zero_point_out) {
  (void)dtype;  // always the range of Char
  constexpr double kMin = -128;
  constexpr double kMax = 127;
  const int64_t rows = prepare_rows(ctx, input, scale_out, zero_point_out);
  const size_t n = rows < 0 ? 0 : static_cast<size_t>(input.size(input.dim() - 1));
  for (int64_t row = 0; row < rows; ++row) {
    const Extent extent = extent_of(util::View(input), static_cast<size_t>(row) * n, n);
    double scale = (extent.high - extent.low) / (kMax - kMin);
    const double least = static_cast<double>(std::numeric_limits<float>::epsilon());
    scale = scale > least ? scale : least;
    // The end of the range whose error is the larger one becomes exact.
    const double low = extent.low / scale;
    const double high = extent.high / scale;
    double zero_point = (kMin + low) + (kMax + high) > 0 ? kMin - low : kMax - high;
    zero_point = zero_point < kMin ? kMin : zero_point > kMax ? kMax : zero_point;
    write(scale_out, zero_point_out, static_cast<size_t>(row), scale,
          static_cast<int64_t>(std::nearbyint(zero_point)));
  }
  return {scale_out, zero_point_out};
}

}  // namespace torch::executor::native
