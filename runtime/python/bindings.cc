/// The Python module `executorch.runtime.python._C`: what executorch.runtime and
/// executorch.extension.pybindings.portable_lib stand on. Its stub, _C.pyi, documents it.

#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/python/backend_options.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/llm_runner.h>
#include <executorch/runtime/python/metadata.h>
#include <executorch/runtime/python/method.h>
#include <executorch/runtime/python/program.h>
#include <executorch/runtime/python/py_class.h>
#include <executorch/runtime/python/threads.h>

namespace executorch {
namespace runtime {
namespace python {
namespace {

using PyProgram = std::shared_ptr<ProgramState>;
using PyMethod = std::shared_ptr<MethodState>;

constexpr char kModule[] = "executorch.runtime.python._C";

/// The class Verification.
PyTypeObject* verification_type = nullptr;

// --- Program ---

/// A path, or an object with the bytes themselves.
Source to_source(PyObject* object) {
  if (PyUnicode_Check(object) || attribute_if_any(object, "__fspath__")) {
    PyObject* encoded = nullptr;
    // Takes what open() takes, and encodes names as the system spells them.
    if (PyUnicode_FSConverter(object, &encoded) == 0) {
      throw PythonError();
    }
    const Object bytes = Object::steal(encoded);
    return Source::path(
        std::string(PyBytes_AsString(encoded), static_cast<size_t>(PyBytes_Size(encoded))));
  }
  return Source::buffer(Object::borrow(object));
}

Object load_program(const Call& call) {
  constexpr Parameters<5> kParameters = {
      "load_program", 3, {"program", "data", "verification", "enable_etdump", "debug_buffer_size"}};
  const Arguments<5> arguments(call, kParameters);
  const Object data = Object::borrow(arguments.instance(1, &PyList_Type, "list"));
  std::vector<Source> sources;
  for (Py_ssize_t i = 0; i < PyList_Size(data.get()); ++i) {
    // Asking for its path runs foreign code, which might shorten the list.
    sources.push_back(to_source(checked(PySequence_GetItem(data.get(), i)).get()));
  }
  PyObject* const verification = arguments.instance(2, verification_type, "Verification");
  const auto level = static_cast<Program::Verification>(PyLong_AsLong(verification));
  const TraceOptions trace = {arguments.boolean(3, false), arguments.size(4, 0)};
  return Class<PyProgram>::make(
      ProgramState::load(to_source(arguments.object(0)), sources, level, trace));
}

Tracer& tracer_of(const PyProgram& program) {
  if (program->tracer() == nullptr) {
    throw Failure(Error::InvalidState, "No etdump found: writing the events of " + program->name(),
                  {"nothing is recorded; load the program with enable_etdump=True"});
  }
  return *program->tracer();
}

Object method_names(PyProgram& self) { return to_python(self->method_names()); }
Object program_name(PyProgram& self) { return decode(self->name()); }
Object is_bundled(PyProgram& self) { return to_python(self->bundle() != nullptr); }
Object has_etdump(PyProgram& self) { return to_python(self->tracer() != nullptr); }
Object take_etdump(PyProgram& self) { return tracer_of(self).take_etdump(); }
Object debug_data(PyProgram& self) { return tracer_of(self).debug_data(); }

Object meta_by_name(PyProgram& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"method_meta", 1, {"method_name"}};
  return to_python(self, self->method_meta(Arguments<1>(call, kParameters).text(0)));
}

Object load_method(PyProgram& self, const Call& call) {
  constexpr Parameters<2> kParameters = {"load_method", 1, {"method_name", "backend_options"}};
  const Arguments<2> arguments(call, kParameters);
  const Object options = arguments.object(1) == nullptr
                             ? checked(PyDict_New())
                             : Object::borrow(arguments.instance(1, &PyDict_Type, "dict"));
  const LoadOptions load_options(options.get());
  return Class<PyMethod>::make(MethodState::load(self, arguments.text(0), load_options.map()));
}

PyMethodDef kProgramMethods[] = {
    getter<PyProgram, method_names>("method_names"),
    method<PyProgram, meta_by_name>("method_meta"),
    method<PyProgram, load_method>("load_method"),
    getter<PyProgram, program_name>("name"),
    getter<PyProgram, is_bundled>("is_bundled"),
    getter<PyProgram, has_etdump>("has_etdump"),
    getter<PyProgram, take_etdump>("take_etdump"),
    getter<PyProgram, debug_data>("debug_data"),
    {nullptr, nullptr, 0, nullptr},
};

// --- Method ---

Object call_inputs(PyMethod& self, const Call& call) {
  constexpr Parameters<2> kParameters = {"call", 1, {"inputs", "clone_outputs"}};
  const Arguments<2> arguments(call, kParameters);
  return self->call(Object::borrow(arguments.object(0)), arguments.boolean(1, true));
}

Object set_inputs(PyMethod& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"set_inputs", 1, {"inputs"}};
  self->set_inputs(Object::borrow(Arguments<1>(call, kParameters).object(0)));
  return none();
}

Object execute(PyMethod& self) {
  self->execute();
  return none();
}

Object get_outputs(PyMethod& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"get_outputs", 0, {"clone_outputs"}};
  return self->get_outputs(Arguments<1>(call, kParameters).boolean(0, true));
}

Object verify_bundled(PyMethod& self, const Call& call) {
  constexpr Parameters<3> kParameters = {"verify_bundled", 1, {"testset_idx", "rtol", "atol"}};
  const Arguments<3> arguments(call, kParameters);
  return self->verify_bundled(arguments.size(0), arguments.number(1, 1e-5),
                              arguments.number(2, 1e-8));
}

Object get_attribute(PyMethod& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"get_attribute", 1, {"name"}};
  return self->get_attribute(Arguments<1>(call, kParameters).text(0));
}

Object own_meta(PyMethod& self) {
  return to_python(self->program(), self->program()->method_meta(self->name()));
}

PyMethodDef kMethodMethods[] = {
    method<PyMethod, call_inputs>("call"),
    method<PyMethod, set_inputs>("set_inputs"),
    getter<PyMethod, execute>("execute"),
    method<PyMethod, get_outputs>("get_outputs"),
    method<PyMethod, verify_bundled>("verify_bundled"),
    method<PyMethod, get_attribute>("get_attribute"),
    getter<PyMethod, own_meta>("method_meta"),
    {nullptr, nullptr, 0, nullptr},
};

// --- what the process has ---

Object operator_names() {
  std::set<std::string> names;
  for (const Kernel& kernel : get_registered_kernels()) {
    names.insert(kernel.name_);
  }
  return to_python(std::vector<std::string>(names.begin(), names.end()));
}

Object backend_names() {
  std::vector<std::string> names;
  for (size_t i = 0; i < get_num_registered_backends(); ++i) {
    const Result<const char*> name = get_backend_name(i);
    if (name.ok()) {
      names.emplace_back(*name);
    }
  }
  return to_python(names);
}

Object is_backend_available(const Call& call) {
  constexpr Parameters<1> kParameters = {"is_backend_available", 1, {"backend_name"}};
  const BackendInterface* const backend =
      get_backend_class(Arguments<1>(call, kParameters).text(0).c_str());
  return to_python(backend != nullptr && backend->is_available());
}

Object set_options(const Call& call) {
  constexpr Parameters<2> kParameters = {"set_backend_options", 2, {"backend_name", "options"}};
  const Arguments<2> arguments(call, kParameters);
  set_backend_options(arguments.text(0), arguments.instance(1, &PyDict_Type, "dict"));
  return none();
}

Object count_threads() {
  size_t count = 0;
  {
    const GilRelease release;
    count = thread_count();
  }
  return to_python(count);
}

Object replace_threads(const Call& call) {
  constexpr Parameters<1> kParameters = {"reset_threads", 1, {"num_threads"}};
  const size_t count = Arguments<1>(call, kParameters).size(0);
  if (count > std::numeric_limits<uint32_t>::max()) {
    PyErr_Format(PyExc_TypeError, "reset_threads(): %zu threads are more than there can be", count);
    throw PythonError();
  }
  {
    // Waits for methods that run, which may wait for the GIL.
    const GilRelease release;
    if (!reset_threads(static_cast<uint32_t>(count))) {
      throw Failure(Error::Internal, "starting " + std::to_string(count) + " threads");
    }
  }
  return none();
}

PyMethodDef kFunctions[] = {
    function<load_program>("load_program"),
    plain_function<operator_names>("operator_names"),
    plain_function<backend_names>("backend_names"),
    function<is_backend_available>("is_backend_available"),
    function<set_options>("set_backend_options"),
    plain_function<count_threads>("thread_count"),
    function<replace_threads>("reset_threads"),
    {nullptr, nullptr, 0, nullptr},
};

/// enum.IntEnum("Verification", {...}), which pickles as a member of this module.
void define_verification(const Object& module) {
  const Object members = checked(PyDict_New());
  check(PyDict_SetItemString(members.get(), "Minimal",
                             to_python(static_cast<int>(Program::Verification::Minimal)).get()));
  check(PyDict_SetItemString(
      members.get(), "InternalConsistency",
      to_python(static_cast<int>(Program::Verification::InternalConsistency)).get()));
  Object made = call(import_from("enum", "IntEnum"), {decode("Verification"), members});
  check(PyObject_SetAttrString(made.get(), "__module__", decode(kModule).get()));
  check(PyObject_SetAttrString(module.get(), "Verification", made.get()));
  verification_type = reinterpret_cast<PyTypeObject*>(made.release());
}

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, kModule, nullptr, -1, kFunctions, nullptr, nullptr, nullptr, nullptr,
};

Object make_module() {
  Object module = checked(PyModule_Create(&definition));
  LogCapture::install();
  runtime_init();
  define_verification(module);
  define_metadata(module);
  Class<PyProgram>::define(module, "executorch.runtime.python._C.Program", kProgramMethods);
  Class<PyMethod>::define(module, "executorch.runtime.python._C.Method", kMethodMethods);
  define_llm_runner(module);
  return module;
}

}  // namespace
}  // namespace python
}  // namespace runtime
}  // namespace executorch

extern "C" __attribute__((visibility("default"))) PyObject* PyInit__C(void);

PyObject* PyInit__C(void) {
  return executorch::runtime::python::guarded(&executorch::runtime::python::make_module);
}
