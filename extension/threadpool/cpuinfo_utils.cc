#include <executorch/extension/threadpool/cpuinfo_utils.h>

#if defined(__wasi__)

namespace executorch {
namespace extension {
namespace cpuinfo {

// Whatever the machine has, this is one thread of it.
uint32_t internal::get_num_available_processors() { return 1; }
uint32_t get_num_performant_cores() { return 1; }

}  // namespace cpuinfo
}  // namespace extension
}  // namespace executorch

#else

#include <algorithm>
#include <thread>

#include <cpuinfo.h>

#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace cpuinfo {

namespace {

#if CPUINFO_ARCH_ARM || CPUINFO_ARCH_ARM64

/// Whether a core is built to save power. Work that is split evenly waits for the slowest core, so
/// these cost time instead of saving it.
bool is_little(cpuinfo_uarch microarchitecture) {
  switch (microarchitecture) {
    case cpuinfo_uarch_cortex_a5:
    case cpuinfo_uarch_cortex_a7:
    case cpuinfo_uarch_cortex_a35:
    case cpuinfo_uarch_cortex_a53:
    case cpuinfo_uarch_cortex_a55:
    case cpuinfo_uarch_cortex_a55r0:
    case cpuinfo_uarch_cortex_a510:
    case cpuinfo_uarch_icestorm:
    case cpuinfo_uarch_blizzard:
      return true;
    default:
      return false;
  }
}

uint32_t count_performant() {
  uint32_t big = 0;
  for (uint32_t i = 0; i < cpuinfo_get_cores_count(); ++i) {
    big += is_little(cpuinfo_get_core(i)->uarch) ? 0 : 1;
  }
  // A processor of little cores only has nothing better.
  return big != 0 ? big : cpuinfo_get_cores_count();
}

#else

uint32_t count_performant() { return cpuinfo_get_processors_count(); }

#endif

}  // namespace

namespace internal {

uint32_t get_num_available_processors() {
  // Unlike cpuinfo, which describes the machine, this respects the affinity of the process.
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace internal

uint32_t get_num_performant_cores() {
  const uint32_t available = internal::get_num_available_processors();
  if (!cpuinfo_initialize()) {
    ET_LOG(Info, "cpuinfo does not know this processor; counting all %u logical processors",
           static_cast<unsigned>(available));
    return available;
  }
  return std::max(1u, std::min(available, count_performant()));
}

}  // namespace cpuinfo
}  // namespace extension
}  // namespace executorch

#endif
