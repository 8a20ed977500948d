/// @file
/// A mutex also where the C++ library has none, since there are no threads.
#pragma once

#include <mutex>  // what locks one is in it everywhere

namespace executorch {
namespace runtime {

#if defined(__wasi__)

/// Nobody to wait for. `std::lock_guard` and `std::unique_lock` take it.
class Mutex final {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};

#else

using Mutex = std::mutex;

#endif

}  // namespace runtime
}  // namespace executorch
