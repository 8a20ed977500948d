#include <cstring>
#include <utility>

#include <executorch/backends/openvino/runtime/blob.h>
#include <executorch/backends/openvino/runtime/cores.h>
#include <executorch/backends/openvino/runtime/executor.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace backends {
namespace openvino {

using executorch::aten::Tensor;
using runtime::BackendExecutionContext;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracer;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;

Result<std::unique_ptr<Executor>> Executor::create(const Library& library, const Settings& settings,
                                                   const void* data, size_t size,
                                                   const NamedDataMap* named_data,
                                                   bool is_profiled) {
  std::unique_ptr<Executor> made(new Executor(library));
  made->is_profiled_ = is_profiled;
  const Result<const c::Core*> core = core_for(library, settings);
  if (!core.ok()) {
    return core.error();
  }
  ET_CHECK_OK_OR_RETURN_ERROR(is_model_text(data, size)
                                  ? made->compile(*core, settings, data, size, named_data)
                                  : made->import(*core, settings, data, size));
  Result<std::vector<Port>> ports = ports_of(library, made->model_, made->num_inputs_);
  if (!ports.ok()) {
    return ports.error();
  }
  made->ports_ = std::move(*ports);
  const c::Status status =
      library.call.ov_compiled_model_create_infer_request(made->model_, &made->request_);
  ET_CHECK_OR_RETURN_ERROR(succeeded(library, status, "making a request"), Internal,
                           "OpenVINO: the compiled model cannot run");
  return made;
}

Executor::~Executor() {
  if (request_ != nullptr) {
    library_.call.ov_infer_request_free(request_);
  }
  if (model_ != nullptr) {
    library_.call.ov_compiled_model_free(model_);
  }
}

Error Executor::compile(const c::Core* core, const Settings& settings, const void* data,
                        size_t size, const NamedDataMap* named_data) {
  Result<ModelText> text = read_model_text(data, size, named_data);
  if (!text.ok()) {
    return text.error();
  }
  int64_t bytes = int64_t(text->size);
  c::Tensor* weights = nullptr;
  c::Model* model = nullptr;
  const bool is_compiled =
      (bytes == 0 || succeeded(library_,
                               library_.call.ov_tensor_create_from_host_ptr(c::kUint8, {1, &bytes},
                                                                            text->begin, &weights),
                               "showing weights")) &&
      succeeded(library_,
                library_.call.ov_core_read_model_from_memory_buffer(
                    core, text->text.data(), text->text.size(), weights, &model),
                "reading a model") &&
      succeeded(
          library_,
          library_.call.ov_core_compile_model(core, model, settings.device.c_str(), 0, &model_),
          "compiling a model");
  if (model != nullptr) {
    library_.call.ov_model_free(model);
  }
  if (weights != nullptr) {
    library_.call.ov_tensor_free(weights);
  }
  shared_ = std::move(text->shared);
  ET_CHECK_OR_RETURN_ERROR(is_compiled, DelegateInvalidCompatibility,
                           "OpenVINO: %s cannot compile the delegate's model for the device %s",
                           library_.version.c_str(), settings.device.c_str());
  return Error::Ok;
}

Error Executor::import(const c::Core* core, const Settings& settings, const void* data,
                       size_t size) {
  const Result<std::string> written_by = read_header(data, size);
  if (!written_by.ok()) {
    return written_by.error();
  }
  const c::Status status = library_.call.ov_core_import_model(
      core, static_cast<const char*>(data), size, settings.device.c_str(), &model_);
  if (!succeeded(library_, status, "importing a compiled model")) {
    ET_LOG(Error, "OpenVINO: the delegate's bytes are from %s; loaded is %s for the device %s",
           written_by->empty() ? "an unknown version" : written_by->c_str(),
           library_.version.c_str(), settings.device.c_str());
    ET_LOG(Error,
           "OpenVINO: way out: lower the model again with this version and for this device, or "
           "install the version that it was lowered with");
    return Error::DelegateInvalidCompatibility;
  }
  return Error::Ok;
}

Error Executor::prepare_output(Port& port, EValue& arg, const BackendExecutionContext& context) {
  ET_CHECK_OR_RETURN_ERROR(arg.isTensor(), InvalidArgument, "OpenVINO: output %zu is no tensor",
                           port.index);
  Tensor& tensor = arg.toTensor();
  ET_CHECK_OR_RETURN_ERROR(context.may_write(tensor), InvalidProgram,
                           "OpenVINO: output %zu is a constant, or shows memory that is smaller",
                           port.index);
  if (!port.is_static()) {
    return Error::Ok;
  }
  if (port.shape.size() != port.dims.size() || port.data == nullptr) {
    port.shape.clear();
    for (const c::Dimension& dim : port.dims) {
      port.shape.push_back(dim.min);
    }
  }
  ET_CHECK_OK_OR_RETURN_ERROR(resize(port, tensor, port.shape));
  return show(library_, request_, port, tensor);
}

Error Executor::copy_output(const Port& port, Tensor& tensor) {
  c::Tensor* made = nullptr;
  c::Shape shape = {};
  size_t size = 0;
  void* data = nullptr;
  const bool is_read =
      succeeded(
          library_,
          library_.call.ov_infer_request_get_output_tensor_by_index(request_, port.index, &made),
          "reading an output") &&
      succeeded(library_, library_.call.ov_tensor_get_shape(made, &shape), "reading a shape") &&
      succeeded(library_, library_.call.ov_tensor_get_byte_size(made, &size), "reading a size");
  Error error = Error::Internal;
  if (is_read) {
    error = resize(port, tensor, std::vector<int64_t>(shape.dims, shape.dims + shape.rank));
  }
  if (error == Error::Ok && tensor.nbytes() != size) {
    ET_LOG(Error, "OpenVINO: output %zu has %zu bytes, expected are %zu", port.index, size,
           size_t(tensor.nbytes()));
    error = Error::Internal;
  }
  if (error == Error::Ok && size > 0) {
    const bool has_data = library_.call.ov_tensor_data(made, &data) == c::kOk && data != nullptr;
    error = has_data && tensor.mutable_data_ptr() != nullptr ? Error::Ok : Error::Internal;
    if (error == Error::Ok) {
      std::memcpy(tensor.mutable_data_ptr(), data, size);
    }
  }
  (void)library_.call.ov_shape_free(&shape);
  if (made != nullptr) {
    library_.call.ov_tensor_free(made);
  }
  return error;
}

void Executor::report(EventTracer* tracer, uint64_t begin) {
  c::NodeTimes times = {};
  if (library_.call.ov_infer_request_get_profiling_info(request_, &times) != c::kOk) {
    return;
  }
  const et_tick_ratio_t ratio = runtime::pal_ticks_to_ns_multiplier();
  et_timestamp_t start = begin;
  for (size_t i = 0; i < times.size; ++i) {
    const c::NodeTime& node = times.times[i];
    if (node.real_time <= 0 || node.node_name == nullptr || node.exec_type == nullptr) {
      continue;
    }
    const auto ticks = et_timestamp_t(double(node.real_time) * 1000 * double(ratio.denominator) /
                                      double(ratio.numerator));
    runtime::event_tracer_log_profiling_delegate(
        tracer, node.node_name, runtime::kUnsetDelegateDebugIntId, start, start + ticks,
        node.exec_type, std::strlen(node.exec_type));
    start += ticks;
  }
  library_.call.ov_profiling_info_list_free(&times);
}

Error Executor::run(Span<EValue*> args, BackendExecutionContext& context) {
  ET_CHECK_OR_RETURN_ERROR(args.size() == ports_.size(), InvalidArgument,
                           "OpenVINO: the delegate has %zu inputs and outputs, got %zu",
                           ports_.size(), args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(args[i] != nullptr, InvalidArgument, "OpenVINO: no argument %zu", i);
    Port& port = ports_[i];
    if (i >= num_inputs_) {
      ET_CHECK_OK_OR_RETURN_ERROR(prepare_output(port, *args[i], context));
    } else if (args[i]->isInt()) {
      ET_CHECK_OK_OR_RETURN_ERROR(show(library_, request_, port, args[i]->toInt()));
    } else {
      ET_CHECK_OR_RETURN_ERROR(args[i]->isTensor(), InvalidArgument,
                               "OpenVINO: input %zu is no tensor and no number", i);
      ET_CHECK_OK_OR_RETURN_ERROR(show(library_, request_, port, args[i]->toTensor()));
    }
  }
  const et_timestamp_t begin = is_profiled_ ? runtime::pal_current_ticks() : 0;
  ET_CHECK_OR_RETURN_ERROR(
      succeeded(library_, library_.call.ov_infer_request_infer(request_), "running"), Internal,
      "OpenVINO: the delegate failed");
  if (is_profiled_ && context.event_tracer() != nullptr) {
    report(context.event_tracer(), begin);
  }
  for (size_t i = num_inputs_; i < ports_.size(); ++i) {
    if (!ports_[i].is_static()) {
      ET_CHECK_OK_OR_RETURN_ERROR(copy_output(ports_[i], args[i]->toTensor()));
    }
  }
  return Error::Ok;
}

Error Executor::execute(Span<EValue*> args, BackendExecutionContext& context) {
  return guard_.run("OpenVINO", [&] { return run(args, context); });
}

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
