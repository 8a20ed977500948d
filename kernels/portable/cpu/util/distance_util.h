/**
 * @file
 * p-norm distances between vectors: checks of their operators' arguments, which log what is wrong,
 * and the distances of all pairs.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/internal/distance.h>
#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

bool check_pdist_args(const Tensor& in, double p, const Tensor& out);
void get_pdist_out_target_size(const Tensor& in, SizesType* out_sizes, size_t* out_ndim);

bool check_cdist_args(const Tensor& x1, const Tensor& x2, double p, optional<int64_t> compute_mode,
                      const Tensor& out);

/// Writes the distances between row i and row j > i, in the order of the pairs (i, j). CTYPE is the
/// element type of both.
template <typename CTYPE>
void pdist(const Tensor& in, Tensor& out, double p) {
  const CTYPE* const rows = in.const_data_ptr<CTYPE>();
  CTYPE* target = out.mutable_data_ptr<CTYPE>();
  const size_t count = static_cast<size_t>(in.size(0));
  const size_t length = static_cast<size_t>(in.size(1));
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i + 1; j < count; ++j) {
      *target++ = static_cast<CTYPE>(
          native::util::distance(in.scalar_type(), reinterpret_cast<const char*>(rows + i * length),
                                 reinterpret_cast<const char*>(rows + j * length), length, p));
    }
  }
}

}  // namespace torch::executor
