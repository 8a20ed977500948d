/**
 * @file
 * Checks of the arguments of gathers, scatters and selections. They log what is wrong.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/// Of `gather`, with the range of every index.
bool check_gather_args(const Tensor& in, int64_t dim, const Tensor& index, bool sparse_grad,
                       Tensor& output);

/// Of `index_select`, with the range of every index.
bool check_index_select_args(const Tensor& in, int64_t dim, const Tensor& index, Tensor& out);
void get_index_select_out_target_size(const Tensor& in, int64_t dim, const Tensor& index,
                                      SizesType* out_sizes, size_t* out_ndim);

bool check_nonzero_args(const Tensor& in, const Tensor& out);

/// Of `scatter` and `scatter_add`, with the range of every index.
bool check_scatter_add_args(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                            Tensor& out);
bool check_scatter_src_args(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                            Tensor& out);
bool check_scatter_value_args(const Tensor& self, int64_t dim, const Tensor& index,
                              const Scalar& value, Tensor& out);

bool check_select_scatter_args(const Tensor& in, const Tensor& src, int64_t dim, int64_t index,
                               Tensor& output);

}  // namespace torch::executor
