#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/python/metadata.h>
#include <executorch/runtime/python/py_class.h>
#include <executorch/runtime/python/text.h>

namespace executorch {
namespace runtime {
namespace python {

using extension::LogCapture;

namespace {

/// Metadata points into its program, which it therefore keeps.
struct PyTensorInfo {
  std::shared_ptr<ProgramState> program;
  TensorInfo info;
};

struct PyMethodMeta {
  std::shared_ptr<ProgramState> program;
  MethodMeta meta;
};

// --- text ---

std::string describe(const TensorInfo& info) {
  return std::string("TensorInfo(sizes=") + shape_text(info.sizes()) +
         ", dtype=" + toString(info.scalar_type()) +
         ", is_memory_planned=" + (info.is_memory_planned() ? "True" : "False") +
         ", nbytes=" + std::to_string(info.nbytes()) + ")";
}

/// All inputs or outputs: tensors with their properties, other values by their kind.
template <typename Kind, typename Info>
std::string describe_all(size_t count, Kind&& kind, Info&& info) {
  LogCapture log;
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) {
    const Result<Tag> tag = kind(i);
    const Result<TensorInfo> tensor = info(i);
    text += i == 0 ? "'" : ", '";
    text += tensor.ok() ? describe(*tensor) : (tag.ok() ? value_kind(*tag) : "?");
    text += "'";
  }
  log.take();
  return text + "]";
}

std::string describe(const MethodMeta& meta) {
  const std::string inputs = describe_all(
      meta.num_inputs(), [&](size_t i) { return meta.input_tag(i); },
      [&](size_t i) { return meta.input_tensor_meta(i); });
  const std::string outputs = describe_all(
      meta.num_outputs(), [&](size_t i) { return meta.output_tag(i); },
      [&](size_t i) { return meta.output_tensor_meta(i); });
  return std::string("MethodMeta(name='") + meta.name() +
         "', num_inputs=" + std::to_string(meta.num_inputs()) + ", input_tensor_meta=" + inputs +
         ", num_outputs=" + std::to_string(meta.num_outputs()) + ", output_tensor_meta=" + outputs +
         ")";
}

// --- TensorInfo ---

Object sizes(PyTensorInfo& self) { return to_tuple(self.info.sizes()); }
Object dim_order(PyTensorInfo& self) { return to_tuple(self.info.dim_order()); }
Object dtype(PyTensorInfo& self) { return to_python(static_cast<int>(self.info.scalar_type())); }
Object dtype_text(PyTensorInfo& self) { return decode(dtype_name(self.info.scalar_type())); }
Object is_memory_planned(PyTensorInfo& self) { return to_python(self.info.is_memory_planned()); }
Object nbytes(PyTensorInfo& self) { return to_python(self.info.nbytes()); }
Object tensor_name(PyTensorInfo& self) {
  return decode(self.info.name().data(), self.info.name().size());
}
PyObject* tensor_repr(PyObject* self) {
  return guarded([&] { return decode(describe(Class<PyTensorInfo>::of(self).info)); });
}

PyMethodDef kTensorInfoMethods[] = {
    getter<PyTensorInfo, sizes>("sizes"),
    getter<PyTensorInfo, dim_order>("dim_order"),
    getter<PyTensorInfo, dtype>("dtype"),
    getter<PyTensorInfo, dtype_text>("dtype_name"),
    getter<PyTensorInfo, is_memory_planned>("is_memory_planned"),
    getter<PyTensorInfo, nbytes>("nbytes"),
    getter<PyTensorInfo, tensor_name>("name"),
    {nullptr, nullptr, 0, nullptr},
};

// --- MethodMeta ---

/// What a lookup by the call's index gives. Throws Failure.
template <typename T>
T look_up(PyMethodMeta& self, const Call& call, Result<T> (MethodMeta::*lookup)(size_t) const,
          const char* function, const char* what) {
  const Parameters<1> parameters = {function, 1, {"index"}};
  const size_t index = Arguments<1>(call, parameters).size(0);
  LogCapture log;
  const Result<T> found = (self.meta.*lookup)(index);
  if (!found.ok()) {
    throw Failure(found.error(),
                  std::string("looking up ") + what + " " + std::to_string(index) + " of method '" +
                      self.meta.name() + "'",
                  log.take(), FailureKind::kOutOfRange);
  }
  return *found;
}

Object method_name(PyMethodMeta& self) { return decode(self.meta.name()); }
Object num_inputs(PyMethodMeta& self) { return to_python(self.meta.num_inputs()); }
Object num_outputs(PyMethodMeta& self) { return to_python(self.meta.num_outputs()); }
Object num_attributes(PyMethodMeta& self) { return to_python(self.meta.num_attributes()); }
Object num_instructions(PyMethodMeta& self) { return to_python(self.meta.num_instructions()); }
Object num_buffers(PyMethodMeta& self) { return to_python(self.meta.num_memory_planned_buffers()); }

Object buffer_size(PyMethodMeta& self, const Call& call) {
  return to_python(look_up(self, call, &MethodMeta::memory_planned_buffer_size,
                           "memory_planned_buffer_size", "memory-planned buffer"));
}

Object input_tensor(PyMethodMeta& self, const Call& call) {
  return Class<PyTensorInfo>::make(
      {self.program,
       look_up(self, call, &MethodMeta::input_tensor_meta, "input_tensor_meta", "input")});
}

Object output_tensor(PyMethodMeta& self, const Call& call) {
  return Class<PyTensorInfo>::make(
      {self.program,
       look_up(self, call, &MethodMeta::output_tensor_meta, "output_tensor_meta", "output")});
}

Object attribute_tensor(PyMethodMeta& self, const Call& call) {
  return Class<PyTensorInfo>::make(
      {self.program, look_up(self, call, &MethodMeta::attribute_tensor_meta,
                             "attribute_tensor_meta", "attribute")});
}

Object input_kind(PyMethodMeta& self, const Call& call) {
  return decode(value_kind(look_up(self, call, &MethodMeta::input_tag, "input_kind", "input")));
}

Object output_kind(PyMethodMeta& self, const Call& call) {
  return decode(value_kind(look_up(self, call, &MethodMeta::output_tag, "output_kind", "output")));
}

Object uses_backend(PyMethodMeta& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"uses_backend", 1, {"backend_name"}};
  const std::string name = Arguments<1>(call, kParameters).text(0);
  return to_python(self.meta.uses_backend(name.c_str()));
}

Object backend_names(PyMethodMeta& self) {
  std::vector<std::string> names;
  LogCapture log;
  for (size_t i = 0; i < self.meta.num_backends(); ++i) {
    const Result<const char*> name = self.meta.get_backend_name(i);
    if (!name.ok()) {
      throw Failure(
          name.error(),
          "looking up backend " + std::to_string(i) + " of method '" + self.meta.name() + "'",
          log.take(), FailureKind::kOutOfRange);
    }
    names.emplace_back(*name);
  }
  return to_python(names);
}

PyObject* method_repr(PyObject* self) {
  return guarded([&] { return decode(describe(Class<PyMethodMeta>::of(self).meta)); });
}

PyMethodDef kMethodMetaMethods[] = {
    getter<PyMethodMeta, method_name>("name"),
    getter<PyMethodMeta, num_inputs>("num_inputs"),
    getter<PyMethodMeta, num_outputs>("num_outputs"),
    getter<PyMethodMeta, num_attributes>("num_attributes"),
    getter<PyMethodMeta, num_instructions>("num_instructions"),
    getter<PyMethodMeta, num_buffers>("num_memory_planned_buffers"),
    method<PyMethodMeta, buffer_size>("memory_planned_buffer_size"),
    method<PyMethodMeta, input_tensor>("input_tensor_meta"),
    method<PyMethodMeta, output_tensor>("output_tensor_meta"),
    method<PyMethodMeta, attribute_tensor>("attribute_tensor_meta"),
    method<PyMethodMeta, input_kind>("input_kind"),
    method<PyMethodMeta, output_kind>("output_kind"),
    method<PyMethodMeta, uses_backend>("uses_backend"),
    getter<PyMethodMeta, backend_names>("backend_names"),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void define_metadata(const Object& module) {
  Class<PyTensorInfo>::define(module, "executorch.runtime.python._C.TensorInfo", kTensorInfoMethods,
                              {&tensor_repr});
  Class<PyMethodMeta>::define(module, "executorch.runtime.python._C.MethodMeta", kMethodMetaMethods,
                              {&method_repr});
}

Object to_python(std::shared_ptr<ProgramState> program, const MethodMeta& meta) {
  return Class<PyMethodMeta>::make({std::move(program), meta});
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
