#pragma once

#include <functional>
#include <mutex>
#include <string>

#include <executorch/extension/llm/runner/irunner.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/python/py_arguments.h>
#include <executorch/runtime/python/py_class.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// What runners of language models call back.
using TextCallback = std::function<void(const std::string&)>;
using StatsCallback = std::function<void(const extension::llm::Stats&)>;

/// A turn with a runner. Throws Failure while another one has it.
std::unique_lock<std::mutex> take_turn(std::mutex& in_use);

/// Does something without the GIL that gives an error. Throws Failure for it, with what the log
/// says.
void without_gil(const char* what, const std::function<Error()>& function);

/// Generates without the GIL, and calls Python for each piece of text, of whole characters, and for
/// the figures. What is raised there, or by a signal, calls `stop` and goes on to the caller.
///
/// @param on_text, on_stats Functions of Python's, or nothing.
void generate_with_callbacks(
    const Object& on_text, const Object& on_stats,
    const std::function<Error(const TextCallback&, const StatsCallback&)>& generate,
    const std::function<void()>& stop);

/// An argument, or the default configuration where it was left out.
template <size_t kCount>
extension::llm::GenerationConfig config_argument(const Arguments<kCount>& arguments, size_t index) {
  using Config = extension::llm::GenerationConfig;
  if (arguments.object(index) == nullptr) {
    return Config();
  }
  return Class<Config>::of(arguments.instance(index, Class<Config>::type(), "GenerationConfig"));
}

/// Nothing for None and for what was left out.
inline Object callback_argument(PyObject* object) {
  return Object::borrow(object == Py_None ? nullptr : object);
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
