#include <array>
#include <limits>
#include <string>

#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/python/backend_options.h>
#include <executorch/runtime/python/failure.h>

namespace py = pybind11;

namespace executorch {
namespace runtime {
namespace python {

using extension::LogCapture;

namespace {

using Text = std::array<char, kMaxOptionValueLength>;

/// The text of a Python str. Throws Failure if it does not fit into `capacity` bytes with its zero.
std::string text_of(const py::handle& object, size_t capacity, const std::string& what) {
  const std::string text = py::cast<std::string>(object);
  if (text.size() >= capacity || text.find('\0') != std::string::npos) {
    throw Failure(Error::InvalidArgument, what,
                  {"it has " + std::to_string(text.size()) + " bytes, there is room for " +
                   std::to_string(capacity - 1) + ", none of them zero"},
                  FailureKind::kInputValue);
  }
  return text;
}

[[noreturn]] void refuse_type(const std::string& what, const py::handle& given) {
  throw Failure(
      Error::InvalidArgument, what,
      {std::string("expected a bool, an int or a str, found a ") + Py_TYPE(given.ptr())->tp_name},
      FailureKind::kInputType);
}

OptionValue value_of(const py::handle& object, const std::string& what) {
  if (PyBool_Check(object.ptr())) {
    return object.ptr() == Py_True;
  }
  if (PyLong_Check(object.ptr())) {
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(object.ptr(), &overflow);
    if (overflow != 0 || value < std::numeric_limits<int>::min() ||
        value > std::numeric_limits<int>::max()) {
      throw Failure(Error::InvalidArgument, what, {"the number has more than 32 bits"},
                    FailureKind::kInputValue);
    }
    return static_cast<int>(value);
  }
  if (!PyUnicode_Check(object.ptr())) {
    refuse_type(what, object);
  }
  Text value{};
  const std::string text = text_of(object, value.size(), what);
  text.copy(value.data(), value.size() - 1);
  return value;
}

std::string title_of(const py::handle& backend) {
  return "options of backend '" + py::cast<std::string>(py::str(backend)) + "'";
}

}  // namespace

std::vector<BackendOption> backend_options_of(const py::str& backend, const py::dict& options) {
  std::vector<BackendOption> made;
  for (const auto& item : options) {
    const std::string title = title_of(backend) + ": ";
    if (!PyUnicode_Check(item.first.ptr())) {
      throw Failure(Error::InvalidArgument, title + "a key", {"keys of options are texts"},
                    FailureKind::kInputType);
    }
    BackendOption option;
    const std::string key = text_of(item.first, kMaxOptionKeyLength, title + "a key");
    key.copy(option.key, kMaxOptionKeyLength - 1);
    option.value = value_of(item.second, title + key);
    made.push_back(option);
  }
  return made;
}

LoadOptions::LoadOptions(const py::dict& options) {
  options_.reserve(options.size());
  for (const auto& item : options) {
    const std::string title = title_of(item.first);
    if (!PyUnicode_Check(item.first.ptr()) || !PyDict_Check(item.second.ptr())) {
      throw Failure(Error::InvalidArgument, title,
                    {"expected a name and a dictionary, such as {'Backend': {'key': 1}}"},
                    FailureKind::kInputType);
    }
    options_.push_back(backend_options_of(py::reinterpret_borrow<py::str>(item.first),
                                          py::reinterpret_borrow<py::dict>(item.second)));
    const std::string name =
        text_of(item.first, LoadBackendOptionsMap::kMaxBackendIdLength, title + ": the name");
    LogCapture log;
    const std::vector<BackendOption>& stored = options_.back();
    const Error error = map_.set_options(name.c_str(), {stored.data(), stored.size()});
    if (error != Error::Ok) {
      throw Failure(error, title, log.take(), FailureKind::kInputValue);
    }
  }
}

void set_backend_options(const py::str& backend, const py::dict& options) {
  std::vector<BackendOption> made = backend_options_of(backend, options);
  const std::string name = py::cast<std::string>(backend);
  LogCapture log;
  Error error = Error::Ok;
  {
    const py::gil_scoped_release release;
    error = set_option(name.c_str(), {made.data(), made.size()});
  }
  if (error != Error::Ok) {
    throw Failure(error, "setting " + title_of(backend), log.take());
  }
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
