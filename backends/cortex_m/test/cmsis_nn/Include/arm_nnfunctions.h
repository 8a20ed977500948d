/* The functions of CMSIS-NN's documented interface that the kernels here call. */
#pragma once

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params* conv_params,
                                                const cmsis_nn_dims* input_dims,
                                                const cmsis_nn_dims* filter_dims,
                                                const cmsis_nn_dims* output_dims);
arm_cmsis_nn_status arm_convolve_wrapper_s8(
    const cmsis_nn_context* ctx, const cmsis_nn_conv_params* conv_params,
    const cmsis_nn_per_channel_quant_params* quant_params, const cmsis_nn_dims* input_dims,
    const int8_t* input_data, const cmsis_nn_dims* filter_dims, const int8_t* filter_data,
    const cmsis_nn_dims* bias_dims, const int32_t* bias_data, const cmsis_nn_dims* output_dims,
    int8_t* output_data);

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params* dw_conv_params,
                                                      const cmsis_nn_dims* input_dims,
                                                      const cmsis_nn_dims* filter_dims,
                                                      const cmsis_nn_dims* output_dims);
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(
    const cmsis_nn_context* ctx, const cmsis_nn_dw_conv_params* dw_conv_params,
    const cmsis_nn_per_channel_quant_params* quant_params, const cmsis_nn_dims* input_dims,
    const int8_t* input, const cmsis_nn_dims* filter_dims, const int8_t* filter,
    const cmsis_nn_dims* bias_dims, const int32_t* bias, const cmsis_nn_dims* output_dims,
    int8_t* output);

int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims* filter_dims);
arm_cmsis_nn_status arm_fully_connected_s8(
    const cmsis_nn_context* ctx, const cmsis_nn_fc_params* fc_params,
    const cmsis_nn_per_tensor_quant_params* quant_params, const cmsis_nn_dims* input_dims,
    const int8_t* input_data, const cmsis_nn_dims* filter_dims, const int8_t* filter_data,
    const cmsis_nn_dims* bias_dims, const int32_t* bias_data, const cmsis_nn_dims* output_dims,
    int8_t* output_data);

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context* ctx,
                                    const cmsis_nn_pool_params* pool_params,
                                    const cmsis_nn_dims* input_dims, const int8_t* input_data,
                                    const cmsis_nn_dims* filter_dims,
                                    const cmsis_nn_dims* output_dims, int8_t* output_data);

int32_t arm_avgpool_s8_get_buffer_size(const int dim_dst_width, const int ch_src);
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context* ctx,
                                   const cmsis_nn_pool_params* pool_params,
                                   const cmsis_nn_dims* input_dims, const int8_t* input_data,
                                   const cmsis_nn_dims* filter_dims,
                                   const cmsis_nn_dims* output_dims, int8_t* output_data);

void arm_softmax_s8(const int8_t* input, const int32_t num_rows, const int32_t row_size,
                    const int32_t mult, const int32_t shift, const int32_t diff_min,
                    int8_t* output);

#ifdef __cplusplus
}
#endif
