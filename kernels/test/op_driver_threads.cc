/**
 * @file
 * Linked beside op_driver.cc: how many threads share the work of a kernel.
 */

#include <cstdint>
#include <cstdlib>

#include <executorch/extension/threadpool/threadpool.h>

namespace {

/// Takes the number from ET_KERNEL_TEST_THREADS; without it there is a thread for each processor.
bool set_threads() {
  const char* threads = std::getenv("ET_KERNEL_TEST_THREADS");
  if (threads == nullptr) {
    return false;
  }
  const auto count = static_cast<uint32_t>(std::strtoul(threads, nullptr, 10));
  return executorch::extension::threadpool::get_threadpool()->_unsafe_reset_threadpool(count);
}

[[maybe_unused]] const bool kSet = set_threads();

}  // namespace
