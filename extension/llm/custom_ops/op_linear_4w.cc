#include <executorch/extension/llm/custom_ops/op_linear_4w.h>
#include <executorch/extension/llm/custom_ops/weight_4w.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

bool check(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
           const Tensor& scales, int64_t columns, const Tensor& out) {
  const auto is_float = [](const Tensor& t) { return t.scalar_type() == ScalarType::Float; };
  if (!util::require(ctx, is_float(input) && is_float(scales) && is_float(out),
                     "input, scales and output must be Float") ||
      !util::require(ctx,
                     weight.scalar_type() == ScalarType::Byte && weight.dim() == 3 &&
                         weight.size(2) == static_cast<ssize_t>(kBytes4w),
                     "the weight must be Byte, [blocks, k, 32]") ||
      !util::require(ctx, input.dim() >= 1 && input.size(input.dim() - 1) == weight.size(1),
                     "the input must be [..., k]") ||
      !util::require(ctx,
                     scales.dim() == 3 && scales.size(0) == weight.size(0) &&
                         scales.size(2) == static_cast<ssize_t>(kColumns4w) && scales.size(1) > 0 &&
                         weight.size(1) % scales.size(1) == 0,
                     "the scales must be [blocks, groups, 64], of groups that divide k")) {
    return false;
  }
  const int64_t most = int64_t{weight.size(0)} * static_cast<int64_t>(kColumns4w);
  return util::require(
             ctx,
             columns >= 0 && columns <= most && most - columns < static_cast<int64_t>(kColumns4w),
             "there must be as many columns as the blocks have, the last of which may be filled "
             "up") &&
         util::require(ctx,
                       util::is_contiguous(input) && util::is_contiguous(weight) &&
                           util::is_contiguous(scales),
                       "input, weight and scales must be contiguous");
}

}  // namespace

Tensor& linear_4w_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                      const Tensor& scales, int64_t columns, Tensor& out) {
  if (!check(ctx, input, weight, scales, columns, out)) {
    return out;
  }
  util::Shape shape(input);
  shape.sizes[shape.rank - 1] = static_cast<SizesType>(columns);
  if (!util::resize(ctx, shape, out) || out.numel() == 0 ||
      !util::require(ctx, util::is_contiguous(out), "the output must be contiguous")) {
    return out;
  }
  const size_t n = static_cast<size_t>(columns);
  const size_t k = static_cast<size_t>(weight.size(1));
  const size_t groups = static_cast<size_t>(scales.size(1));
  const size_t m = static_cast<size_t>(out.numel()) / n;
  const Weight4w right = {weight.const_data_ptr<uint8_t>(), scales.const_data_ptr<float>(), k,
                          groups, k == 0 ? 1 : k / groups};
  multiply_4w(right, input.const_data_ptr<float>(), m, n, out.mutable_data_ptr<float>());
  return out;
}

}  // namespace torch::executor::native
