/**
 * @file
 * Elementwise operators in one call: broadcasting, conversion, and a function of values of one
 * type.
 *
 *     static constexpr const char op_name[] = "my_op.out";
 *     ET_SWITCH_REAL_TYPES(compute_type, ctx, op_name, CTYPE_COMPUTE, [&]() {
 *       utils::apply_bitensor_elementwise_fn<CTYPE_COMPUTE, op_name,
 *                                            utils::SupportedTensorDtypes::REALHBBF16>(
 *           [](const auto a, const auto b) { return a + b; }, ctx, a,
 *           utils::SupportedTensorDtypes::REALHBBF16, b, utils::SupportedTensorDtypes::REALHBBF16,
 *           out);
 *     });
 *
 * The output already has its shape. A tensor of a dtype that is not supported fails the context.
 */
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <executorch/kernels/portable/cpu/util/broadcast_indexes_range.h>
#include <executorch/kernels/portable/cpu/util/dtype_util.h>
#include <executorch/kernels/portable/cpu/util/tensor_names.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>

namespace torch::executor::native::utils {

/// Sigmoid, for any floating type.
template <typename T>
T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

/// The dtype to calculate in when the operands have `common_type`: half types in Float.
inline ScalarType get_compute_type(ScalarType common_type) {
  return common_type == ScalarType::Half || common_type == ScalarType::BFloat16 ? ScalarType::Float
                                                                                : common_type;
}

/// Given as the last argument: the inputs may have any strides. They are read in any case.
struct SupportNoncontiguousTensors {
  explicit SupportNoncontiguousTensors() = default;
};

namespace internal {

/// Elements that are worth a thread.
constexpr int64_t kElementwiseGrain = 32768;

/// Calls `fun` for the elements in [begin, end) of the output.
template <typename CTYPE_COMPUTE, typename CTYPE_STORED, size_t kNumInputs, typename Op,
          size_t... I>
void apply_to_part(const Op& fun, const BroadcastIndexesRange<kNumInputs, true>& range,
                   const std::array<load_to_compute_fn<CTYPE_COMPUTE>, kNumInputs>& load,
                   const std::array<const char*, kNumInputs>& data,
                   const std::array<ssize_t, kNumInputs>& size,
                   store_compute_to_tensor_fn<CTYPE_STORED> store, char* out, ssize_t out_size,
                   int64_t begin, int64_t end, std::index_sequence<I...>) {
  auto at = range.begin();
  at += begin;
  for (; (*at)[0] < end; ++at) {
    const auto& position = *at;
    store(static_cast<CTYPE_STORED>(fun(load[I](data[I] + position[I + 1] * size[I])...)),
          out + position[0] * out_size);
  }
}

template <typename CTYPE_COMPUTE, const char* op_name, typename Op, typename... Inputs>
void apply_elementwise_fn(const Op& fun, KernelRuntimeContext& ctx, const Tensor& out,
                          SupportedTensorDtypes out_dtypes, const Inputs&... inputs) {
  constexpr size_t kNumInputs = sizeof...(inputs);
  // What the function returns, e.g. bool for comparisons, decides how it is stored.
  using Stored = decltype(fun((static_cast<void>(inputs), CTYPE_COMPUTE{})...));
  const std::array<load_to_compute_fn<CTYPE_COMPUTE>, kNumInputs> load = {
      get_load_to_compute_fn<CTYPE_COMPUTE, op_name>(ctx, *inputs.first, inputs.second)...};
  for (const auto fn : load) {
    if (fn == nullptr) {
      return;
    }
  }
  if (!check_tensor_dtype(out, out_dtypes,
                          executorch::runtime::CppTypeToScalarType<CTYPE_COMPUTE>::value)) {
    ctx.fail(Error::InvalidArgument);
    return;
  }
  const auto store =
      get_store_compute_to_tensor_fn<Stored, op_name>(ctx, out, SupportedTensorDtypes::REALHBBF16);
  if (store == nullptr) {
    return;
  }
  const std::array<const char*, kNumInputs> data = {
      static_cast<const char*>(inputs.first->const_data_ptr())...};
  const std::array<ssize_t, kNumInputs> size = {inputs.first->element_size()...};
  char* const out_data = static_cast<char*>(out.mutable_data_ptr());
  const ssize_t out_size = out.element_size();
  const BroadcastIndexesRange<kNumInputs, true> range(out, *inputs.first...);
  const bool done = executorch::extension::parallel_for(
      0, out.numel(), kElementwiseGrain, [&](const int64_t begin, const int64_t end) {
        apply_to_part<CTYPE_COMPUTE, Stored, kNumInputs>(fun, range, load, data, size, store,
                                                         out_data, out_size, begin, end,
                                                         std::make_index_sequence<kNumInputs>());
      });
  if (!done) {
    ctx.fail(Error::Internal);
  }
}

/// A tensor with the dtypes that it may have.
using TypedInput = std::pair<const Tensor*, SupportedTensorDtypes>;

}  // namespace internal

/// out = compute_fun(a) for each element.
template <typename CTYPE_COMPUTE, const char* op_name, SupportedTensorDtypes out_dtypes,
          typename Op>
void apply_unitensor_elementwise_fn(const Op& compute_fun, KernelRuntimeContext& ctx,
                                    const Tensor& a, SupportedTensorDtypes a_dtypes,
                                    const Tensor& out) {
  internal::apply_elementwise_fn<CTYPE_COMPUTE, op_name>(compute_fun, ctx, out, out_dtypes,
                                                         internal::TypedInput(&a, a_dtypes));
}

template <typename CTYPE_COMPUTE, const char* op_name, SupportedTensorDtypes out_dtypes,
          typename Op>
void apply_unitensor_elementwise_fn(const Op& compute_fun, KernelRuntimeContext& ctx,
                                    const Tensor& a, SupportedTensorDtypes a_dtypes,
                                    const Tensor& out, SupportNoncontiguousTensors) {
  apply_unitensor_elementwise_fn<CTYPE_COMPUTE, op_name, out_dtypes>(compute_fun, ctx, a, a_dtypes,
                                                                     out);
}

/// The same with the output's dtypes as an argument.
template <typename CTYPE_COMPUTE, const char* op_name, typename Op>
void apply_unitensor_elementwise_fn(const Op& compute_fun, KernelRuntimeContext& ctx,
                                    const Tensor& a, SupportedTensorDtypes a_dtypes,
                                    const Tensor& out, SupportedTensorDtypes out_dtypes) {
  internal::apply_elementwise_fn<CTYPE_COMPUTE, op_name>(compute_fun, ctx, out, out_dtypes,
                                                         internal::TypedInput(&a, a_dtypes));
}

/// out = compute_fun(a, b) for each element.
template <typename CTYPE_COMPUTE, const char* op_name, SupportedTensorDtypes out_dtypes,
          typename Op>
void apply_bitensor_elementwise_fn(const Op& compute_fun, KernelRuntimeContext& ctx,
                                   const Tensor& a, SupportedTensorDtypes a_dtypes, const Tensor& b,
                                   SupportedTensorDtypes b_dtypes, const Tensor& out) {
  internal::apply_elementwise_fn<CTYPE_COMPUTE, op_name>(compute_fun, ctx, out, out_dtypes,
                                                         internal::TypedInput(&a, a_dtypes),
                                                         internal::TypedInput(&b, b_dtypes));
}

template <typename CTYPE_COMPUTE, const char* op_name, SupportedTensorDtypes out_dtypes,
          typename Op>
void apply_bitensor_elementwise_fn(const Op& compute_fun, KernelRuntimeContext& ctx,
                                   const Tensor& a, SupportedTensorDtypes a_dtypes, const Tensor& b,
                                   SupportedTensorDtypes b_dtypes, const Tensor& out,
                                   SupportNoncontiguousTensors) {
  apply_bitensor_elementwise_fn<CTYPE_COMPUTE, op_name, out_dtypes>(compute_fun, ctx, a, a_dtypes,
                                                                    b, b_dtypes, out);
}

/// The same with the output's dtypes as an argument.
template <typename CTYPE_COMPUTE, const char* op_name, typename Op>
void apply_bitensor_elementwise_fn(const Op& compute_fun, KernelRuntimeContext& ctx,
                                   const Tensor& a, SupportedTensorDtypes a_dtypes, const Tensor& b,
                                   SupportedTensorDtypes b_dtypes, const Tensor& out,
                                   SupportedTensorDtypes out_dtypes) {
  internal::apply_elementwise_fn<CTYPE_COMPUTE, op_name>(compute_fun, ctx, out, out_dtypes,
                                                         internal::TypedInput(&a, a_dtypes),
                                                         internal::TypedInput(&b, b_dtypes));
}

/// out = compute_fun(a, b, c) for each element.
template <typename CTYPE_COMPUTE, const char* op_name, SupportedTensorDtypes out_dtypes,
          typename Op>
void apply_tritensor_elementwise_fn(const Op& compute_fun, KernelRuntimeContext& ctx,
                                    const Tensor& a, SupportedTensorDtypes a_dtypes,
                                    const Tensor& b, SupportedTensorDtypes b_dtypes,
                                    const Tensor& c, SupportedTensorDtypes c_dtypes,
                                    const Tensor& out) {
  internal::apply_elementwise_fn<CTYPE_COMPUTE, op_name>(
      compute_fun, ctx, out, out_dtypes, internal::TypedInput(&a, a_dtypes),
      internal::TypedInput(&b, b_dtypes), internal::TypedInput(&c, c_dtypes));
}

template <typename CTYPE_COMPUTE, const char* op_name, SupportedTensorDtypes out_dtypes,
          typename Op>
void apply_tritensor_elementwise_fn(const Op& compute_fun, KernelRuntimeContext& ctx,
                                    const Tensor& a, SupportedTensorDtypes a_dtypes,
                                    const Tensor& b, SupportedTensorDtypes b_dtypes,
                                    const Tensor& c, SupportedTensorDtypes c_dtypes,
                                    const Tensor& out, SupportNoncontiguousTensors) {
  apply_tritensor_elementwise_fn<CTYPE_COMPUTE, op_name, out_dtypes>(compute_fun, ctx, a, a_dtypes,
                                                                     b, b_dtypes, c, c_dtypes, out);
}

/// The same with the output's dtypes as an argument.
template <typename CTYPE_COMPUTE, const char* op_name, typename Op>
void apply_tritensor_elementwise_fn(const Op& compute_fun, KernelRuntimeContext& ctx,
                                    const Tensor& a, SupportedTensorDtypes a_dtypes,
                                    const Tensor& b, SupportedTensorDtypes b_dtypes,
                                    const Tensor& c, SupportedTensorDtypes c_dtypes,
                                    const Tensor& out, SupportedTensorDtypes out_dtypes) {
  internal::apply_elementwise_fn<CTYPE_COMPUTE, op_name>(
      compute_fun, ctx, out, out_dtypes, internal::TypedInput(&a, a_dtypes),
      internal::TypedInput(&b, b_dtypes), internal::TypedInput(&c, c_dtypes));
}

}  // namespace torch::executor::native::utils
