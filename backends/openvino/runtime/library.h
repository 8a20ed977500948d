#pragma once

#include <string>

#include <executorch/backends/openvino/runtime/c_interface.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace openvino {

/// The environment variable that says where OpenVINO's C library is: the file, or its directory.
/// The Python bindings set it to that of the installed package `openvino`.
constexpr char kLibraryVariable[] = "OPENVINO_LIB_PATH";

/// OpenVINO's C library, once loaded. It stays loaded: its threads and plugins outlive any model.
struct Library {
  Functions call;
  std::string path;
  std::string version;
};

/// The library of this process. The first call that finds one loads it; later ones return the same.
/// Asked are, in this order: `path` unless empty, the variable, the system's loader for
/// `libopenvino_c.so`, the directories of LD_LIBRARY_PATH for `libopenvino_c.so.VERSION`, which is
/// all that the Python package has.
///
/// @retval Error::NotFound There is none, or it lacks a function; the log says where it was looked
///     for, if `is_logged`.
runtime::Result<const Library*> load_library(const std::string& path = {}, bool is_logged = true);

/// Says what failed, with OpenVINO's own words.
///
/// @return Whether it succeeded.
bool succeeded(const Library& library, c::Status status, const char* what);

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
