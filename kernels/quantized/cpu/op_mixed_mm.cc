#include <executorch/kernels/portable/cpu/internal/gemm.h>
#include <executorch/kernels/quantized/cpu/util/affine.h>

namespace torch::executor::native {
namespace {

/// A matrix of int8 with scales, as the right side of a product.
struct Weight {
  util::View values;
  util::View scales;
  const util::View* zero_points;  // as the scales, or null
  /// Strides of the product's inner and outer dimension, and of the same in the scales.
  ptrdiff_t inner;
  ptrdiff_t outer;
  ptrdiff_t scale_inner;
  ptrdiff_t scale_outer;
  size_t group;  // inner elements with one scale

  float at(size_t k, size_t n) const {
    const ptrdiff_t scale_at =
        static_cast<ptrdiff_t>(k / group) * scale_inner + static_cast<ptrdiff_t>(n) * scale_outer;
    const float q = static_cast<float>(reinterpret_cast<const int8_t*>(
        values.data)[static_cast<ptrdiff_t>(k) * inner + static_cast<ptrdiff_t>(n) * outer]);
    const float zero_point =
        zero_points == nullptr ? 0.0f : util::get_element<float>(*zero_points, scale_at);
    return (q - zero_point) * util::get_element<float>(scales, scale_at);
  }
};

void pack(const void* self, size_t k, size_t depth, size_t n, size_t columns, void* panel_bytes) {
  const Weight& weight = *static_cast<const Weight*>(self);
  constexpr size_t kColumns = util::GemmTile<float>::kColumns;
  float* panel = static_cast<float*>(panel_bytes);
  for (size_t i = 0; i < depth; ++i) {
    for (size_t j = 0; j < kColumns; ++j) {
      panel[i * kColumns + j] = j < columns ? weight.at(k + i, n + j) : 0.0f;
    }
  }
}

bool check(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight, const Tensor& scales,
           const optional<Tensor>& zero_points, const Tensor& out) {
  return util::require_floating(ctx, in) && util::require_floating(ctx, out) &&
         util::require(ctx, weight.scalar_type() == ScalarType::Char && weight.dim() == 2,
                       "the weight must be a matrix of Char") &&
         util::require_floating(ctx, scales) &&
         util::require(ctx, util::is_contiguous(scales) && util::is_contiguous(in),
                       "the input and the scales must be contiguous") &&
         (!zero_points.has_value() ||
          (util::require_real(ctx, *zero_points) &&
           util::require(
               ctx, util::same_shape(*zero_points, scales) && util::is_contiguous(*zero_points),
               "the zero points must have the shape of the scales")));
}

/// out[m, n] = in[m, k] * weight.
void multiply(const Tensor& in, size_t m, size_t k, size_t n, const Weight& weight, Tensor& out) {
  const util::GemmLeft left = {in.const_data_ptr(), in.scalar_type(), static_cast<ptrdiff_t>(k), 1};
  const util::GemmRight right = {&weight, pack};
  const util::GemmOut target = {out.mutable_data_ptr(), out.scalar_type(),
                                static_cast<ptrdiff_t>(n), 1};
  util::gemm(util::Compute::kFloat, m, n, k, left, right, target);
}

}  // namespace

Tensor& quantized_mixed_mm_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
                               const Tensor& weight_scales,
                               const optional<Tensor>& weight_zero_points, Tensor& out) {
  if (!check(ctx, in, weight, weight_scales, weight_zero_points, out) ||
      !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, in.dim() == 2 && in.size(1) == weight.size(0),
                     "mixed_mm needs an [m, k] and a [k, n] matrix") ||
      !util::require(ctx, weight_scales.dim() == 1 && weight_scales.size(0) == weight.size(0),
                     "there must be a scale for each row of the weight")) {
    return out;
  }
  const int64_t sizes[2] = {in.size(0), weight.size(1)};
  if (!util::resize(ctx, IntArrayRef(sizes, 2), out) || out.numel() == 0) {
    return out;
  }
  const util::View zero_points =
      weight_zero_points.has_value() ? util::View(*weight_zero_points) : util::View();
  const Weight right = {util::View(weight),
                        util::View(weight_scales),
                        weight_zero_points.has_value() ? &zero_points : nullptr,
                        weight.strides()[0],
                        weight.strides()[1],
                        1,
                        0,
                        1};
  multiply(in, static_cast<size_t>(in.size(0)), static_cast<size_t>(in.size(1)),
           static_cast<size_t>(weight.size(1)), right, out);
  return out;
}

Tensor& quantized_mixed_linear_out(KernelRuntimeContext& ctx, const Tensor& in,
                                   const Tensor& weight, const Tensor& weight_scales,
                                   const optional<Tensor>& weight_zero_points,
                                   optional<ScalarType> dtype, Tensor& out) {
  if (!check(ctx, in, weight, weight_scales, weight_zero_points, out) ||
      !util::require(ctx, out.scalar_type() == dtype.value_or(in.scalar_type()),
                     "dtype must be the output's") ||
      !util::require(ctx, in.dim() >= 1 && in.size(in.dim() - 1) == weight.size(1),
                     "mixed_linear needs an [..., k] and an [n, k] matrix")) {
    return out;
  }
  const int64_t groups = weight_scales.dim() == 2 ? weight_scales.size(1) : 1;
  const int64_t k = weight.size(1);
  if (!util::require(ctx,
                     weight_scales.dim() >= 1 && weight_scales.dim() <= 2 &&
                         weight_scales.size(0) == weight.size(0) && groups > 0,
                     "the scales must be [n] or [n, groups]")) {
    return out;
  }
  util::Shape shape(in);
  shape.sizes[shape.rank - 1] = static_cast<SizesType>(weight.size(0));
  if (!util::resize(ctx, shape, out) || out.numel() == 0 ||
      !util::require(ctx, util::is_contiguous(out), "the output must be contiguous")) {
    return out;
  }
  const util::View zero_points =
      weight_zero_points.has_value() ? util::View(*weight_zero_points) : util::View();
  const size_t group = static_cast<size_t>((k + groups - 1) / groups);
  const Weight right = {util::View(weight),
                        util::View(weight_scales),
                        weight_zero_points.has_value() ? &zero_points : nullptr,
                        weight.strides()[1],
                        weight.strides()[0],
                        1,
                        static_cast<ptrdiff_t>(groups),
                        group > 0 ? group : 1};
  multiply(in, static_cast<size_t>(out.numel() / weight.size(0)), static_cast<size_t>(k),
           static_cast<size_t>(weight.size(0)), right, out);
  return out;
}

}  // namespace torch::executor::native
