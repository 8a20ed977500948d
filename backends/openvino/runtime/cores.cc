#include <array>
#include <map>
#include <mutex>
#include <utility>

#include <executorch/backends/openvino/runtime/cores.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace openvino {

using runtime::BackendOption;
using runtime::Error;
using runtime::Result;
using runtime::internal::is_option;

namespace {

using Key = std::pair<std::string, Properties>;

struct Cores {
  std::mutex mutex;
  std::map<Key, c::Core*> made;
};

/// Never destroyed: at exit OpenVINO's threads may be gone before ours are.
Cores& cores() {
  static Cores* const all = new Cores();
  return *all;
}

/// OpenVINO keeps any property until it makes the device's plugin, which asking for it does.
bool set_property(const Library& library, const c::Core* core, const std::string& device,
                  const std::string& key, const std::string& value) {
  c::Status status =
      library.call.ov_core_set_property(core, device.c_str(), key.c_str(), value.c_str());
  char* taken = nullptr;
  if (status == c::kOk) {
    status = library.call.ov_core_get_property(core, device.c_str(), key.c_str(), &taken);
  }
  if (taken != nullptr) {
    library.call.ov_free(taken);
  }
  return succeeded(library, status, "setting a property");
}

}  // namespace

Result<const c::Core*> core_for(const Library& library, const Settings& settings) {
  const std::lock_guard<std::mutex> lock(cores().mutex);
  c::Core*& core = cores().made[{settings.device, settings.properties}];
  if (core != nullptr) {
    return core;
  }
  ET_CHECK_OR_RETURN_ERROR(succeeded(library, library.call.ov_core_create(&core), "making a core"),
                           Internal, "OpenVINO: it cannot be used");
  for (const auto& [key, value] : settings.properties) {
    if (!set_property(library, core, settings.device, key, value)) {
      ET_LOG(Error, "OpenVINO: the device %s does not take %s=%s", settings.device.c_str(),
             key.c_str(), value.c_str());
      library.call.ov_core_free(core);
      core = nullptr;
      return Error::InvalidArgument;
    }
  }
  return core;
}

Error describe_library(const std::string& path, BackendOption& option) {
  const bool is_version = is_option(option, library_version_option_key);
  if (!is_version && !is_option(option, available_devices_option_key)) {
    return Error::Ok;
  }
  const Result<const Library*> library = load_library(path);
  if (!library.ok()) {
    return library.error();
  }
  std::string text = (*library)->version;
  if (!is_version) {
    const Result<const c::Core*> core = core_for(**library, {});
    if (!core.ok()) {
      return core.error();
    }
    text.clear();
    c::Names devices = {};
    const c::Status status = (*library)->call.ov_core_get_available_devices(*core, &devices);
    ET_CHECK_OR_RETURN_ERROR(succeeded(**library, status, "listing devices"), Internal,
                             "OpenVINO: no devices");
    for (size_t i = 0; i < devices.size; ++i) {
      text += (i == 0 ? "" : ",") + std::string(devices.names[i]);
    }
    (*library)->call.ov_available_devices_free(&devices);
  }
  std::array<char, runtime::kMaxOptionValueLength> value = {};
  (void)runtime::internal::copy_option_text(value.data(), value.size(), text.c_str());
  option.value = value;
  return Error::Ok;
}

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
