#include <array>
#include <limits>
#include <string>
#include <utility>

#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/python/backend_options.h>
#include <executorch/runtime/python/failure.h>

namespace executorch {
namespace runtime {
namespace python {

using extension::LogCapture;

namespace {

using Text = std::array<char, kMaxOptionValueLength>;

/// The text of a Python str. Throws Failure if it does not fit into `capacity` bytes with its zero.
std::string bounded_text(PyObject* object, size_t capacity, const std::string& what) {
  const std::string text = text_of(object);
  if (text.size() >= capacity || text.find('\0') != std::string::npos) {
    throw Failure(Error::InvalidArgument, what,
                  {"it has " + std::to_string(text.size()) + " bytes, there is room for " +
                   std::to_string(capacity - 1) + ", none of them zero"},
                  FailureKind::kInputValue);
  }
  return text;
}

[[noreturn]] void refuse_type(const std::string& what, PyObject* given) {
  throw Failure(Error::InvalidArgument, what,
                {"expected a bool, an int or a str, found a " + type_name(given)},
                FailureKind::kInputType);
}

OptionValue value_of(PyObject* object, const std::string& what) {
  if (PyBool_Check(object)) {
    return object == Py_True;
  }
  if (PyLong_Check(object)) {
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(object, &overflow);
    if (overflow != 0 || value < std::numeric_limits<int>::min() ||
        value > std::numeric_limits<int>::max()) {
      throw Failure(Error::InvalidArgument, what, {"the number has more than 32 bits"},
                    FailureKind::kInputValue);
    }
    return static_cast<int>(value);
  }
  if (!PyUnicode_Check(object)) {
    refuse_type(what, object);
  }
  Text value{};
  const std::string text = bounded_text(object, value.size(), what);
  text.copy(value.data(), value.size() - 1);
  return value;
}

std::string title_of(const std::string& backend) { return "options of backend '" + backend + "'"; }

/// Keys and values of a dictionary as they are now: what is done with them may run foreign code.
std::vector<std::pair<Object, Object>> items_of(PyObject* dictionary) {
  const Object items = checked(PyDict_Items(dictionary));
  std::vector<std::pair<Object, Object>> pairs;
  for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
    PyObject* const item = PyList_GetItem(items.get(), i);
    pairs.emplace_back(Object::borrow(PyTuple_GetItem(item, 0)),
                       Object::borrow(PyTuple_GetItem(item, 1)));
  }
  return pairs;
}

}  // namespace

std::vector<BackendOption> backend_options_of(const std::string& backend, PyObject* options) {
  std::vector<BackendOption> made;
  for (const auto& [name, value] : items_of(options)) {
    const std::string title = title_of(backend) + ": ";
    if (!PyUnicode_Check(name.get())) {
      throw Failure(Error::InvalidArgument, title + "a key", {"keys of options are texts"},
                    FailureKind::kInputType);
    }
    BackendOption option;
    const std::string key = bounded_text(name.get(), kMaxOptionKeyLength, title + "a key");
    key.copy(option.key, kMaxOptionKeyLength - 1);
    option.value = value_of(value.get(), title + key);
    made.push_back(option);
  }
  return made;
}

LoadOptions::LoadOptions(PyObject* options) {
  const auto items = items_of(options);
  options_.reserve(items.size());
  for (const auto& [backend, its_options] : items) {
    const std::string title = title_of(described(backend.get()));
    if (!PyUnicode_Check(backend.get()) || !PyDict_Check(its_options.get())) {
      throw Failure(Error::InvalidArgument, title,
                    {"expected a name and a dictionary, such as {'Backend': {'key': 1}}"},
                    FailureKind::kInputType);
    }
    options_.push_back(backend_options_of(text_of(backend.get()), its_options.get()));
    const std::string name = bounded_text(backend.get(), LoadBackendOptionsMap::kMaxBackendIdLength,
                                          title + ": the name");
    LogCapture log;
    const std::vector<BackendOption>& stored = options_.back();
    const Error error = map_.set_options(name.c_str(), {stored.data(), stored.size()});
    if (error != Error::Ok) {
      throw Failure(error, title, log.take(), FailureKind::kInputValue);
    }
  }
}

void set_backend_options(const std::string& backend, PyObject* options) {
  std::vector<BackendOption> made = backend_options_of(backend, options);
  LogCapture log;
  Error error = Error::Ok;
  {
    const GilRelease release;
    error = set_option(backend.c_str(), {made.data(), made.size()});
  }
  if (error != Error::Ok) {
    throw Failure(error, "setting " + title_of(backend), log.take());
  }
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
