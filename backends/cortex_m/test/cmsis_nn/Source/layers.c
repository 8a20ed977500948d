/* What the documented functions calculate, in plain C, and a note of each call, by which a test
 * knows that they were called. */
#include "arm_nnfunctions.h"
#include "calls.h"

static int32_t scaled(int32_t sum, int32_t multiplier, int32_t shift) {
  const int32_t right = shift > 0 ? 0 : -shift;
  const int32_t shifted = (int32_t)((uint32_t)sum << (shift > 0 ? shift : 0));
  const int32_t high = (int32_t)(((int64_t)shifted * multiplier + (1ll << 30)) >> 31);
  const int64_t half = right == 0 ? 0 : 1ll << (right - 1);
  /* Halves go away from zero. */
  return (int32_t)((high + half - (high < 0 && right != 0 ? 1 : 0)) >> right);
}

static int8_t finished(int32_t sum, int32_t multiplier, int32_t shift, int32_t offset,
                       cmsis_nn_activation limits) {
  int32_t value = scaled(sum, multiplier, shift) + offset;
  value = value < limits.min ? limits.min : value;
  return (int8_t)(value > limits.max ? limits.max : value);
}

/* Whether memory of the size that was asked for came. */
static int has_memory(const cmsis_nn_context* ctx, int32_t bytes) {
  return ctx->size >= bytes && (bytes == 0 || ctx->buf != 0);
}

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params* conv_params,
                                                const cmsis_nn_dims* input_dims,
                                                const cmsis_nn_dims* filter_dims,
                                                const cmsis_nn_dims* output_dims) {
  (void)conv_params, (void)output_dims;
  return 4 * filter_dims->h * filter_dims->w * input_dims->c;
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(
    const cmsis_nn_context* ctx, const cmsis_nn_conv_params* conv_params,
    const cmsis_nn_per_channel_quant_params* quant_params, const cmsis_nn_dims* input_dims,
    const int8_t* input_data, const cmsis_nn_dims* filter_dims, const int8_t* filter_data,
    const cmsis_nn_dims* bias_dims, const int32_t* bias_data, const cmsis_nn_dims* output_dims,
    int8_t* output_data) {
  const cmsis_nn_conv_params* p = conv_params;
  note("arm_convolve_wrapper_s8");
  if (!has_memory(ctx, 4 * filter_dims->h * filter_dims->w * input_dims->c) ||
      bias_dims->c != output_dims->c || filter_dims->n != output_dims->c ||
      filter_dims->c != input_dims->c) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  for (int32_t n = 0; n < output_dims->n; ++n)
    for (int32_t y = 0; y < output_dims->h; ++y)
      for (int32_t x = 0; x < output_dims->w; ++x)
        for (int32_t o = 0; o < output_dims->c; ++o) {
          int32_t sum = bias_data == 0 ? 0 : bias_data[o];
          for (int32_t ky = 0; ky < filter_dims->h; ++ky)
            for (int32_t kx = 0; kx < filter_dims->w; ++kx) {
              const int32_t at_y = y * p->stride.h - p->padding.h + ky * p->dilation.h;
              const int32_t at_x = x * p->stride.w - p->padding.w + kx * p->dilation.w;
              if (at_y < 0 || at_y >= input_dims->h || at_x < 0 || at_x >= input_dims->w) continue;
              const int8_t* from =
                  input_data + ((n * input_dims->h + at_y) * input_dims->w + at_x) * input_dims->c;
              const int8_t* w =
                  filter_data + ((o * filter_dims->h + ky) * filter_dims->w + kx) * filter_dims->c;
              for (int32_t i = 0; i < input_dims->c; ++i) sum += (from[i] + p->input_offset) * w[i];
            }
          *output_data++ = finished(sum, quant_params->multiplier[o], quant_params->shift[o],
                                    p->output_offset, p->activation);
        }
  return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params* dw_conv_params,
                                                      const cmsis_nn_dims* input_dims,
                                                      const cmsis_nn_dims* filter_dims,
                                                      const cmsis_nn_dims* output_dims) {
  (void)dw_conv_params, (void)output_dims;
  return 2 * filter_dims->h * filter_dims->w * input_dims->c;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(
    const cmsis_nn_context* ctx, const cmsis_nn_dw_conv_params* dw_conv_params,
    const cmsis_nn_per_channel_quant_params* quant_params, const cmsis_nn_dims* input_dims,
    const int8_t* input, const cmsis_nn_dims* filter_dims, const int8_t* filter,
    const cmsis_nn_dims* bias_dims, const int32_t* bias, const cmsis_nn_dims* output_dims,
    int8_t* output) {
  const cmsis_nn_dw_conv_params* p = dw_conv_params;
  note("arm_depthwise_conv_wrapper_s8");
  if (!has_memory(ctx, 2 * filter_dims->h * filter_dims->w * input_dims->c) ||
      bias_dims->c != output_dims->c || filter_dims->c != output_dims->c ||
      p->ch_mult * input_dims->c != output_dims->c) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  for (int32_t n = 0; n < output_dims->n; ++n)
    for (int32_t y = 0; y < output_dims->h; ++y)
      for (int32_t x = 0; x < output_dims->w; ++x)
        for (int32_t o = 0; o < output_dims->c; ++o) {
          int32_t sum = bias[o];
          for (int32_t ky = 0; ky < filter_dims->h; ++ky)
            for (int32_t kx = 0; kx < filter_dims->w; ++kx) {
              const int32_t at_y = y * p->stride.h - p->padding.h + ky * p->dilation.h;
              const int32_t at_x = x * p->stride.w - p->padding.w + kx * p->dilation.w;
              if (at_y < 0 || at_y >= input_dims->h || at_x < 0 || at_x >= input_dims->w) continue;
              const int32_t pixel = (n * input_dims->h + at_y) * input_dims->w + at_x;
              sum += (input[pixel * input_dims->c + o / p->ch_mult] + p->input_offset) *
                     filter[(ky * filter_dims->w + kx) * filter_dims->c + o];
            }
          *output++ = finished(sum, quant_params->multiplier[o], quant_params->shift[o],
                               p->output_offset, p->activation);
        }
  return ARM_CMSIS_NN_SUCCESS;
}

/* With Helium the buffer has a sum for each output, otherwise there is none. */
int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims* filter_dims) {
  return getenv("CMSIS_NN_HELIUM") == NULL ? 0 : filter_dims->c * 4;
}

arm_cmsis_nn_status arm_fully_connected_s8(
    const cmsis_nn_context* ctx, const cmsis_nn_fc_params* fc_params,
    const cmsis_nn_per_tensor_quant_params* quant_params, const cmsis_nn_dims* input_dims,
    const int8_t* input_data, const cmsis_nn_dims* filter_dims, const int8_t* filter_data,
    const cmsis_nn_dims* bias_dims, const int32_t* bias_data, const cmsis_nn_dims* output_dims,
    int8_t* output_data) {
  const int helium = getenv("CMSIS_NN_HELIUM") != NULL;
  const int32_t* constants = helium ? ctx->buf : bias_data;
  const int32_t offset = helium ? 0 : fc_params->input_offset;
  note("arm_fully_connected_s8");
  if (!has_memory(ctx, helium ? filter_dims->c * 4 : 0) || bias_dims->c != output_dims->c ||
      filter_dims->n != input_dims->c * input_dims->h * input_dims->w ||
      input_dims->n != output_dims->n || fc_params->filter_offset != 0) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  for (int32_t row = 0; row < output_dims->n; ++row)
    for (int32_t o = 0; o < output_dims->c; ++o) {
      int32_t sum = constants == NULL ? 0 : constants[o];
      for (int32_t i = 0; i < filter_dims->n; ++i)
        sum +=
            (input_data[row * filter_dims->n + i] + offset) * filter_data[o * filter_dims->n + i];
      *output_data++ = finished(sum, quant_params->multiplier, quant_params->shift,
                                fc_params->output_offset, fc_params->activation);
    }
  return ARM_CMSIS_NN_SUCCESS;
}
