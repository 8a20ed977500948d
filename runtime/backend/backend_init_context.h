#pragma once

#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// What the runtime offers a backend while it initializes one delegate.
class BackendInitContext final {
 public:
  explicit BackendInitContext(MemoryAllocator* runtime_allocator,
                              EventTracer* event_tracer = nullptr,
                              const char* method_name = nullptr,
                              const NamedDataMap* named_data_map = nullptr,
                              Span<const BackendOption> runtime_specs = {})
      : runtime_allocator_(runtime_allocator),
        event_tracer_(event_tracer),
        method_name_(method_name),
        named_data_map_(named_data_map),
        runtime_specs_(runtime_specs) {}

  /// Memory that lives as long as the method: for the delegate's handle and its state. Nothing
  /// calls destructors on it; `BackendInterface::destroy` does that.
  MemoryAllocator* get_runtime_allocator() { return runtime_allocator_; }

  /// The event tracer, null when nobody listens.
  EventTracer* event_tracer() { return event_tracer_; }

  /// Name of the method that is being loaded, null if unknown.
  const char* get_method_name() const { return method_name_; }

  /// Data of the program and of the files given to `load_method`, by name; null if there is none.
  const NamedDataMap* get_named_data_map() const { return named_data_map_; }

  /// The options that the caller of `load_method` gave for this backend.
  Span<const BackendOption> runtime_specs() const { return runtime_specs_; }

  /// Value of one of those options.
  ///
  /// @tparam T bool, int or const char*; the latter is valid during `init`.
  /// @retval Error::NotFound There is no option `key`.
  /// @retval Error::InvalidArgument Its value has another type.
  template <typename T>
  Result<T> get_runtime_spec(const char* key) const {
    for (const BackendOption& option : runtime_specs_) {
      if (internal::is_option(option, key)) {
        T value{};
        const Error error = internal::read_option_value(option, value);
        if (error != Error::Ok) {
          return error;
        }
        return value;
      }
    }
    return Error::NotFound;
  }

 private:
  MemoryAllocator* runtime_allocator_;
  EventTracer* event_tracer_;
  const char* method_name_;
  const NamedDataMap* named_data_map_;
  Span<const BackendOption> runtime_specs_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::BackendInitContext;
}  // namespace executor
}  // namespace torch
