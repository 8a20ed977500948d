#include <cstddef>
#include <exception>
#include <utility>

#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/llm_callbacks.h>

namespace executorch {
namespace runtime {
namespace python {
namespace {

using ::executorch::extension::LogCapture;
using ::executorch::extension::llm::Stats;

/// Holds bytes back until they are whole characters.
class Characters {
 public:
  /// Takes more bytes; returns what can be shown.
  std::string add(const std::string& bytes) {
    held_ += bytes;
    const size_t whole = held_.size() - unfinished();
    std::string text = held_.substr(0, whole);
    held_.erase(0, whole);
    return text;
  }

  std::string rest() { return std::exchange(held_, std::string()); }

 private:
  /// How many bytes at the end begin a character that goes on.
  size_t unfinished() const {
    for (size_t back = 1; back <= held_.size() && back < 4; ++back) {
      const auto byte = static_cast<unsigned char>(held_[held_.size() - back]);
      if ((byte & 0xc0) != 0x80) {
        const size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return length > back ? back : 0;
      }
    }
    return 0;
  }

  std::string held_;
};

/// A Python exception put aside while C++ goes on. Needs the GIL.
class Raised {
 public:
  /// Takes what was thrown here, or what Python has set.
  void take(const std::exception_ptr& thrown) {
    set_python_error(thrown);
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    type_ = Object::steal(type);
    value_ = Object::steal(value);
    trace_ = Object::steal(trace);
  }

  explicit operator bool() const { return static_cast<bool>(type_); }

  [[noreturn]] void raise() {
    PyErr_Restore(type_.release(), value_.release(), trace_.release());
    throw PythonError();
  }

 private:
  Object type_, value_, trace_;
};

void check_error(Error error, const char* what, LogCapture& log) {
  if (error != Error::Ok) {
    throw Failure(error, what, log.take());
  }
}

}  // namespace

std::unique_lock<std::mutex> take_turn(std::mutex& in_use) {
  std::unique_lock<std::mutex> turn(in_use, std::try_to_lock);
  if (!turn.owns_lock()) {
    throw Failure(Error::InvalidState, "using a runner that is busy: another call has not ended");
  }
  return turn;
}

void without_gil(const char* what, const std::function<Error()>& function) {
  LogCapture log;
  Error error = Error::Ok;
  {
    const GilRelease released;
    error = function();
  }
  check_error(error, what, log);
}

void generate_with_callbacks(
    const Object& on_text, const Object& on_stats,
    const std::function<Error(const TextCallback&, const StatsCallback&)>& generate,
    const std::function<void()>& stop) {
  LogCapture log;
  Raised raised;
  const auto tell = [&](const Object& function, const std::function<Object()>& make) {
    const GilAcquire acquired;
    if (raised) {
      return;
    }
    try {
      check(PyErr_CheckSignals());
      if (function) {
        call(function, {make()});
      }
    } catch (const std::exception&) {
      raised.take(std::current_exception());
      stop();
    }
  };
  Characters characters;
  const auto show = [&](const std::string& text) {
    if (!text.empty()) {
      tell(on_text, [&] { return decode(text); });
    }
  };
  Error error = Error::Ok;
  {
    const GilRelease released;
    error = generate(
        [&](const std::string& piece) { show(characters.add(piece)); },
        [&](const Stats& stats) { tell(on_stats, [&] { return Class<Stats>::make(stats); }); });
    show(characters.rest());
  }
  if (raised) {
    raised.raise();
  }
  check_error(error, "generating text", log);
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
