#include <cstring>

#include <executorch/tests/fuzz/recipes.h>

namespace executorch {
namespace fuzz {

namespace {

constexpr Recipe kRecipes[] = {
    {"aten::_adaptive_avg_pool2d.out", "*[n,c,h,w] I[2,3] *[n,c,2,3]"},
    {"aten::_embedding_bag.out", "f[n,k] l[c] l[2] F #0 F - F #-1 f[2,k] l[c] l[2] l[2]"},
    {"aten::_fft_c2c.out", "z[n,k] I[1] #0 T z[n,k]"},
    {"aten::_fft_c2r.out", "z[n,3] I[1] #0 #4 f[n,4]"},
    {"aten::_fft_r2c.out", "f[n,4] I[1] #0 T z[n,3]"},
    {"aten::_native_batch_norm_legit.no_stats_out",
     "f[n,c,h] f[c] f[c] T %0.1 %0.001 f[n,c,h] f[c] f[c]"},
    {"aten::_native_batch_norm_legit.out",
     "f[n,c,h] f[c] f[c] f[c] f[c] F %0.1 %0.001 f[n,c,h] f[0] f[0]"},
    {"aten::_native_batch_norm_legit_no_training.out",
     "f[n,c,h] f[c] f[c] f[c] f[c] %0.1 %0.001 f[n,c,h] f[0] f[0]"},
    {"aten::adaptive_max_pool2d.out", "*[n,c,5,6] I[2,3] *[n,c,2,3] l[n,c,2,3]"},
    {"aten::addmm.out", "*[n,k] *[n,c] *[c,k] #1 #1 *[n,k]"},
    {"aten::avg_pool1d.out", "f[n,c,8] I[2] I[2] I[0] F T f[n,c,4]"},
    {"aten::avg_pool2d.out", "f[n,c,6,8] I[2,3] I[2,2] I[0,1] T F - f[n,c,3,5]"},
    {"aten::avg_pool2d_backward.grad_input",
     "f[n,c,3,4] f[n,c,6,8] I[2,2] I[2,2] I[0,0] F T - f[n,c,6,8]"},
    {"aten::bincount.out", "l[n] - #k l[8]"},
    {"aten::bmm.out", "*[n,c,k] *[n,k,w] *[n,c,w]"},
    {"aten::col2im.out", "f[n,8,4] I[4,4] I[2,2] I[1,1] I[0,0] I[2,2] f[n,2,4,4]"},
    {"aten::convolution.out",
     "f[n,c,6,6] f[k,c,3,3] f[k] I[1,1] I[1,1] I[1,1] F I[0,0] #1 f[n,k,6,6]"},
    {"aten::convolution_backward.out",
     "f[n,k,6,6] f[n,c,6,6] f[k,c,3,3] I[k] I[1,1] I[1,1] I[1,1] F I[0,0] #1 B[1,1,1] f[n,c,6,6] "
     "f[k,c,3,3] f[k]"},
    {"aten::embedding.out", "f[9,k] l[n,c] #0 F F f[n,c,k]"},
    {"aten::embedding_dense_backward.out", "f[n,c,k] l[n,c] #9 #0 F f[9,k]"},
    {"aten::gather.out", "*[n,c,6] #1 l[n,c,6] F *[n,c,6]"},
    {"aten::grid_sampler_2d.out", "f[n,c,5,6] f[n,h,w,2] #0 #0 T f[n,c,h,w]"},
    {"aten::im2col.out", "f[n,2,4,4] I[2,2] I[1,1] I[0,0] I[2,2] f[n,8,4]"},
    {"aten::index_select.out", "*[n,c] #1 l[k] *[n,k]"},
    {"aten::masked_select.out", "*[n,c] o[n,c] *[40]"},
    {"aten::max_pool2d_with_indices.out",
     "f[n,c,6,8] I[2,3] I[2,2] I[0,1] I[1,1] T f[n,c,3,5] l[n,c,3,5]"},
    {"aten::max_pool2d_with_indices_backward.grad_input",
     "f[n,c,3,4] f[n,c,6,8] I[2,2] I[2,2] I[0,0] I[1,1] F l[n,c,3,4] f[n,c,6,8]"},
    {"aten::max_pool3d_with_indices.out",
     "f[n,c,4,4,4] I[2,2,2] I[2,2,2] I[0,0,0] I[1,1,1] F f[n,c,2,2,2] l[n,c,2,2,2]"},
    {"aten::mm.out", "*[n,k] *[k,c] *[n,c]"},
    {"aten::native_group_norm.out",
     "f[n,4,h,w] f[4] f[4] #n #4 . #2 %0.001 f[n,4,h,w] f[n,2] f[n,2]"},
    {"aten::native_layer_norm.out", "f[n,c] I[c] f[c] f[c] %0.001 f[n,c] f[n,1] f[n,1]"},
    {"aten::nonzero.out", "*[n,c] l[40,2]"},
    {"aten::pixel_shuffle.out", "*[n,8,h,w] #2 *[n,2,10,10]"},
    {"aten::polar.out", "f[n,c] f[n,c] z[n,c]"},
    {"aten::reflection_pad2d.out", "*[n,6,6] I[1,2,3,0] *[n,9,9]"},
    {"aten::repeat_interleave.Tensor_out", "l[n] - l[40]"},
    {"aten::replication_pad3d.out", "*[n,4,4,4] I[1,2,1,0,1,1] *[n,6,5,7]"},
    {"aten::scatter.src_out", "*[n,6] #1 l[n,6] *[n,6] *[n,6]"},
    {"aten::scatter_add.out", "*[n,6] #1 l[n,6] *[n,6] *[n,6]"},
    {"aten::upsample_bilinear2d.vec_out", "f[n,c,4,4] I[6,8] T - f[n,c,6,8]"},
    {"aten::upsample_nearest2d.vec_out", "f[n,c,4,4] I[6,8] - f[n,c,6,8]"},
    {"aten::view_as_complex_copy.out", "f[n,c,2] z[n,c]"},
    {"aten::view_as_real_copy.out", "z[n,c] f[n,c,2]"},
    {"executorch::grouped_mm.out", "f[n,k] f[c,k,h] i[c] f[n,h]"},
    {"llama::channelwise_gated_delta_rule.out",
     "f[n,c,h,k] f[n,c,h,k] f[n,c,h,w] f[n,c,h,k] f[n,c,h] f[n,c,k,w] f[n,c,h,w] f[n,c,k,w]"},
    {"llama::custom_quantized_sdpa.out",
     "c[1,n,4,8] c[1,9,2,8] c[1,9,2,8] #2 - %0 T - c[1,n,4,1] f[1,n,4,1] c[1,9,2,1] f[1,9,2,1] "
     "c[1,9,2,1] f[1,9,2,1] F f[1,n,4,8]"},
    {"llama::custom_sdpa.out", "f[n,c,4,8] f[n,9,2,8] f[n,9,2,8] #2 - %0 T - f[n,c,4,8]"},
    {"llama::fast_hadamard_transform.out", "f[n,8] f[n,8]"},
    {"llama::gated_delta_rule.out",
     "f[n,c,h,k] f[n,c,h,k] f[n,c,h,w] f[n,c,h] f[n,c,h] f[n,c,k,w] f[n,c,h,w] f[n,c,k,w]"},
    {"llama::linear_4w.out", "f[n,8] b[1,8,32] f[1,2,64] #60 f[n,60]"},
    {"llama::quantized_moe_ffn.out",
     "f[n,6] f[c,6] f[c] b[c,704] b[c,1056] #1 #c #9 #6 #3 #4 =sigmoid %2.5 f[n,6]"},
    {"llama::sdpa_with_kv_cache.out",
     "f[1,n,4,8] f[1,n,2,8] f[1,n,2,8] f[1,9,2,8] f[1,9,2,8] #1 #n - %0 T - f[1,n,4,8]"},
    {"llama::update_cache.out", "*[n,c,2,4] *[n,9,2,4] #1 *[1]"},
    {"llama::update_cache_with_indices.out", "*[n,c,2,4] *[n,9,2,4] #0 l[n,c] *[1]"},
    {"quantized_decomposed::convolution.out",
     "c[n,c,6,6] %0.1 #0 c[k,c,3,3] f[k] f[k] I[1,1] I[1,1] I[1,1] #1 %0.5 #1 #-128 #127 "
     "c[n,k,6,6]"},
    {"quantized_decomposed::dequantize_per_channel.out",
     "c[n,c] f[c] l[c] #1 #-128 #127 yc - f[n,c]"},
    {"quantized_decomposed::dequantize_per_channel_group.out",
     "c[n,8] f[n,2] i[n,2] #-128 #127 yc #4 yf f[n,8]"},
    {"quantized_decomposed::dequantize_per_tensor.Tensor_out",
     "c[n,c] d[1] l[1] #-128 #127 yc - f[n,c]"},
    {"quantized_decomposed::dequantize_per_token.out",
     "c[n,c] d[n,1] l[n,1] #-128 #127 yc yf f[n,c]"},
    {"quantized_decomposed::embedding_2bit.dtype_out",
     "b[9,2] f[9,2] f[9,2] #-2 #1 l[n,c] yf f[n,c,8]"},
    {"quantized_decomposed::embedding_2bit.out", "b[9,2] f[9] f[9] #-2 #1 l[n,c] f[n,c,8]"},
    {"quantized_decomposed::embedding_4bit.dtype_out",
     "b[9,4] f[9,2] f[9,2] #-8 #7 l[n,c] yf f[n,c,8]"},
    {"quantized_decomposed::embedding_4bit.out", "b[9,4] f[9] f[9] #-8 #7 l[n,c] f[n,c,8]"},
    {"quantized_decomposed::embedding_byte.dtype_out",
     "c[9,8] f[9,2] f[9,2] #-128 #127 l[n,c] yf f[n,c,8]"},
    {"quantized_decomposed::embedding_byte.out", "b[9,8] f[9] f[9] #0 #255 l[n,c] f[n,c,8]"},
    {"quantized_decomposed::linear.out",
     "c[n,k] %0.1 #0 c[c,k] f[c] f[c] %0.5 #1 #-128 #127 c[n,c]"},
    {"quantized_decomposed::mixed_linear.out", "f[n,8] c[c,8] f[c,2] - yf f[n,c]"},
    {"quantized_decomposed::mixed_mm.out", "f[n,k] c[k,c] f[k] - f[n,c]"},
    {"quantized_decomposed::quantize_per_channel.out", "f[n,c] f[c] l[c] #1 #-128 #127 yc c[n,c]"},
    {"quantized_decomposed::quantize_per_channel_group.out",
     "f[n,8] f[n,2] i[n,2] #-128 #127 yc #4 c[n,8]"},
    {"quantized_decomposed::quantize_per_tensor.Tensor_out",
     "f[n,c] d[1] l[1] #-128 #127 yc c[n,c]"},
    {"quantized_decomposed::quantize_per_token.out", "f[n,c] d[n,1] l[n,1] #-128 #127 yc c[n,c]"},
};

}  // namespace

const char* recipe_of(const char* name) {
  for (const Recipe& recipe : kRecipes) {
    if (std::strcmp(recipe.name, name) == 0) {
      return recipe.words;
    }
  }
  return nullptr;
}

}  // namespace fuzz
}  // namespace executorch
