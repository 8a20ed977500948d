/* Pools as documented, of one image; softmax in floating point, which is right within a step. */
#include <math.h>

#include "arm_nnfunctions.h"
#include "calls.h"

static arm_cmsis_nn_status pool(const cmsis_nn_pool_params* p, const cmsis_nn_dims* in,
                                const int8_t* input, const cmsis_nn_dims* window,
                                const cmsis_nn_dims* out, int8_t* output, int mean) {
  if (in->n != 1 || out->n != 1 || in->c != out->c) return ARM_CMSIS_NN_ARG_ERROR;
  for (int32_t y = 0; y < out->h; ++y)
    for (int32_t x = 0; x < out->w; ++x)
      for (int32_t c = 0; c < out->c; ++c) {
        int32_t sum = 0, most = INT8_MIN, count = 0;
        for (int32_t ky = 0; ky < window->h; ++ky)
          for (int32_t kx = 0; kx < window->w; ++kx) {
            const int32_t at_y = y * p->stride.h - p->padding.h + ky;
            const int32_t at_x = x * p->stride.w - p->padding.w + kx;
            if (at_y < 0 || at_y >= in->h || at_x < 0 || at_x >= in->w) continue;
            const int32_t value = input[(at_y * in->w + at_x) * in->c + c];
            most = value > most ? value : most;
            sum += value;
            ++count;
          }
        if (mean && count == 0) return ARM_CMSIS_NN_ARG_ERROR;
        int32_t value = mean ? (sum > 0 ? sum + count / 2 : sum - count / 2) / count : most;
        value = value < p->activation.min ? p->activation.min : value;
        *output++ = (int8_t)(value > p->activation.max ? p->activation.max : value);
      }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context* ctx,
                                    const cmsis_nn_pool_params* pool_params,
                                    const cmsis_nn_dims* input_dims, const int8_t* input_data,
                                    const cmsis_nn_dims* filter_dims,
                                    const cmsis_nn_dims* output_dims, int8_t* output_data) {
  (void)ctx;
  note("arm_max_pool_s8");
  return pool(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, 0);
}

int32_t arm_avgpool_s8_get_buffer_size(const int dim_dst_width, const int ch_src) {
  (void)dim_dst_width;
  return ch_src * 4;
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context* ctx,
                                   const cmsis_nn_pool_params* pool_params,
                                   const cmsis_nn_dims* input_dims, const int8_t* input_data,
                                   const cmsis_nn_dims* filter_dims,
                                   const cmsis_nn_dims* output_dims, int8_t* output_data) {
  note("arm_avgpool_s8");
  if (ctx->buf == 0 || ctx->size < input_dims->c * 4) return ARM_CMSIS_NN_ARG_ERROR;
  return pool(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, 1);
}

void arm_softmax_s8(const int8_t* input, const int32_t num_rows, const int32_t row_size,
                    const int32_t mult, const int32_t shift, const int32_t diff_min,
                    int8_t* output) {
  /* The multiplier and the shift are the input's scale with 26 fractional bits. */
  const double scale = (double)mult / 2147483648.0 * pow(2, shift) / 67108864.0;
  note("arm_softmax_s8");
  for (int32_t row = 0; row < num_rows; ++row, input += row_size, output += row_size) {
    int32_t most = INT8_MIN;
    double sum = 0;
    for (int32_t i = 0; i < row_size; ++i) most = input[i] > most ? input[i] : most;
    for (int32_t i = 0; i < row_size; ++i)
      if (input[i] - most >= diff_min) sum += exp((input[i] - most) * scale);
    for (int32_t i = 0; i < row_size; ++i) {
      const double part = input[i] - most < diff_min ? 0 : exp((input[i] - most) * scale) / sum;
      const double value = floor(part * 256 + 0.5) - 128;
      output[i] = (int8_t)(value > 127 ? 127 : value);
    }
  }
}
