#pragma once

#include <cstddef>
#include <memory>

namespace executorch {
namespace backends {
namespace xnnpack {

/// Whether the XNN_EXTRA_BYTES behind `[data, data + size)` can be read. XNNPACK's kernels do, and
/// use nothing of it. What lies on the last page of the data can be; of the page behind nothing is
/// known.
bool has_margin(const void* data, size_t size);

/// Memory of `size` bytes and XNN_EXTRA_BYTES behind them, to be freed by std::free; null without
/// memory.
void* allocate_with_margin(size_t size);

/// Such memory that is kept from call to call.
class MarginMemory {
 public:
  /// `size` bytes, of which nothing is known, until the next call; null without memory.
  void* of(size_t size);

 private:
  struct Free {
    void operator()(void* data) const;
  };

  std::unique_ptr<void, Free> memory_;
  size_t capacity_ = 0;
};

/// An argument that is copied when what lies behind it may not be there.
class MarginCopy {
 public:
  /// `data` itself, or a copy that lives until the next call; null without memory.
  const void* of(const void* data, size_t size);

 private:
  MarginMemory copy_;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
