/// @file
/// FreeableBuffer: bytes together with the way to give them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

/// A read-only range of bytes, released on destruction or Free(), whichever comes first. Movable.
///
/// The bytes are usually behind a pointer. Some loaders (of devices with an address space of their
/// own) hand out a 64-bit address instead, which this process cannot read.
class FreeableBuffer final {
 public:
  /// Releases `data`; `context` is what the constructor was given.
  using FreeFn = void (*)(void* context, void* data, size_t size);
  /// As FreeFn, for buffers made of an address.
  using FreeUInt64Fn = void (*)(void* context, uint64_t data_uint64, size_t size);

  /// Empty, with nothing to release.
  FreeableBuffer() = default;

  /// @param data            `size` bytes that stay valid until `free_fn` is called.
  /// @param free_fn         Called once at the end; null if there is nothing to release.
  /// @param free_fn_context Handed to `free_fn`.
  FreeableBuffer(const void* data, size_t size, FreeFn free_fn, void* free_fn_context = nullptr)
      : free_fn_(free_fn), free_fn_context_(free_fn_context), data_(data), size_(size) {}

  /// As above, for bytes at a 64-bit address that is no pointer of this process.
  explicit FreeableBuffer(uint64_t data_uint64, size_t size, FreeUInt64Fn free_fn,
                          void* free_fn_context = nullptr)
      : free_address_fn_(free_fn),
        free_fn_context_(free_fn_context),
        address_(data_uint64),
        size_(size),
        is_address_(true) {}

  FreeableBuffer(FreeableBuffer&& other) noexcept { take(other); }
  FreeableBuffer& operator=(FreeableBuffer&& other) noexcept {
    if (this != &other) {
      Free();
      take(other);
    }
    return *this;
  }
  FreeableBuffer(const FreeableBuffer&) = delete;
  FreeableBuffer& operator=(const FreeableBuffer&) = delete;

  ~FreeableBuffer() { Free(); }

  /// Releases the bytes now; afterwards the buffer is empty, as it is after a move. Further calls
  /// do nothing. What was made of an address stays one: it is then 0.
  void Free() {
    if (is_address_) {
      if (free_address_fn_ != nullptr) {
        free_address_fn_(free_fn_context_, address_, size_);
      }
    } else if (data_ != nullptr && free_fn_ != nullptr) {
      free_fn_(free_fn_context_, const_cast<void*>(data_), size_);
    }
    forget();
  }

  /// Size in bytes.
  size_t size() const { return size_; }

  /// The bytes; null if empty. Aborts if the buffer is an address of another address space.
  const void* data() const {
    ET_CHECK_MSG(!is_address_, "the buffer holds an address of another address space");
    return data_;
  }

  /// The bytes, or Error::InvalidType if the buffer is an address of another address space.
  Result<const void*> data_safe() const {
    ET_CHECK_OR_RETURN_ERROR(!is_address_, InvalidType,
                             "the buffer holds an address of another address space");
    return data_;
  }

  /// The address, or Error::InvalidType if the buffer is a pointer.
  Result<uint64_t> data_uint64_type() const {
    ET_CHECK_OR_RETURN_ERROR(is_address_, InvalidType, "the buffer holds a pointer");
    return address_;
  }

 private:
  void take(FreeableBuffer& other) {
    free_fn_ = other.free_fn_;
    free_address_fn_ = other.free_address_fn_;
    free_fn_context_ = other.free_fn_context_;
    data_ = other.data_;
    address_ = other.address_;
    size_ = other.size_;
    is_address_ = other.is_address_;
    other.forget();
  }

  void forget() {
    free_fn_ = nullptr;
    free_address_fn_ = nullptr;
    free_fn_context_ = nullptr;
    data_ = nullptr;
    address_ = 0;
    size_ = 0;
  }

  FreeFn free_fn_ = nullptr;
  FreeUInt64Fn free_address_fn_ = nullptr;
  void* free_fn_context_ = nullptr;
  const void* data_ = nullptr;
  uint64_t address_ = 0;
  size_t size_ = 0;
  bool is_address_ = false;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::FreeableBuffer;
}  // namespace executor
}  // namespace torch
