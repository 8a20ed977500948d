#pragma once

#include <cstddef>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace internal {

/// A regular file that is open for reading.
struct OpenFile {
  int fd;       // Whoever gets it closes it.
  size_t size;  // In bytes.
  char* name;   // For the log; to be released with std::free().
};

/// Opens `file_name` for reading. AccessFailed, with the reason in the log, when that is not
/// possible or the file is not a regular one; MemoryAllocationFailed without room for its name.
runtime::Result<OpenFile> open_regular_file(const char* file_name);

/// The number of bytes in the regular file behind `fd`. AccessFailed for anything without a size
/// (a directory, a pipe, a closed descriptor). `name` is used in the log only.
runtime::Result<size_t> regular_file_size(int fd, const char* name);

/// Reads exactly `size` bytes at `offset` into `buffer`, however many calls that takes.
/// AccessFailed when the file ends early or the operating system refuses. Thread safe: never moves
/// the file offset.
runtime::Error read_fully(int fd, const char* name, size_t offset, size_t size, void* buffer);

/// Reads `size` bytes at `offset` into a fresh heap block that starts at a multiple of `alignment`
/// (a power of two); the returned buffer owns the block.
runtime::Result<runtime::FreeableBuffer> read_aligned(int fd, const char* name, size_t offset,
                                                      size_t size, size_t alignment);

/// What each load begins with: InvalidState for the descriptor of a loader that was moved from,
/// InvalidArgument unless [offset, offset + size) lies inside a file of `file_size` bytes.
runtime::Error check_load(int fd, const char* name, size_t file_size, size_t offset, size_t size);

/// What a loader says of its size: InvalidState if it was moved from.
runtime::Result<size_t> size_if_open(int fd, size_t file_size);

/// `read_aligned` after `check_load`; no memory for no bytes.
runtime::Result<runtime::FreeableBuffer> load_copy(int fd, const char* name, size_t file_size,
                                                   size_t offset, size_t size, size_t alignment);

/// `read_fully` after `check_load`. InvalidArgument without a `buffer` to load bytes into. Of a
/// large initial state only what differs is written: a cache of zeros leaves zero pages untouched.
runtime::Error load_into(int fd, const char* name, size_t file_size, size_t offset, size_t size,
                         const runtime::DataLoader::SegmentInfo& segment_info, void* buffer);

inline bool is_power_of_two(size_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace internal
}  // namespace extension
}  // namespace executorch
