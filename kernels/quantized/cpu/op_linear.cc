#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/quantized/cpu/util/integer_layer.h>

namespace torch::executor::native {

Tensor& quantized_linear_out(KernelRuntimeContext& ctx, const Tensor& in, double in_scale,
                             int64_t in_zero_point, const Tensor& weight,
                             const Tensor& weight_scales, const optional<Tensor>& bias,
                             double out_scale, int64_t out_zero_point, int64_t out_quant_min,
                             int64_t out_quant_max, Tensor& out) {
  using namespace util;
  const IntegerLayerArgs args = {in,           in_scale,       in_zero_point,
                                 weight,       weight_scales,  bias.has_value() ? &*bias : nullptr,
                                 out_scale,    out_zero_point, out_quant_min,
                                 out_quant_max};
  IntegerLayer layer;
  if (!check_integer_layer(ctx, args, out, layer) ||
      !require(ctx, weight.dim() == 2 && in.dim() >= 1 && in.size(in.dim() - 1) == weight.size(1),
               "linear needs an [..., k] and an [n, k] tensor") ||
      !require(ctx, is_contiguous(in), "the input must be contiguous")) {
    return out;
  }
  Shape shape(in);
  shape.sizes[shape.rank - 1] = static_cast<SizesType>(weight.size(0));
  if (!resize(ctx, shape, out) || out.numel() == 0 ||
      !require(ctx, is_contiguous(out), "the output must be contiguous")) {
    return out;
  }
  const size_t channels = static_cast<size_t>(weight.size(0));
  const size_t rows = static_cast<size_t>(out.numel()) / channels;
  const size_t blocks = (channels + kTileChannels - 1) / kTileChannels;
  const size_t tiles = (rows + kTileRows - 1) / kTileRows;
  const View from(in);
  const View to(out);
  constexpr size_t kGrain = 32768;
  const size_t work = kTileChannels * kTileRows * (layer.depth + 1);
  parallel_for(tiles * blocks, 1 + kGrain / work, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t row = i / blocks * kTileRows;
      const size_t channel = i % blocks * kTileChannels;
      const IntegerTile tile = {
          rows - row < kTileRows ? rows - row : kTileRows,
          channel,
          channels - channel < kTileChannels ? channels - channel : kTileChannels,
          element_at(to, static_cast<ptrdiff_t>(row * channels + channel)),
          static_cast<ptrdiff_t>(channels),
          1};
      run_tile(layer, tile, [&](size_t r, size_t first, size_t n, int16_t* x) {
        const size_t at = (row + r) * layer.depth + first;
        load_integers(layer.dtype, element_at(from, static_cast<ptrdiff_t>(at)), n,
                      layer.zero_point, x);
      });
    }
  });
  return out;
}

}  // namespace torch::executor::native
