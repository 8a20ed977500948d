#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// What a program records about its runs.
struct TraceOptions {
  bool enable_etdump = false;
  size_t debug_buffer_size = 0;  // Bytes for the values of operators and outputs; 0: no values.
};

/// Records the runs of all methods of a program. They share one recording, so that whoever runs one
/// holds mutex().
class Tracer {
 public:
  /// Null if nothing is to be recorded. Throws Failure: NotSupported if this build cannot record,
  /// MemoryAllocationFailed.
  static std::unique_ptr<Tracer> create(const TraceOptions& options);

  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  EventTracer* event_tracer() { return &etdump_; }
  std::mutex& mutex() { return mutex_; }

  /// The ETDump of all runs since the last call as bytes, empty if there were none. Needs the GIL,
  /// and waits for a running method without it.
  Object take_etdump();

  /// The values that the ETDump points to. As take_etdump().
  Object debug_data();

 private:
  Tracer() = default;

  std::mutex mutex_;
  std::unique_ptr<uint8_t[]> debug_buffer_;
  size_t debug_buffer_size_ = 0;
  etdump::ETDumpGen etdump_;
};

}  // namespace python
}  // namespace runtime
}  // namespace executorch
