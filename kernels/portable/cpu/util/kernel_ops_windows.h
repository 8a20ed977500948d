/**
 * @file
 * The loop over windows that kernel_ops_util.h declares. Include that one.
 */
#pragma once

#include <tuple>

#include <executorch/kernels/portable/cpu/util/kernel_ops_util.h>

namespace torch::executor {
namespace internal {

/// Along one dimension: where windows begin, how far their elements are apart, what is inside.
struct WindowDim {
  int64_t in;
  int64_t kernel;
  int64_t step;
  int64_t padding;
  int64_t dilation;

  WindowDim(const Tensor& t, size_t i, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef pad,
            IntArrayRef dilate)
      : in(t.size(t.dim() - 2 + static_cast<ssize_t>(i))),
        kernel(val_at(kernel_size, i)),
        step(stride.empty() ? kernel : val_at(stride, i)),
        padding(val_at(pad, i, 0)),
        dilation(val_at(dilate, i)) {}

  int64_t position(int64_t out_index, int64_t kernel_index) const {
    return out_index * step - padding + kernel_index * dilation;
  }
  bool is_inside(int64_t index) const { return index >= 0 && index < in; }
  /// The last window may reach beyond the padding; that does not count.
  bool is_counted(int64_t index) const { return index < in + padding; }
};

}  // namespace internal

template <typename CTYPE, typename ReduceOp, typename MapOp>
void apply_kernel_2d_reduce_then_map_fn(const ReduceOp& reduce_fn, const MapOp& map_fn,
                                        const bool include_pad, const Tensor& in,
                                        const IntArrayRef kernel_size, const IntArrayRef stride,
                                        const IntArrayRef padding, const IntArrayRef dilation,
                                        Tensor& out, optional<Tensor> indices) {
  const internal::WindowDim rows(in, 0, kernel_size, stride, padding, dilation);
  const internal::WindowDim columns(in, 1, kernel_size, stride, padding, dilation);
  const CTYPE* const source = in.const_data_ptr<CTYPE>();
  CTYPE* const target = out.mutable_data_ptr<CTYPE>();
  int64_t* const index_target =
      indices.has_value() ? indices->template mutable_data_ptr<int64_t>() : nullptr;
  const size_t rank = in.sizes().size();
  const auto fold_window = [&](int64_t row, int64_t column, ptrdiff_t base, size_t at) {
    CTYPE value{};
    int64_t index = 0;
    int64_t count = 0;
    for (int64_t r = 0; r < rows.kernel; ++r) {
      for (int64_t c = 0; c < columns.kernel; ++c) {
        const int64_t y = rows.position(row, r);
        const int64_t x = columns.position(column, c);
        const bool is_inside = rows.is_inside(y) && columns.is_inside(x);
        if (!is_inside && !(include_pad && rows.is_counted(y) && columns.is_counted(x))) {
          continue;
        }
        const CTYPE element =
            is_inside ? source[base + y * in.strides()[rank - 2] + x * in.strides()[rank - 1]]
                      : CTYPE(0);
        const int64_t element_index = y * columns.in + x;
        if (count++ == 0) {
          value = element;
          index = element_index;
        } else {
          std::tie(value, index) = reduce_fn(element, element_index, value, index);
        }
      }
    }
    target[at] = map_fn(count, value);
    if (index_target != nullptr) {
      index_target[at] = index;
    }
  };
  const ssize_t channel_dim = in.dim() - 3;
  const ssize_t batch = channel_dim > 0 ? in.size(0) : 1;
  const auto out_strides = out.strides();
  for (ssize_t n = 0; n < batch; ++n) {
    for (ssize_t channel = 0; channel < in.size(channel_dim); ++channel) {
      const ptrdiff_t base = (channel_dim > 0 ? n * in.strides()[0] : 0) +
                             channel * in.strides()[static_cast<size_t>(channel_dim)];
      const ptrdiff_t out_base = (channel_dim > 0 ? n * out_strides[0] : 0) +
                                 channel * out_strides[static_cast<size_t>(channel_dim)];
      for (int64_t y = 0; y < out.size(out.dim() - 2); ++y) {
        for (int64_t x = 0; x < out.size(out.dim() - 1); ++x) {
          fold_window(y, x, base,
                      static_cast<size_t>(out_base + y * out_strides[rank - 2] +
                                          x * out_strides[rank - 1]));
        }
      }
    }
  }
}

}  // namespace torch::executor
