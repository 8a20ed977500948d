#pragma once

#include <cstdint>

namespace executorch {
namespace extension {
namespace cpuinfo {

/// How many cores there are for heavy work: on a processor with big and little cores the big ones,
/// elsewhere all logical processors, but not more than this process may run on. At least 1.
uint32_t get_num_performant_cores();

namespace internal {

/// How many logical processors this process may run on. At least 1.
uint32_t get_num_available_processors();

}  // namespace internal
}  // namespace cpuinfo
}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executorch {
namespace cpuinfo {
using ::executorch::extension::cpuinfo::get_num_performant_cores;
}  // namespace cpuinfo
}  // namespace executorch
}  // namespace torch
