#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {

/// Options for the backends of one method, given to `Program::load_method`.
///
/// Each backend sees the options under its own name while it initializes its delegates, through
/// `BackendInitContext::runtime_specs` and `get_runtime_spec`.
///
/// Refers to the caller's options and does not copy them; they must stay valid during
/// `load_method`.
class LoadBackendOptionsMap final {
 public:
  /// How many backends can have options.
  static constexpr size_t kMaxBackends = 8;
  /// Bytes of a backend's name, with the terminating zero.
  static constexpr size_t kMaxBackendIdLength = 64;

  /// Sets or replaces the options for the backend with name `backend_id`.
  ///
  /// @retval Error::InvalidArgument The name is null, empty or too long, or there are options for
  ///     `kMaxBackends` other backends already.
  Error set_options(const char* backend_id, Span<const BackendOption> options) {
    if (backend_id == nullptr || backend_id[0] == '\0') {
      ET_LOG(Error, "Backend options need the name of a backend");
      return Error::InvalidArgument;
    }
    for (size_t i = 0; i < size_; ++i) {
      if (std::strcmp(entries_[i].backend_id, backend_id) == 0) {
        entries_[i].options = options;
        return Error::Ok;
      }
    }
    if (size_ == kMaxBackends) {
      ET_LOG(Error, "No room for options of backend %s: %zu others have some", backend_id,
             kMaxBackends);
      return Error::InvalidArgument;
    }
    if (!internal::copy_option_text(entries_[size_].backend_id, kMaxBackendIdLength, backend_id)) {
      ET_LOG(Error, "Backend name %s is longer than %zu characters", backend_id,
             kMaxBackendIdLength - 1);
      return Error::InvalidArgument;
    }
    entries_[size_].options = options;
    ++size_;
    return Error::Ok;
  }

  /// Same, from an object with `backend_id()` and `view()`, such as a backend's own option builder.
  template <typename Builder>
  auto set_options(Builder&& builder) -> decltype(builder.backend_id(), builder.view(), Error()) {
    return set_options(builder.backend_id(), builder.view());
  }

  /// The options for a backend, empty if it has none.
  Span<const BackendOption> get_options(const char* backend_id) const {
    for (size_t i = 0; backend_id != nullptr && i < size_; ++i) {
      if (std::strcmp(entries_[i].backend_id, backend_id) == 0) {
        return entries_[i].options;
      }
    }
    return {};
  }

  /// Whether options were set for a backend, even if the list is empty.
  bool has_options(const char* backend_id) const {
    for (size_t i = 0; backend_id != nullptr && i < size_; ++i) {
      if (std::strcmp(entries_[i].backend_id, backend_id) == 0) {
        return true;
      }
    }
    return false;
  }

  /// How many backends have options.
  size_t size() const { return size_; }

  /// One backend's options. Refers to the map and to what the map refers to.
  struct EntryView {
    const char* backend_id;
    Span<const BackendOption> options;
  };

  /// The entry at `index`, in the order in which backends were first given options. Aborts if
  /// `index` is not below `size()`.
  EntryView entry_at(size_t index) const {
    ET_CHECK_MSG(index < size_, "There are options for %zu backends, no entry %zu", size_, index);
    return {entries_[index].backend_id, entries_[index].options};
  }

 private:
  struct Entry {
    char backend_id[kMaxBackendIdLength]{};
    Span<const BackendOption> options;
  };

  std::array<Entry, kMaxBackends> entries_{};
  size_t size_ = 0;
};

}  // namespace runtime
}  // namespace executorch
