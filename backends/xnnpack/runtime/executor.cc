#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::Result;
using runtime::Span;

namespace {

ScalarType scalar_type_of(xnn_datatype datatype) {
  switch (datatype) {
    case xnn_datatype_fp32:
      return ScalarType::Float;
    case xnn_datatype_fp16:
      return ScalarType::Half;
    case xnn_datatype_qint8:
      return ScalarType::Char;
    case xnn_datatype_quint8:
      return ScalarType::Byte;
    default:
      return ScalarType::Undefined;
  }
}

/// XNNPACK knows no tensors without dimensions; they have one of size 1 there.
size_t rank_of(const Tensor& tensor) { return tensor.dim() == 0 ? 1 : size_t(tensor.dim()); }

}  // namespace

Result<std::unique_ptr<Executor>> Executor::create(const Blob& blob,
                                                   const runtime::NamedDataMap* named) {
  Result<Subgraph> subgraph = Subgraph::define(blob, named);
  if (!subgraph.ok()) {
    return subgraph.error();
  }
  std::unique_ptr<Executor> made(new Executor());
  xnn_runtime_t runtime = nullptr;
  const xnn_status status =
      xnn_create_runtime_v4(subgraph->get(), /*weights_cache=*/nullptr, /*workspace=*/nullptr,
                            extension::threadpool::get_pthreadpool(), /*flags=*/0, &runtime);
  made->runtime_.reset(runtime);
  if (status != xnn_status_success) {
    ET_LOG(Error, "XNNPACK: the graph cannot be compiled for this processor (status %d)",
           int(status));
    return error_of(status);
  }
  made->data_ = subgraph->take_data();
  made->scales_ = subgraph->take_scales();
  made->externals_ = subgraph->externals();
  made->num_inputs_ = subgraph->num_inputs();
  for (const External& external : made->externals_) {
    made->pointers_.push_back({external.id, nullptr});
  }
  return made;
}

Error Executor::take_input(size_t index, const Tensor& tensor, bool& changed) {
  External& external = externals_[index];
  ET_CHECK_OR_RETURN_ERROR(
      tensor.scalar_type() == scalar_type_of(external.datatype) &&
          rank_of(tensor) == external.dims.size(),
      InvalidArgument,
      "XNNPACK: input %zu has dtype %d and %zu dimensions, expected are dtype %d and %zu", index,
      int(tensor.scalar_type()), rank_of(tensor), int(scalar_type_of(external.datatype)),
      external.dims.size());
  for (ssize_t i = 0; i < tensor.dim(); ++i) {
    // In the order in which the elements lie: a channels-last tensor is NHWC to XNNPACK.
    const size_t size = tensor.size(tensor.dim_order()[size_t(i)]);
    ET_CHECK_OR_RETURN_ERROR(size > 0, NotSupported, "XNNPACK: input %zu is empty", index);
    changed = changed || external.dims[size_t(i)] != size;
    external.dims[size_t(i)] = size;
  }
  if (changed || !is_shaped_) {
    const xnn_status status = xnn_reshape_external_value(
        runtime_.get(), external.id, external.dims.size(), external.dims.data());
    ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, InvalidArgument,
                             "XNNPACK: input %zu cannot have this shape (status %d)", index,
                             int(status));
  }
  return Error::Ok;
}

Error Executor::resize_output(size_t index, Tensor& tensor) {
  const External& external = externals_[index];
  size_t rank = 0;
  size_t dims[XNN_MAX_TENSOR_DIMS];
  const xnn_status status = xnn_get_external_value_shape(runtime_.get(), external.id, &rank, dims);
  ET_CHECK_OR_RETURN_ERROR(
      status == xnn_status_success && rank == rank_of(tensor) &&
          tensor.scalar_type() == scalar_type_of(external.datatype),
      InvalidArgument,
      "XNNPACK: output %zu has dtype %d and %zu dimensions, the program expects dtype %d and %zu",
      index - num_inputs_, int(scalar_type_of(external.datatype)), rank, int(tensor.scalar_type()),
      rank_of(tensor));
  if (tensor.dim() == 0) {
    ET_CHECK_OR_RETURN_ERROR(dims[0] == 1, InvalidArgument, "XNNPACK: output %zu is no scalar",
                             index - num_inputs_);
    return Error::Ok;
  }
  SizesType sizes[XNN_MAX_TENSOR_DIMS];
  for (size_t i = 0; i < rank; ++i) {
    sizes[tensor.dim_order()[i]] = static_cast<SizesType>(dims[i]);
  }
  return runtime::resize_tensor(tensor, {sizes, rank});
}

Error Executor::execute(Span<EValue*> args) {
  ET_CHECK_OR_RETURN_ERROR(args.size() == externals_.size(), InvalidArgument,
                           "XNNPACK: the delegate has %zu arguments, got %zu", externals_.size(),
                           args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(args[i] != nullptr && args[i]->isTensor(), InvalidArgument,
                             "XNNPACK: argument %zu is not a tensor", i);
  }
  bool changed = false;
  for (size_t i = 0; i < num_inputs_; ++i) {
    bool changed_here = false;
    ET_CHECK_OK_OR_RETURN_ERROR(take_input(i, args[i]->toTensor(), changed_here));
    changed = changed || changed_here;
  }
  if (changed || !is_shaped_) {
    is_shaped_ = is_set_up_ = false;
    const xnn_status status = xnn_reshape_runtime(runtime_.get());
    ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, InvalidArgument,
                             "XNNPACK: the graph does not work for these input shapes (status %d)",
                             int(status));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    Tensor& tensor = args[i]->toTensor();
    if (i >= num_inputs_) {
      ET_CHECK_OK_OR_RETURN_ERROR(resize_output(i, tensor));
    }
    void* data =
        i < num_inputs_ ? const_cast<void*>(tensor.const_data_ptr()) : tensor.mutable_data_ptr();
    ET_CHECK_OR_RETURN_ERROR(data != nullptr, InvalidArgument,
                             "XNNPACK: argument %zu has no memory", i);
    is_set_up_ = is_set_up_ && pointers_[i].data == data;
    pointers_[i].data = data;
  }
  is_shaped_ = true;
  if (!is_set_up_) {
    const xnn_status status =
        xnn_setup_runtime_v2(runtime_.get(), pointers_.size(), pointers_.data());
    ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, Internal,
                             "XNNPACK: setting the arguments failed (status %d)", int(status));
    is_set_up_ = true;
  }
  const xnn_status status = xnn_invoke_runtime(runtime_.get());
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, Internal,
                           "XNNPACK: running failed (status %d)", int(status));
  return Error::Ok;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
