#include <limits>

#include <executorch/backends/xnnpack/runtime/bfloat16.h>
#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/initialize.h>
#include <executorch/backends/xnnpack/runtime/weight_names.h>
#include <executorch/backends/xnnpack/runtime/xnnpack_extras.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::BackendExecutionContext;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracer;
using runtime::Result;
using runtime::Span;

namespace {

ScalarType scalar_type_of(const External& external) {
  switch (external.datatype) {
    case xnn_datatype_fp32:
      return external.is_bfloat16 ? ScalarType::BFloat16 : ScalarType::Float;
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

/// Whether the elements of a tensor can be read as they are; those of a boolean one are 0 and 1.
bool is_readable_as(ScalarType type, const External& external) {
  return type == scalar_type_of(external) ||
         (type == ScalarType::Bool && external.datatype == xnn_datatype_quint8);
}

/// Bytes of one intermediate value, at most: what no honest graph has, and what can be told from
/// an overflow.
constexpr size_t kMostBytes = size_t{1} << (sizeof(size_t) > 4 ? 34 : 30);

/// XNNPACK knows no tensors without dimensions; they have one of size 1 there.
size_t rank_of(const Tensor& tensor) { return tensor.dim() == 0 ? 1 : size_t(tensor.dim()); }

}  // namespace

Result<std::unique_ptr<Executor>> Executor::create(const Blob& blob,
                                                   const runtime::NamedDataMap* named,
                                                   const ExecutorOptions& options) {
  const xnn_status status = initialize();
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, NotSupported,
                           "XNNPACK: it does not run on this processor (status %d)", int(status));
  Result<Subgraph> subgraph = Subgraph::define(blob, named);
  if (!subgraph.ok()) {
    return subgraph.error();
  }
  std::unique_ptr<Executor> made(new Executor());
  ET_CHECK_OK_OR_RETURN_ERROR(made->choose_workspace(options, *subgraph));
  ET_CHECK_OK_OR_RETURN_ERROR(made->compile(blob, *subgraph, options));
  made->externals_ = subgraph->externals();
  made->num_inputs_ = subgraph->num_inputs();
  made->shape_rules_ = subgraph->shape_rules();
  for (const External& external : made->externals_) {
    made->pointers_.push_back({external.id, nullptr});
  }
  made->tensors_.resize(made->externals_.size());
  made->copies_.resize(made->num_inputs_);
  made->wide_.resize(made->externals_.size());
  made->data_ = subgraph->take_data();
  made->scales_ = subgraph->take_scales();
  return made;
}

Executor::~Executor() {
  if (workspace_ != nullptr) {
    // XNNPACK takes the runtime out of the workspace's list.
    const XNNWorkspace::Acquired acquired = workspace_->acquire();
    runtime_.reset();
  }
}

Error Executor::choose_workspace(const ExecutorOptions& options, const Subgraph& subgraph) {
  // Persistent values lie at the beginning of the workspace, where another delegate would write.
  if (options.workspace != nullptr && !subgraph.has_persistent_values()) {
    workspace_ = options.workspace;
    return Error::Ok;
  }
  const Result<std::shared_ptr<XNNWorkspace>> own = XNNWorkspace::create();
  if (!own.ok()) {
    return own.error();
  }
  workspace_ = *own;
  workspace_->disable_locking();
  return Error::Ok;
}

Error Executor::compile(const Blob& blob, Subgraph& subgraph, const ExecutorOptions& options) {
  if (options.packed_weights != nullptr) {
    weights_cache_ = std::make_unique<delegate::XNNWeightsCache>(options.packed_weights);
    ET_CHECK_OK_OR_RETURN_ERROR(weights_cache_->initialize_for_runtime(nullptr, nullptr));
    name_weights(blob.graph(), subgraph, *weights_cache_);
    if (options.packed_weights->num_loaded() == 0) {
      weights_cache_->expect(subgraph.constant_bytes());
    }
  }
  threadpool_ = extension::threadpool::get_pthreadpool();
  num_threads_ = pthreadpool_get_threads_count(threadpool_);
  {
    const XNNWorkspace::Acquired acquired = workspace_->acquire();
    xnn_runtime_t runtime = nullptr;
    const xnn_status status = xnn_create_runtime_v4(
        subgraph.get(), weights_cache_ == nullptr ? nullptr : weights_cache_->get(),
        acquired.second, threadpool_, options.is_profiled ? XNN_FLAG_BASIC_PROFILING : 0, &runtime);
    runtime_.reset(runtime);
    if (status != xnn_status_success) {
      ET_LOG(Error, "XNNPACK: the graph cannot be compiled for this processor (status %d)",
             int(status));
      return error_of(status);
    }
  }
  if (weights_cache_ != nullptr) {
    const auto names = weights_cache_->finalize_for_runtime();
    if (!names.ok()) {
      return names.error();
    }
  }
  return options.is_profiled ? profiler_.initialize(runtime_.get(), subgraph.debug_handles())
                             : Error::Ok;
}

void Executor::follow_threadpool() {
  const pthreadpool_t pool = extension::threadpool::get_pthreadpool();
  const size_t num_threads = pthreadpool_get_threads_count(pool);
  if (pool == threadpool_ && num_threads == num_threads_) {
    return;
  }
  // Work is divided, and memory for each thread laid out, when shapes are propagated.
  (void)xnn_update_runtime_with_threadpool(runtime_.get(), pool);
  threadpool_ = pool;
  num_threads_ = num_threads;
  is_shaped_ = false;
}

Error Executor::take_input(size_t index, const Tensor& tensor, bool& changed) {
  External& external = externals_[index];
  ET_CHECK_OR_RETURN_ERROR(
      is_readable_as(tensor.scalar_type(), external) && rank_of(tensor) == external.dims.size(),
      InvalidArgument,
      "XNNPACK: input %zu has dtype %d and %zu dimensions, expected are dtype %d and %zu", index,
      int(tensor.scalar_type()), rank_of(tensor), int(scalar_type_of(external)),
      external.dims.size());
  if (!external.is_used) {
    return Error::Ok;
  }
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
          tensor.scalar_type() == scalar_type_of(external),
      InvalidArgument,
      "XNNPACK: output %zu has dtype %d and %zu dimensions, the program expects dtype %d and %zu",
      index - num_inputs_, int(scalar_type_of(external)), rank, int(tensor.scalar_type()),
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

Error Executor::take_inputs(Span<EValue*> args) {
  bool changed = false;
  for (size_t i = 0; i < num_inputs_; ++i) {
    bool changed_here = false;
    const Error error = take_input(i, args[i]->toTensor(), changed_here);
    changed = changed || changed_here;
    if (error != Error::Ok) {
      is_shaped_ = is_shaped_ && !changed;
      return error;
    }
  }
  if (!changed && is_shaped_) {
    return Error::Ok;
  }
  is_shaped_ = is_set_up_ = false;
  const xnn_status status = xnn_reshape_runtime_within(runtime_.get(), kMostBytes);
  ET_CHECK_OR_RETURN_ERROR(status != xnn_status_out_of_memory, MemoryAllocationFailed,
                           "XNNPACK: intermediate values for these input shapes are too large");
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, InvalidArgument,
                           "XNNPACK: the graph does not work for these input shapes (status %d)",
                           int(status));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_shapes(runtime_.get(), shape_rules_, {externals_.data(), num_inputs_}));
  is_shaped_ = true;
  return Error::Ok;
}

Result<void*> Executor::memory_of(size_t index, const Tensor& tensor) {
  const void* const data = tensor.const_data_ptr();
  if (data == nullptr || !externals_[index].is_used) {
    return const_cast<void*>(data);
  }
  if (externals_[index].is_bfloat16) {
    return wide_memory_of(index, tensor);
  }
  if (index >= num_inputs_) {
    return tensor.mutable_data_ptr();
  }
  const void* const readable = copies_[index].of(data, tensor.nbytes());
  ET_CHECK_OR_RETURN_ERROR(readable != nullptr, MemoryAllocationFailed,
                           "XNNPACK: no memory for a copy of input %zu, which ends with its page",
                           index);
  return const_cast<void*>(readable);
}

Result<void*> Executor::wide_memory_of(size_t index, const Tensor& tensor) {
  const auto count = static_cast<size_t>(tensor.numel());
  const bool fits = count <= std::numeric_limits<size_t>::max() / sizeof(float);
  auto* const wide = static_cast<float*>(fits ? wide_[index].of(count * sizeof(float)) : nullptr);
  ET_CHECK_OR_RETURN_ERROR(wide != nullptr, MemoryAllocationFailed,
                           "XNNPACK: no memory for argument %zu in bfloat16 as floats", index);
  if (index < num_inputs_) {
    widen(static_cast<const uint16_t*>(tensor.const_data_ptr()), count, wide);
  }
  return static_cast<void*>(wide);
}

void Executor::narrow_outputs(Span<EValue*> args) {
  for (size_t i = num_inputs_; i < args.size(); ++i) {
    if (externals_[i].is_bfloat16) {
      const Tensor& tensor = args[i]->toTensor();
      narrow(static_cast<const float*>(pointers_[i].data), static_cast<size_t>(tensor.numel()),
             static_cast<uint16_t*>(tensor.mutable_data_ptr()));
    }
  }
}

Error Executor::set_up(Span<EValue*> args, const BackendExecutionContext& context) {
  for (size_t i = 0; i < args.size(); ++i) {
    Tensor& tensor = args[i]->toTensor();
    if (i >= num_inputs_) {
      ET_CHECK_OR_RETURN_ERROR(context.may_write(tensor), InvalidProgram,
                               "XNNPACK: output %zu is a constant, or shows memory that is smaller",
                               i - num_inputs_);
      ET_CHECK_OK_OR_RETURN_ERROR(resize_output(i, tensor));
    }
    const Result<void*> data = memory_of(i, tensor);
    if (!data.ok()) {
      return data.error();
    }
    ET_CHECK_OR_RETURN_ERROR(*data != nullptr || !externals_[i].is_used, InvalidArgument,
                             "XNNPACK: argument %zu has no memory", i);
    is_set_up_ = is_set_up_ && pointers_[i].data == *data;
    pointers_[i].data = *data;
  }
  if (is_set_up_) {
    return Error::Ok;
  }
  const xnn_status status =
      xnn_setup_runtime_v2(runtime_.get(), pointers_.size(), pointers_.data());
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, Internal,
                           "XNNPACK: setting the arguments failed (status %d)", int(status));
  is_set_up_ = true;
  return Error::Ok;
}

Error Executor::choose_tensors(Span<EValue*> args) {
  size_t count = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    EValue* const arg = args[i];
    if (arg != nullptr && arg->isTensor()) {
      if (count < tensors_.size()) {
        tensors_[count] = arg;
      }
      ++count;
    } else {
      // Sizes that are read before the delegate; the graph has them in the shapes of its inputs.
      ET_CHECK_OR_RETURN_ERROR(arg != nullptr && (arg->isInt() || arg->isBool() || arg->isDouble()),
                               InvalidArgument, "XNNPACK: argument %zu is no tensor and no number",
                               i);
    }
  }
  ET_CHECK_OR_RETURN_ERROR(count == tensors_.size(), InvalidArgument,
                           "XNNPACK: the delegate has %zu inputs and outputs, got %zu tensors",
                           tensors_.size(), count);
  return Error::Ok;
}

Error Executor::run(Span<EValue*> given, BackendExecutionContext& context) {
  EventTracer* const tracer = context.event_tracer();
  ET_CHECK_OK_OR_RETURN_ERROR(choose_tensors(given));
  const Span<EValue*> args(tensors_.data(), tensors_.size());
  const XNNWorkspace::Acquired acquired = workspace_->acquire();
  follow_threadpool();
  ET_CHECK_OK_OR_RETURN_ERROR(take_inputs(args));
  ET_CHECK_OK_OR_RETURN_ERROR(set_up(args, context));
  const bool is_reported = tracer != nullptr && profiler_.is_initialized();
  const et_timestamp_t begin = is_reported ? runtime::pal_current_ticks() : 0;
  const xnn_status status = xnn_invoke_runtime(runtime_.get());
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, Internal,
                           "XNNPACK: running failed (status %d)", int(status));
  narrow_outputs(args);
  if (is_reported) {
    profiler_.report(runtime_.get(), tracer, begin);
  }
  return Error::Ok;
}

Error Executor::execute(Span<EValue*> args, BackendExecutionContext context) {
  return guard_.run("XNNPACK", [&] { return run(args, context); });
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
