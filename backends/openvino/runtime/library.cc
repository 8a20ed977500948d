#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include <dirent.h>
#include <dlfcn.h>
#include <sys/stat.h>

#include <executorch/backends/openvino/runtime/library.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace openvino {

using runtime::Error;
using runtime::Result;

namespace {

constexpr char kName[] = "libopenvino_c.so";

std::mutex mutex;
std::unique_ptr<Library> loaded;

/// The library's file in a directory: without a version, else the last in the order of names.
std::string file_in(const std::string& directory) {
  DIR* const opened = opendir(directory.c_str());
  if (opened == nullptr) {
    return {};
  }
  std::string found;
  while (const dirent* const entry = readdir(opened)) {
    const std::string name = entry->d_name;
    if (name == kName) {
      found = name;
      break;
    }
    if (name.compare(0, sizeof(kName), std::string(kName) + ".") == 0) {
      found = std::max(found, name);
    }
  }
  closedir(opened);
  return found.empty() ? found : directory + "/" + found;
}

/// Where a setting points at: a file, or a directory that has it.
std::string file_at(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    const std::string inside = file_in(path);
    return inside.empty() ? path + "/" + kName : inside;
  }
  return path;
}

std::vector<std::string> candidates(const std::string& path) {
  if (!path.empty()) {
    return {file_at(path)};
  }
  const char* const variable = std::getenv(kLibraryVariable);
  if (variable != nullptr && variable[0] != '\0') {
    return {file_at(variable)};
  }
  std::vector<std::string> found = {kName};
  const char* const directories = std::getenv("LD_LIBRARY_PATH");
  std::string rest = directories == nullptr ? "" : directories;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string file = end == 0 ? "" : file_in(rest.substr(0, end));
    if (!file.empty()) {
      found.push_back(file);
    }
    rest.erase(0, end + 1);
  }
  return found;
}

/// Null, with the reason, where the file cannot be loaded or is something else.
std::unique_ptr<Library> open_library(const std::string& file, std::vector<std::string>& reasons) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    reasons.push_back(why == nullptr ? file : why);
    return nullptr;
  }
  auto made = std::make_unique<Library>();
  made->path = file;
#define EXECUTORCH_OPENVINO_FIND(result, name, parameters)                             \
  made->call.name = reinterpret_cast<decltype(made->call.name)>(dlsym(handle, #name)); \
  if (made->call.name == nullptr) {                                                    \
    reasons.push_back(file + " has no function " #name);                               \
    dlclose(handle);                                                                   \
    return nullptr;                                                                    \
  }
  EXECUTORCH_OPENVINO_FUNCTIONS(EXECUTORCH_OPENVINO_FIND)
#undef EXECUTORCH_OPENVINO_FIND
  c::Version version = {};
  if (made->call.ov_get_openvino_version(&version) == c::kOk) {
    made->version = version.build_number == nullptr ? "" : version.build_number;
    made->call.ov_version_free(&version);
  }
  return made;
}

/// A message without the lines that name places in OpenVINO's sources; lines of the log are short.
std::string without_places(std::string rest) {
  std::string kept;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    if (end > 0 && rest.compare(0, 15, "Exception from ") != 0) {
      kept += (kept.empty() ? "" : " ") + rest.substr(0, end);
    }
    rest.erase(0, end + 1);
  }
  return kept;
}

}  // namespace

Result<const Library*> load_library(const std::string& path, bool is_logged) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (loaded != nullptr) {
    return loaded.get();
  }
  std::vector<std::string> reasons;
  for (const std::string& file : candidates(path)) {
    loaded = open_library(file, reasons);
    if (loaded != nullptr) {
      ET_LOG(Debug, "OpenVINO: %s from %s", loaded->version.c_str(), loaded->path.c_str());
      return loaded.get();
    }
  }
  if (is_logged) {
    for (const std::string& reason : reasons) {
      ET_LOG(Error, "OpenVINO: %s", reason.c_str());
    }
    ET_LOG(
        Error,
        "OpenVINO: its library cannot be loaded. Way out: pip install openvino, which the Python "
        "bindings find, or set %s to libopenvino_c.so or its directory",
        kLibraryVariable);
  }
  return Error::NotFound;
}

bool succeeded(const Library& library, c::Status status, const char* what) {
  if (status == c::kOk) {
    return true;
  }
  const char* const message = library.call.ov_get_last_err_msg();
  const std::string why = without_places(message == nullptr ? "" : message);
  ET_LOG(Error, "OpenVINO: %s failed (status %d): %s", what, int(status),
         why.empty() ? "it does not say why" : why.c_str());
  return false;
}

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
