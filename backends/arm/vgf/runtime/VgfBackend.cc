// The run-time half: a VGF file's graphs, which Vulkan runs.

#include <executorch/backends/arm/vgf/runtime/data_graph.h>
#include <executorch/backends/arm/vgf/runtime/device.h>
#include <executorch/backends/arm/vgf/runtime/vgf_file.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace arm {
namespace {

using aten::Tensor;
using runtime::ArrayRef;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::CompileSpec;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;

/// One value of a call is the tensor that the file has.
Error check_tensor(const EValue& value, const VgfTensor& wanted, const char* kind, size_t index) {
  ET_CHECK_OR_RETURN_ERROR(value.isTensor(), InvalidArgument, "VGF: %s %zu is no tensor", kind,
                           index);
  const Tensor& tensor = value.toTensor();
  bool is_same = runtime::tensor_is_default_or_channels_last_dim_order(tensor) &&
                 tensor.nbytes() == wanted.bytes &&
                 static_cast<size_t>(tensor.element_size()) == vgf_element_size(wanted.format);
  // A scalar has one element in the file.
  if (is_same && tensor.dim() != 0) {
    is_same = static_cast<size_t>(tensor.dim()) == wanted.shape.size();
    for (size_t i = 0; is_same && i < wanted.shape.size(); ++i) {
      // The file has the sizes in the order of memory.
      is_same = tensor.size(static_cast<ssize_t>(tensor.dim_order()[i])) == wanted.shape[i];
    }
  }
  ET_CHECK_OR_RETURN_ERROR(is_same, InvalidArgument,
                           "VGF: %s %zu has %zu bytes in %zu dimensions; the program was lowered "
                           "for %zu in %zu, in another order or with other sizes",
                           kind, index, static_cast<size_t>(tensor.nbytes()),
                           static_cast<size_t>(tensor.dim()), wanted.bytes, wanted.shape.size());
  return Error::Ok;
}

Error run(DataGraph& graph, BackendExecutionContext& context, Span<EValue*> args) {
  const VgfFile& file = graph.file();
  const size_t inputs = file.inputs.size();
  ET_CHECK_OR_RETURN_ERROR(args.size() == inputs + file.outputs.size(), InvalidArgument,
                           "VGF: the delegate has %zu inputs and %zu outputs, not %zu values",
                           inputs, file.outputs.size(), static_cast<size_t>(args.size()));
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_input = i < inputs;
    const size_t index = is_input ? i : i - inputs;
    const uint32_t tensor = is_input ? file.inputs[index] : file.outputs[index];
    ET_CHECK_OK_OR_RETURN_ERROR(
        check_tensor(*args[i], file.tensors[tensor], is_input ? "input" : "output", index));
    ET_CHECK_OR_RETURN_ERROR(is_input || context.may_write(args[i]->toTensor()), InvalidProgram,
                             "VGF: output %zu is a constant, or shows memory that is smaller",
                             index);
  }
  for (size_t i = 0; i < inputs; ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(graph.write(file.inputs[i], args[i]->toTensor().const_data_ptr()));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(graph.run());
  for (size_t i = 0; i < file.outputs.size(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        graph.read(file.outputs[i], args[inputs + i]->toTensor().mutable_data_ptr()));
  }
  return Error::Ok;
}

class VgfBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return data_graph_device().ok(); }

  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer* processed,
                               ArrayRef<CompileSpec>) const override {
    Result<VgfFile> file = read_vgf_file(processed->data(), processed->size());
    if (!file.ok()) {
      return file.error();
    }
    const Result<vk::Gpu*> gpu = data_graph_device();
    if (!gpu.ok()) {
      return gpu.error();
    }
    Result<std::unique_ptr<DataGraph>> graph = DataGraph::make(**gpu, std::move(*file));
    if (!graph.ok()) {
      return graph.error();
    }
    processed->Free();
    return static_cast<DelegateHandle*>(graph->release());
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    DataGraph& graph = *static_cast<DataGraph*>(handle);
    return graph.guard().run("VGF", [&] { return run(graph, context, args); });
  }

  void destroy(DelegateHandle* handle) const override { delete static_cast<DataGraph*>(handle); }

  size_t num_outputs(DelegateHandle* handle) const override {
    return static_cast<const DataGraph*>(handle)->file().outputs.size();
  }
};

VgfBackend backend;
[[maybe_unused]] const Error registered = runtime::register_backend({"VgfBackend", &backend});

}  // namespace
}  // namespace arm
}  // namespace backends
}  // namespace executorch
