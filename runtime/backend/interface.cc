#include <cstring>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {

// Pure, so that the class is abstract even without its other functions; still needs a body.
BackendInterface::~BackendInterface() {}

namespace {

constexpr size_t kMaxBackends = 16;

// Zero-initialized: usable from static constructors in any order.
Backend backends[kMaxBackends];
size_t num_backends = 0;

}  // namespace

BackendInterface* get_backend_class(const char* name) {
  for (size_t i = 0; name != nullptr && i < num_backends; ++i) {
    if (std::strcmp(backends[i].name, name) == 0) {
      return backends[i].backend;
    }
  }
  return nullptr;
}

Error register_backend(const Backend& backend) {
  // A static constructor may be the first to use the platform layer.
  pal_init();

  if (backend.name == nullptr || backend.backend == nullptr) {
    ET_LOG(Error, "Cannot register backend %s: it needs a name and an object",
           backend.name != nullptr ? backend.name : "(null)");
    return Error::InvalidArgument;
  }
  if (get_backend_class(backend.name) != nullptr) {
    ET_LOG(Error, "Backend %s is registered already", backend.name);
    return Error::InvalidArgument;
  }
  if (num_backends == kMaxBackends) {
    ET_LOG(Error, "Cannot register backend %s: %zu are there already", backend.name, kMaxBackends);
    return Error::Internal;
  }
  backends[num_backends] = backend;
  ++num_backends;
  return Error::Ok;
}

size_t get_num_registered_backends() { return num_backends; }

Result<const char*> get_backend_name(size_t index) {
  if (index >= num_backends) {
    ET_LOG(Error, "No backend has index %zu, %zu are registered", index, num_backends);
    return Error::InvalidArgument;
  }
  return backends[index].name;
}

Error set_option(const char* backend_name, const Span<BackendOption> backend_options) {
  BackendInterface* backend = get_backend_class(backend_name);
  if (backend == nullptr) {
    ET_LOG(Error, "Cannot set options: backend %s is not registered",
           backend_name != nullptr ? backend_name : "(null)");
    return Error::NotFound;
  }
  BackendOptionContext context;
  return backend->set_option(context, backend_options);
}

Error get_option(const char* backend_name, Span<BackendOption> backend_options) {
  BackendInterface* backend = get_backend_class(backend_name);
  if (backend == nullptr) {
    ET_LOG(Error, "Cannot get options: backend %s is not registered",
           backend_name != nullptr ? backend_name : "(null)");
    return Error::NotFound;
  }
  BackendOptionContext context;
  return backend->get_option(context, backend_options);
}

}  // namespace runtime
}  // namespace executorch
