#pragma once

#include <exception>
#include <new>
#include <string>

#include <jni.h>

#include <executorch/extension/android/jni/calls.h>
#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/core/error.h>

namespace executorch {
namespace extension {
namespace jni {

/// Runs what a native method does. What the runtime logs as errors is in the exception of a call
/// that fails; no C++ exception reaches the virtual machine.
template <typename Body>
void guarded(JNIEnv* env, const char* what, Body&& body) noexcept {
  try {
    LogCapture::install();
    LogCapture log;
    const runtime::Error error = body();
    if (error != runtime::Error::Ok) {
      std::string message = what;
      for (const std::string& line : log.take()) {
        message += "\n" + line;
      }
      raise(env, static_cast<executorch_error>(error), message);
    }
  } catch (const std::bad_alloc&) {
    raise(env, static_cast<executorch_error>(runtime::Error::MemoryAllocationFailed),
          "the process has no more memory");
  } catch (const std::exception& exception) {
    raise(env, kInternal, exception.what());
  }
}

}  // namespace jni
}  // namespace extension
}  // namespace executorch
