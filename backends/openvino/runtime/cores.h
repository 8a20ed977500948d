#pragma once

#include <string>

#include <executorch/backends/openvino/runtime/library.h>
#include <executorch/backends/openvino/runtime/options.h>

namespace executorch {
namespace backends {
namespace openvino {

/// The core with these settings. Importing takes no properties in the C interface, so that they are
/// the core's: there is one for each combination, which stays.
///
/// @retval Error::InvalidArgument OpenVINO does not know a property, its value or the device.
runtime::Result<const c::Core*> core_for(const Library& library, const Settings& settings);

/// Fills in `library_version` and `available_devices`; does nothing for other options.
///
/// @retval Error::NotFound There is no library.
runtime::Error describe_library(const std::string& path, runtime::BackendOption& option);

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
