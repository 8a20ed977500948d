/// @file
/// DataLoader: how the runtime reads a program, wherever it is stored.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Interface for reading byte ranges of a data source. Implementations must be safe to call from
/// several threads at once.
class DataLoader {
 public:
  /// What the requested bytes are for; lets a loader choose where to place them.
  struct SegmentInfo {
    enum class Type {
      Program,   ///< The program flatbuffer itself.
      Constant,  ///< Constant tensors.
      Backend,   ///< The blob of a delegate.
      Mutable,   ///< Initial values of mutable tensors.
      External,  ///< Data from outside the program, e.g. named tensors.
    };

    SegmentInfo() = default;
    explicit SegmentInfo(Type segment_type, size_t segment_index = 0,
                         const char* descriptor = nullptr)
        : segment_type(segment_type), segment_index(segment_index), descriptor(descriptor) {}

    Type segment_type = Type::Program;
    /// Index in the list of segments of the program; 0 for the program itself.
    size_t segment_index = 0;
    /// More about the segment, or null: the backend's id for Type::Backend.
    const char* descriptor = nullptr;
  };

  virtual ~DataLoader() = default;

  /// Reads `size` bytes at `offset`. The result outlives the loader's other buffers; whether it
  /// outlives the loader is up to the implementation.
  ///
  /// @retval Error::InvalidArgument The range is not inside the source.
  /// @retval Error::AccessFailed    The source could not be read.
  ET_NODISCARD virtual Result<FreeableBuffer> load(size_t offset, size_t size,
                                                   const SegmentInfo& segment_info) const = 0;

  /// Reads `size` bytes at `offset` into `buffer`, which has room for them.
  ///
  /// @retval Error::NotImplemented The loader cannot do that.
  ET_NODISCARD virtual Error load_into(size_t offset, size_t size, const SegmentInfo& segment_info,
                                       void* buffer) const {
    (void)offset;
    (void)size;
    (void)segment_info;
    (void)buffer;
    ET_LOG(Error, "load_into() is not implemented by this data loader");
    return Error::NotImplemented;
  }

  /// Size of the whole source in bytes.
  ET_NODISCARD virtual Result<size_t> size() const = 0;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::DataLoader;
}  // namespace executor
}  // namespace torch
