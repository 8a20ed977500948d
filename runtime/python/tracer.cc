#include <cstdlib>
#include <new>
#include <string>

#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/tracer.h>

namespace executorch {
namespace runtime {
namespace python {

namespace {

Object to_bytes(const std::string& bytes) {
  return checked(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

}  // namespace

std::unique_ptr<Tracer> Tracer::create(const TraceOptions& options) {
  if (!options.enable_etdump) {
    if (options.debug_buffer_size > 0) {
      throw Failure(Error::InvalidArgument,
                    "recording values in a debug buffer without enable_etdump=True");
    }
    return nullptr;
  }
  if (!internal::kEventTracerEnabled) {
    throw Failure(Error::NotSupported, "recording events (enable_etdump)",
                  {"this build of the runtime leaves event tracing out"});
  }
  std::unique_ptr<Tracer> tracer(new Tracer());
  const size_t size = options.debug_buffer_size;
  if (size > 0) {
    // Unlike new uint8_t[size](), untouched pages cost nothing.
    tracer->debug_buffer_.reset(new (std::nothrow) uint8_t[size]);
    if (tracer->debug_buffer_ == nullptr) {
      throw Failure(Error::MemoryAllocationFailed,
                    "taking a debug buffer of " + std::to_string(size) + " bytes");
    }
    tracer->debug_buffer_size_ = size;
    const Result<bool> set =
        tracer->etdump_.set_debug_buffer(Span<uint8_t>(tracer->debug_buffer_.get(), size));
    if (!set.ok()) {
      throw Failure(set.error(), "setting the debug buffer");
    }
    tracer->etdump_.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  }
  return tracer;
}

Object Tracer::take_etdump() {
  std::string bytes;
  {
    const GilRelease release;
    const std::lock_guard<std::mutex> lock(mutex_);
    const etdump::ETDumpResult result = etdump_.get_etdump_data();
    bytes.assign(static_cast<const char*>(result.buf), result.size);
    std::free(result.buf);
  }
  return to_bytes(bytes);
}

Object Tracer::debug_data() {
  std::string bytes;
  {
    const GilRelease release;
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes.assign(reinterpret_cast<const char*>(debug_buffer_.get()), etdump_.debug_data_size());
  }
  return to_bytes(bytes);
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
