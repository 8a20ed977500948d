#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {
namespace python {

/// The number of threads that kernels and backends run on.
size_t thread_count();

/// Replaces the threads. False if there are not as many as were asked for.
bool reset_threads(uint32_t count);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
