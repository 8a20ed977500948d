#pragma once

#include <map>
#include <mutex>
#include <string>

#include <executorch/runtime/backend/backend_init_context.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace openvino {

/// The name that programs call the backend by.
constexpr char openvino_backend_key[] = "OpenvinoBackend";
/// Where OpenVINO's library is (a text); before OPENVINO_LIB_PATH. Counts until one is loaded.
constexpr char library_path_option_key[] = "library_path";
/// Read only: the version that is loaded, and the devices that it has, with commas between.
constexpr char library_version_option_key[] = "library_version";
constexpr char available_devices_option_key[] = "available_devices";

/// Properties of OpenVINO, by name.
using Properties = std::map<std::string, std::string>;

/// Where a delegate runs, and what is asked of OpenVINO for it.
struct Settings {
  std::string device = "CPU";
  Properties properties;
};

/// The backend's settings. Every key of capital letters, digits and underscores is a property of
/// OpenVINO (`INFERENCE_NUM_THREADS`, `PERFORMANCE_HINT` ...): numbers and texts as they are, true
/// and false as YES and NO; an empty text takes it back. Safe to use from several threads.
class Options {
 public:
  /// Changes the setting that the option names. Options of other names are left alone, with a word
  /// in the log.
  ///
  /// @retval Error::InvalidArgument A path that is no text.
  runtime::Error set_option(const runtime::BackendOption& option);

  /// Fills in the value of a property that was set, or of the path; does nothing for others.
  void get_option(runtime::BackendOption& option) const;

  std::string library_path() const;

  /// What holds for a delegate: options of `load_method` before the backend's, those before the
  /// compile specs of the file, those before the defaults (float32, latency).
  ///
  /// @retval Error::InvalidProgram A compile spec is no text.
  runtime::Result<Settings> settings(const runtime::BackendInitContext& context,
                                     runtime::ArrayRef<runtime::CompileSpec> compile_specs) const;

 private:
  mutable std::mutex mutex_;
  std::string library_path_;
  Properties properties_;
};

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
