/// The Python module `executorch.runtime.python._C`: what executorch.runtime and
/// executorch.extension.pybindings.portable_lib stand on. Its stub, _C.pyi, documents it.

#include <set>

#include <pybind11/native_enum.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/python/backend_options.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/llm_runner.h>
#include <executorch/runtime/python/method.h>
#include <executorch/runtime/python/program.h>
#include <executorch/runtime/python/text.h>
#include <executorch/runtime/python/threads.h>

namespace py = pybind11;

namespace executorch {
namespace runtime {
namespace python {
namespace {

using executorch::aten::ScalarType;

/// Metadata points into its program, which it therefore keeps.
struct PyTensorInfo {
  std::shared_ptr<ProgramState> program;
  TensorInfo info;
};

struct PyMethodMeta {
  std::shared_ptr<ProgramState> program;
  MethodMeta meta;

  /// The value of a lookup by index. Throws Failure.
  template <typename T>
  T get(Result<T> result, LogCapture& log, const char* what, size_t index) const {
    if (!result.ok()) {
      throw Failure(result.error(),
                    std::string("looking up ") + what + " " + std::to_string(index) +
                        " of method '" + meta.name() + "'",
                    log.take(), FailureKind::kOutOfRange);
    }
    return *result;
  }

  template <typename T>
  PyTensorInfo tensor(Result<T> result, LogCapture& log, const char* what, size_t index) const {
    return {program, get(std::move(result), log, what, index)};
  }
};

py::tuple to_tuple(Span<const int32_t> values) {
  py::tuple result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    result[i] = py::int_(values[i]);
  }
  return result;
}

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

void bind_enums(py::module_& m) {
  py::native_enum<Program::Verification>(m, "Verification", "enum.IntEnum")
      .value("Minimal", Program::Verification::Minimal)
      .value("InternalConsistency", Program::Verification::InternalConsistency)
      .finalize();
}

void bind_tensor_info(py::module_& m) {
  py::class_<PyTensorInfo>(m, "TensorInfo")
      .def("sizes", [](const PyTensorInfo& self) { return to_tuple(self.info.sizes()); })
      .def("dim_order",
           [](const PyTensorInfo& self) {
             py::tuple result(self.info.dim_order().size());
             for (size_t i = 0; i < self.info.dim_order().size(); ++i) {
               result[i] = py::int_(self.info.dim_order()[i]);
             }
             return result;
           })
      .def("dtype",
           [](const PyTensorInfo& self) { return static_cast<int>(self.info.scalar_type()); })
      .def("dtype_name",
           [](const PyTensorInfo& self) { return dtype_name(self.info.scalar_type()); })
      .def("is_memory_planned",
           [](const PyTensorInfo& self) { return self.info.is_memory_planned(); })
      .def("nbytes", [](const PyTensorInfo& self) { return self.info.nbytes(); })
      .def("name",
           [](const PyTensorInfo& self) {
             return decode(self.info.name().data(), self.info.name().size());
           })
      .def("__repr__", [](const PyTensorInfo& self) { return decode(describe(self.info)); });
}

void bind_method_meta(py::module_& m) {
  using Meta = PyMethodMeta;
  py::class_<Meta>(m, "MethodMeta")
      .def("name", [](const Meta& self) { return decode(std::string(self.meta.name())); })
      .def("num_inputs", [](const Meta& self) { return self.meta.num_inputs(); })
      .def("num_outputs", [](const Meta& self) { return self.meta.num_outputs(); })
      .def("num_attributes", [](const Meta& self) { return self.meta.num_attributes(); })
      .def("num_instructions", [](const Meta& self) { return self.meta.num_instructions(); })
      .def("num_memory_planned_buffers",
           [](const Meta& self) { return self.meta.num_memory_planned_buffers(); })
      .def(
          "memory_planned_buffer_size",
          [](const Meta& self, size_t index) {
            LogCapture log;
            return self.get(self.meta.memory_planned_buffer_size(index), log,
                            "memory-planned buffer", index);
          },
          py::arg("index"))
      .def(
          "input_tensor_meta",
          [](const Meta& self, size_t index) {
            LogCapture log;
            return self.tensor(self.meta.input_tensor_meta(index), log, "input", index);
          },
          py::arg("index"))
      .def(
          "output_tensor_meta",
          [](const Meta& self, size_t index) {
            LogCapture log;
            return self.tensor(self.meta.output_tensor_meta(index), log, "output", index);
          },
          py::arg("index"))
      .def(
          "attribute_tensor_meta",
          [](const Meta& self, size_t index) {
            LogCapture log;
            return self.tensor(self.meta.attribute_tensor_meta(index), log, "attribute", index);
          },
          py::arg("index"))
      .def(
          "input_kind",
          [](const Meta& self, size_t index) {
            LogCapture log;
            return value_kind(self.get(self.meta.input_tag(index), log, "input", index));
          },
          py::arg("index"))
      .def(
          "output_kind",
          [](const Meta& self, size_t index) {
            LogCapture log;
            return value_kind(self.get(self.meta.output_tag(index), log, "output", index));
          },
          py::arg("index"))
      .def(
          "uses_backend",
          [](const Meta& self, const std::string& name) {
            return self.meta.uses_backend(name.c_str());
          },
          py::arg("backend_name"))
      .def("backend_names",
           [](const Meta& self) {
             py::list names;
             LogCapture log;
             for (size_t i = 0; i < self.meta.num_backends(); ++i) {
               names.append(
                   decode(std::string(self.get(self.meta.get_backend_name(i), log, "backend", i))));
             }
             return names;
           })
      .def("__repr__", [](const Meta& self) { return decode(describe(self.meta)); });
}

/// A path, or an object with the bytes themselves.
Source to_source(const py::object& object) {
  if (py::isinstance<py::str>(object) || py::hasattr(object, "__fspath__")) {
    PyObject* encoded = nullptr;
    // Takes what open() takes, and encodes names as the system spells them.
    if (PyUnicode_FSConverter(object.ptr(), &encoded) == 0) {
      throw py::error_already_set();
    }
    const auto bytes = py::reinterpret_steal<py::bytes>(encoded);
    return Source::path(std::string(bytes));
  }
  return Source::buffer(object);
}

std::shared_ptr<ProgramState> load_program(const py::object& program, const py::list& data,
                                           Program::Verification verification, bool enable_etdump,
                                           size_t debug_buffer_size) {
  std::vector<Source> sources;
  for (const py::handle& item : data) {
    sources.push_back(to_source(py::reinterpret_borrow<py::object>(item)));
  }
  return ProgramState::load(to_source(program), sources, verification,
                            {enable_etdump, debug_buffer_size});
}

Tracer& tracer_of(const ProgramState& program) {
  if (program.tracer() == nullptr) {
    throw Failure(Error::InvalidState, "No etdump found: writing the events of " + program.name(),
                  {"nothing is recorded; load the program with enable_etdump=True"});
  }
  return *program.tracer();
}

void bind_program(py::module_& m) {
  py::class_<ProgramState, std::shared_ptr<ProgramState>>(m, "Program")
      .def("method_names",
           [](const ProgramState& self) {
             py::list names;
             for (const std::string& name : self.method_names()) {
               names.append(decode(name));
             }
             return names;
           })
      .def(
          "method_meta",
          [](const std::shared_ptr<ProgramState>& self, const std::string& name) {
            return PyMethodMeta{self, self->method_meta(name)};
          },
          py::arg("method_name"))
      .def(
          "load_method",
          [](const std::shared_ptr<ProgramState>& self, const std::string& name,
             const py::dict& backend_options) {
            const LoadOptions options(backend_options);
            return MethodState::load(self, name, options.map());
          },
          py::arg("method_name"), py::arg("backend_options") = py::dict())
      .def("name", [](const ProgramState& self) { return decode(self.name()); })
      .def("is_bundled", [](const ProgramState& self) { return self.bundle() != nullptr; })
      .def("has_etdump", [](const ProgramState& self) { return self.tracer() != nullptr; })
      .def("take_etdump", [](const ProgramState& self) { return tracer_of(self).take_etdump(); })
      .def("debug_data", [](const ProgramState& self) { return tracer_of(self).debug_data(); });
  m.def("load_program", &load_program, py::arg("program"), py::arg("data"), py::arg("verification"),
        py::arg("enable_etdump") = false, py::arg("debug_buffer_size") = 0);
}

void bind_method(py::module_& m) {
  py::class_<MethodState, std::shared_ptr<MethodState>>(m, "Method")
      .def("call", &MethodState::call, py::arg("inputs"), py::arg("clone_outputs") = true)
      .def("set_inputs", &MethodState::set_inputs, py::arg("inputs"))
      .def("execute", &MethodState::execute)
      .def("get_outputs", &MethodState::get_outputs, py::arg("clone_outputs") = true)
      .def("verify_bundled", &MethodState::verify_bundled, py::arg("testset_idx"),
           py::arg("rtol") = 1e-5, py::arg("atol") = 1e-8)
      .def("get_attribute", &MethodState::get_attribute, py::arg("name"))
      .def("method_meta", [](const MethodState& self) {
        return PyMethodMeta{self.program(), self.program()->method_meta(self.name())};
      });
}

void bind_registries(py::module_& m) {
  m.def("operator_names", []() {
    std::set<std::string> names;
    for (const Kernel& kernel : get_registered_kernels()) {
      names.insert(kernel.name_);
    }
    return std::vector<std::string>(names.begin(), names.end());
  });
  m.def("backend_names", []() {
    std::vector<std::string> names;
    for (size_t i = 0; i < get_num_registered_backends(); ++i) {
      const Result<const char*> name = get_backend_name(i);
      if (name.ok()) {
        names.emplace_back(*name);
      }
    }
    return names;
  });
  m.def(
      "is_backend_available",
      [](const std::string& name) {
        const BackendInterface* backend = get_backend_class(name.c_str());
        return backend != nullptr && backend->is_available();
      },
      py::arg("backend_name"));
  m.def("set_backend_options", &set_backend_options, py::arg("backend_name"), py::arg("options"));
}

void bind_threads(py::module_& m) {
  m.def("thread_count", []() {
    const py::gil_scoped_release release;
    return thread_count();
  });
  m.def(
      "reset_threads",
      [](uint32_t count) {
        // Waits for methods that run, which may wait for the GIL.
        const py::gil_scoped_release release;
        if (!reset_threads(count)) {
          throw Failure(Error::Internal, "starting " + std::to_string(count) + " threads");
        }
      },
      py::arg("num_threads"));
}

}  // namespace

PYBIND11_MODULE(_C, m) {
  LogCapture::install();
  runtime_init();
  register_failure_translator();
  bind_enums(m);
  bind_tensor_info(m);
  bind_method_meta(m);
  bind_program(m);
  bind_method(m);
  bind_registries(m);
  bind_threads(m);
  bind_llm_runner(m.def_submodule("llm_runner"));
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
