/**
 * @file
 * Reductions for custom kernels: which elements of the input make up an element of the output.
 *
 * Elements of the output are numbered in index order; positions in the input are in elements from
 * the tensor's first one and follow its strides. A reduction without dimensions, or with an empty
 * list of them, takes all. Wrong dimensions and output numbers abort: kernels check them before
 * (`check_reduction_args`).
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>

namespace torch::executor {

/// True if the dimensions are in range and none is named twice. A tensor of rank 0 has 0 and -1.
bool check_dim_list_is_valid(const Tensor& in, const optional<ArrayRef<int64_t>>& dim_list);

/// True if `dim` (not negative) is among the dimensions of the list, whose negative ones count from
/// `max_dim`.
bool check_dim_in_dim_list(const size_t dim, const size_t max_dim,
                           const ArrayRef<int64_t>& dim_list);

/// How many elements of the input make up one of the output.
size_t get_reduced_dim_product(const Tensor& in, const optional<int64_t>& dim);
size_t get_reduced_dim_product(const Tensor& in, const optional<ArrayRef<int64_t>>& dim_list);

/// How many elements the output has.
size_t get_out_numel(const Tensor& in, const optional<int64_t>& dim);
size_t get_out_numel(const Tensor& in, const optional<ArrayRef<int64_t>>& dim_list);

/// Position in the input of the first element of those that make up element `out_ix`.
size_t get_init_index(const Tensor& in, const optional<int64_t>& dim, const size_t out_ix);
size_t get_init_index(const Tensor& in, const optional<ArrayRef<int64_t>>& dim_list,
                      const size_t out_ix);

/// The output's sizes, in `sizes_arr`, which has room for the input's rank. @returns its rank.
size_t compute_reduced_out_size(const Tensor& in, const optional<int64_t>& dim, bool keepdim,
                                SizesType* sizes_arr);
size_t compute_reduced_out_size(const Tensor& in, const optional<ArrayRef<int64_t>>& dim_list,
                                bool keepdim, SizesType* sizes_arr);

/// Resizes the output. Errors: those of `resize_tensor`.
ET_NODISCARD Error resize_reduction_out(const Tensor& in, const optional<int64_t>& dim,
                                        bool keepdim, Tensor& out);
ET_NODISCARD Error resize_reduction_out(const Tensor& in,
                                        const optional<ArrayRef<int64_t>>& dim_list, bool keepdim,
                                        Tensor& out);

/// The checks of an operator's arguments; what is wrong is logged.
bool check_reduction_args(const Tensor& in, const optional<ArrayRef<int64_t>>& dim_list,
                          bool keepdim, optional<ScalarType> dtype, Tensor& out);
bool check_reduction_args_single_dim(const Tensor& in, optional<int64_t> dim, bool keepdim,
                                     optional<ScalarType> dtype, Tensor& out,
                                     bool allow_empty_dim = false);
bool check_mean_dim_args(const Tensor& in, optional<ArrayRef<int64_t>> dim_list, bool keepdim,
                         optional<ScalarType> dtype, Tensor& out);
bool check_amin_amax_args(const Tensor& in, ArrayRef<int64_t> dim_list, bool keepdim, Tensor& out);
bool check_argmin_argmax_args(const Tensor& in, optional<int64_t> dim, bool keepdim, Tensor& out);
bool check_min_max_args(const Tensor& in, int64_t dim, bool keepdim, Tensor& max,
                        Tensor& max_indices);
bool check_prod_out_args(const Tensor& in, optional<ScalarType> dtype, Tensor& out);

/// Calls `fn(base + i * stride, i)` for i = start, ..., end, both included.
template <typename Fn>
void apply_on_flat_ix_with_stride_and_base(const Fn& fn, const size_t stride, const size_t base,
                                           const size_t start, const size_t end) {
  for (size_t i = start; i <= end; ++i) {
    fn(base + i * stride, i);
  }
}

/**
 * The elements that make up an element of the output, for many elements of it.
 *
 *     ApplyOverDimListPlan plan(in, dim_list);
 *     for (size_t out_ix = 0; out_ix < out.numel(); ++out_ix) {
 *       plan.execute([&](size_t in_ix) { sum += in_data[in_ix]; }, out_ix);
 *     }
 */
class ApplyOverDimListPlan {
 public:
  /// @param start, end The first and the last of the elements, counted in index order; a negative
  ///     `end` counts from the last one, which is -1. The tensor and the list are borrowed.
  ApplyOverDimListPlan(const Tensor& in, const optional<ArrayRef<int64_t>>& dim_list,
                       const int64_t start = 0, const int64_t end = -1);

  /// Calls `fn(in_ix)` for each element, in index order.
  template <typename Fn>
  void execute(const Fn& fn, const size_t out_ix) const {
    ET_CHECK_MSG(out_ix < out_numel_, "output element %zu of %zu", out_ix, out_numel_);
    if (start_ > end_ || count_ == 0) {
      return;
    }
    const size_t base = get_init_index(in_, dim_list_, out_ix);
    size_t index[kTensorDimensionLimit];
    size_t position = base;
    size_t rest = start_;
    for (size_t d = 0; d < rank_; ++d) {
      index[d] = rest % size_[d];
      rest /= size_[d];
      position += index[d] * stride_[d];
    }
    for (size_t i = start_;; ++i) {
      fn(position);
      if (i == end_) {
        return;
      }
      for (size_t d = 0; d < rank_; ++d) {
        position += stride_[d];
        if (++index[d] < size_[d]) {
          break;
        }
        position -= stride_[d] * size_[d];
        index[d] = 0;
      }
    }
  }

  const Tensor& get_input_tensor() const { return in_; }
  const optional<ArrayRef<int64_t>>& get_dim_list() const { return dim_list_; }

 private:
  const Tensor& in_;
  optional<ArrayRef<int64_t>> dim_list_;
  size_t out_numel_ = 0;
  size_t count_ = 0;
  size_t start_ = 0;
  size_t end_ = 0;
  // The reduced dimensions; 0 is the last one in index order.
  size_t rank_ = 0;
  size_t size_[kTensorDimensionLimit];
  size_t stride_[kTensorDimensionLimit];
};

/// As ApplyOverDimListPlan::execute, for one element of the output.
template <typename Fn>
void apply_over_dim_list(const Fn& fn, const Tensor& in,
                         const optional<ArrayRef<int64_t>>& dim_list, const size_t out_ix,
                         const int64_t start = 0, const int64_t end = -1) {
  ET_CHECK_MSG(check_dim_list_is_valid(in, dim_list), "not a list of dimensions");
  ApplyOverDimListPlan(in, dim_list, start, end).execute(fn, out_ix);
}

/**
 * Calls `fn(in_ix, dim_ix)` for each element along `dim` of those that make up element `out_ix`.
 * @param start, end As for ApplyOverDimListPlan.
 */
template <typename Fn>
void apply_over_dim(const Fn& fn, const Tensor& in, const optional<int64_t>& dim,
                    const size_t out_ix, const int64_t start = 0, const int64_t end = -1) {
  optional<ArrayRef<int64_t>> dims;
  if (dim.has_value()) {
    ET_CHECK_VALID_DIM(*dim, executorch::runtime::nonzero_dim(in));
    dims = ArrayRef<int64_t>(&*dim, 1);
  }
  size_t ix = start < 0 ? 0 : static_cast<size_t>(start);
  ApplyOverDimListPlan(in, dims, start, end)
      .execute([&fn, &ix](const size_t in_ix) { fn(in_ix, ix++); }, out_ix);
}

/// Calls `fn(size, stride, base)` for each line along `dim`: its elements are at base,
/// base + stride, ..., `size` of them. Without `dim` there is one line, the whole (dense) tensor.
template <typename Fn>
void apply_over_dim(const Fn& fn, const Tensor& in, const optional<int64_t>& dim) {
  if (in.numel() == 0) {
    return;
  }
  if (!dim.has_value() || in.dim() == 0) {
    fn(static_cast<size_t>(in.numel()), size_t{1}, size_t{0});
    return;
  }
  ET_CHECK_VALID_DIM(*dim, in.dim());
  const ssize_t d = ET_NORMALIZE_IX(*dim, in.dim());
  const size_t size = static_cast<size_t>(in.size(d));
  const size_t stride = in.strides().data() != nullptr
                            ? static_cast<size_t>(in.strides()[static_cast<size_t>(d)])
                            : executorch::runtime::getTrailingDims(in, d);
  const size_t lines = get_out_numel(in, dim);
  for (size_t i = 0; i < lines; ++i) {
    fn(size, stride, get_init_index(in, dim, i));
  }
}

/**
 * Folds the elements along `dim`, with their index along it.
 *
 * @param map_fun CTYPE_IN to CTYPE_OUT.
 * @param reduce_fun `(value, index, accumulated value, accumulated index)` to a tuple of the new
 *     two. The first element is where accumulation begins.
 */
template <typename CTYPE_IN, typename CTYPE_OUT, typename MapOp, typename ReduceOp>
std::tuple<CTYPE_OUT, long> map_reduce_over_dim(const MapOp& map_fun, const ReduceOp& reduce_fun,
                                                const Tensor& in, const optional<int64_t>& dim,
                                                const size_t out_ix) {
  ET_CHECK_MSG(in.numel() > 0, "a reduction needs an element to begin with");
  const CTYPE_IN* const data = in.const_data_ptr<CTYPE_IN>();
  CTYPE_OUT value{};
  long index = 0;
  apply_over_dim(
      [&](const size_t in_ix, const size_t ix) {
        if (ix == 0) {
          value = map_fun(data[in_ix]);
        } else {
          std::tie(value, index) =
              reduce_fun(map_fun(data[in_ix]), static_cast<long>(ix), value, index);
        }
      },
      in, dim, out_ix);
  return std::tuple<CTYPE_OUT, long>{value, index};
}

/// The same without `map_fun`.
template <typename CTYPE, typename ReduceOp>
std::tuple<CTYPE, long> reduce_over_dim(const ReduceOp& reduce_fun, const Tensor& in,
                                        const optional<int64_t>& dim, const size_t out_ix) {
  return map_reduce_over_dim<CTYPE, CTYPE>([](CTYPE v) { return v; }, reduce_fun, in, dim, out_ix);
}

/// Folds elements for many elements of the output. The first element is where accumulation begins.
class MapReduceOverDimListPlan {
 public:
  /// The tensor, which must not be empty, and the list are borrowed.
  MapReduceOverDimListPlan(const Tensor& in, const optional<ArrayRef<int64_t>>& dim_list);

  /// @param map_fun CTYPE_IN to CTYPE_OUT.
  /// @param reduce_fun `(value, accumulated value)` to the new one.
  template <typename CTYPE_IN, typename CTYPE_OUT, typename MapOp, typename ReduceOp>
  CTYPE_OUT execute(const MapOp& map_fun, const ReduceOp& reduce_fun, const size_t out_ix) const {
    const CTYPE_IN* const data = plan_.get_input_tensor().const_data_ptr<CTYPE_IN>();
    CTYPE_OUT value{};
    bool is_first = true;
    plan_.execute(
        [&](const size_t in_ix) {
          value = is_first ? map_fun(data[in_ix]) : reduce_fun(map_fun(data[in_ix]), value);
          is_first = false;
        },
        out_ix);
    return value;
  }

 private:
  ApplyOverDimListPlan plan_;
};

/// As MapReduceOverDimListPlan, without `map_fun`.
class ReduceOverDimListPlan {
 public:
  ReduceOverDimListPlan(const Tensor& in, const optional<ArrayRef<int64_t>>& dim_list)
      : plan_(in, dim_list) {}

  template <typename CTYPE, typename ReduceOp>
  CTYPE execute(const ReduceOp& reduce_fun, const size_t out_ix) const {
    return plan_.execute<CTYPE, CTYPE>([](CTYPE v) { return v; }, reduce_fun, out_ix);
  }

 private:
  MapReduceOverDimListPlan plan_;
};

/// As MapReduceOverDimListPlan::execute, for one element of the output.
template <typename CTYPE_IN, typename CTYPE_OUT, typename MapOp, typename ReduceOp>
CTYPE_OUT map_reduce_over_dim_list(const MapOp& map_fun, const ReduceOp& reduce_fun,
                                   const Tensor& in, const optional<ArrayRef<int64_t>>& dim_list,
                                   const size_t out_ix) {
  ET_CHECK_MSG(check_dim_list_is_valid(in, dim_list), "not a list of dimensions");
  return MapReduceOverDimListPlan(in, dim_list)
      .template execute<CTYPE_IN, CTYPE_OUT>(map_fun, reduce_fun, out_ix);
}

/// The same without `map_fun`.
template <typename CTYPE, typename ReduceOp>
CTYPE reduce_over_dim_list(const ReduceOp& reduce_fun, const Tensor& in,
                           const optional<ArrayRef<int64_t>>& dim_list, const size_t out_ix) {
  return map_reduce_over_dim_list<CTYPE, CTYPE>([](CTYPE v) { return v; }, reduce_fun, in, dim_list,
                                                out_ix);
}

namespace internal {

/// Calls `func(begin, end)` for parts of the output's elements, on the threads that are linked.
template <typename Func>
[[nodiscard]] bool for_each_part_of_output(const Tensor& out, size_t reduced, const Func& func) {
  // Folded elements that are worth a thread.
  constexpr size_t kWorthwhile = 32768;
  const size_t grain = reduced == 0 ? kWorthwhile : kWorthwhile / reduced;
  return executorch::extension::parallel_for(0, out.numel(),
                                             grain == 0 ? 1 : static_cast<int64_t>(grain), func);
}

}  // namespace internal

/// Calls `func(begin, end)` for parts of the output of a reduction over `dim`, possibly at the same
/// time. @returns false if that was not possible.
template <typename Func>
[[nodiscard]] bool parallel_for_each_reduce_over_dim_output_index(const Tensor& in,
                                                                  optional<int64_t> dim,
                                                                  const Tensor& out,
                                                                  const Func& func) {
  return internal::for_each_part_of_output(out, get_reduced_dim_product(in, dim), func);
}

template <typename Func>
[[nodiscard]] bool parallel_for_each_reduce_over_dim_list_output_index(
    const Tensor& in, optional<ArrayRef<int64_t>> dim_list, const Tensor& out, const Func& func) {
  return internal::for_each_part_of_output(out, get_reduced_dim_product(in, dim_list), func);
}

}  // namespace torch::executor
