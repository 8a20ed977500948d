#pragma once

#include <cstddef>

#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/backend/backend_init_context.h>
#include <executorch/runtime/backend/backend_option_context.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Bytes with their length; does not own them.
struct SizedBuffer {
  void* buffer;
  size_t nbytes;
};

/// A key and a value that the ahead-of-time half of a backend left for its runtime half.
struct CompileSpec {
  const char* key;
  SizedBuffer value;
};

/// What a backend returns from `init` and gets back afterwards; the runtime never looks inside.
using DelegateHandle = void;

/// The runtime half of a backend: runs the parts of programs that were lowered to it.
///
/// One object serves all programs of the process, so its methods are const; state of a single
/// delegate belongs behind the `DelegateHandle`. The order of the virtual functions is part of the
/// binary interface.
class BackendInterface {
 public:
  virtual ~BackendInterface() = 0;

  /// Whether the backend can run on this device now. If not, loading a method that uses it fails
  /// with `Error::NotFound`.
  ET_NODISCARD virtual bool is_available() const = 0;

  /// Prepares one delegate, while its method is being loaded.
  ///
  /// @param context Memory and data for the delegate.
  /// @param processed What the ahead-of-time half produced. Stays valid until the method is
  ///     destroyed, unless the backend calls `processed->Free()`, now or later.
  /// @param compile_specs Stay valid until the method is destroyed.
  /// @return A handle for `execute` and `destroy`.
  /// @retval Error::DelegateInvalidCompatibility The backend cannot read what is in `processed`.
  ET_NODISCARD virtual Result<DelegateHandle*> init(BackendInitContext& context,
                                                    FreeableBuffer* processed,
                                                    ArrayRef<CompileSpec> compile_specs) const = 0;

  /// Runs one delegate.
  ///
  /// @param handle What `init` returned.
  /// @param args The delegate's inputs, then its outputs. They come from a file: a backend checks
  ///     their number, tags, dtypes and sizes before it trusts them.
  ET_NODISCARD virtual Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                                     Span<EValue*> args) const = 0;

  /// Changes settings of the backend itself. The default accepts and ignores all.
  ET_NODISCARD virtual Error set_option(BackendOptionContext& context,
                                        const Span<BackendOption>& backend_options) {
    (void)context;
    (void)backend_options;
    return Error::Ok;
  }

  /// Fills in the values of the options whose keys the caller set. The default changes nothing.
  ET_NODISCARD virtual Error get_option(BackendOptionContext& context,
                                        Span<BackendOption>& backend_options) {
    (void)context;
    (void)backend_options;
    return Error::Ok;
  }

  /// Releases what `init` made, when the method is destroyed. Called once for each successful
  /// `init`. Memory from the runtime allocator needs no release.
  virtual void destroy(DelegateHandle* handle) const { (void)handle; }

  /// How many of the tensors at the end of its arguments a delegate writes, asked once after
  /// `init`. The executor then sees to it, before `execute`, that these may be written, up to the
  /// bounds of their shapes, and share no bytes with other arguments; programs in which they do are
  /// refused when they are loaded. A backend that does not say (the default) asks
  /// `BackendExecutionContext::may_write` before it writes, and cannot know the rest.
  virtual size_t num_outputs(DelegateHandle* handle) const {
    (void)handle;
    return 0;
  }
};

/// A backend with its name.
struct Backend {
  /// The backend id in programs. Not copied by the registry.
  const char* name;
  /// Not owned by the registry.
  BackendInterface* backend;
};

/// The registered backend called `name`, null if there is none.
BackendInterface* get_backend_class(const char* name);

/// Adds a backend to the process-wide registry, usually from a static constructor. At most 16 fit.
///
/// Not synchronized: register before other threads load methods.
///
/// @retval Error::InvalidArgument The name or the object is null, or one of that name is there
/// already.
/// @retval Error::Internal The registry is full.
ET_NODISCARD Error register_backend(const Backend& backend);

/// How many backends are registered.
size_t get_num_registered_backends();

/// Name of a registered backend, in the order of registration.
///
/// @retval Error::InvalidArgument `index` is not below `get_num_registered_backends()`.
Result<const char*> get_backend_name(size_t index);

/// Calls `BackendInterface::set_option` of the backend called `backend_name`.
///
/// @retval Error::NotFound There is no such backend.
Error set_option(const char* backend_name, const Span<BackendOption> backend_options);

/// Calls `BackendInterface::get_option` of the backend called `backend_name`.
///
/// @retval Error::NotFound There is no such backend.
Error get_option(const char* backend_name, Span<BackendOption> backend_options);

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Backend;
using ::executorch::runtime::CompileSpec;
using ::executorch::runtime::DelegateHandle;
using ::executorch::runtime::get_backend_class;
using ::executorch::runtime::register_backend;
using ::executorch::runtime::SizedBuffer;
/// The older name.
using PyTorchBackendInterface = ::executorch::runtime::BackendInterface;
}  // namespace executor
}  // namespace torch
