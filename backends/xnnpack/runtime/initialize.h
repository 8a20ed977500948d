#pragma once

#include <xnnpack.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// `xnn_initialize` for microkernels of no newer processor than EXECUTORCH_MAX_CPU_ISA allows; see
/// runtime/platform/max_cpu_isa.h. Whoever calls XNNPACK first decides for the process.
///
/// @retval xnn_status_unsupported_hardware XNNPACK does not run on this processor.
xnn_status initialize();

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
