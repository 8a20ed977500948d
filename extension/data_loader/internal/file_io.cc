#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>

#if defined(_WIN32)
#define NOMINMAX
#include <io.h>
#include <windows.h>
#else
#include <unistd.h>
#endif

#include <executorch/extension/data_loader/internal/file_io.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace internal {

using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

// One read call never asks for more than this: some systems reject or truncate requests above 2
// GiB.
constexpr size_t kLargestRead = size_t{1} << 30;

#if defined(_WIN32)

// Not to be inherited by child processes, and no translation of line ends.
constexpr int kOpenFlags = _O_RDONLY | _O_NOINHERIT | _O_BINARY;

/// pread() in terms of Windows: -1 with errno set on failure, 0 at the end of the file.
int64_t read_at(int fd, void* buffer, size_t size, size_t offset) {
  OVERLAPPED position = {};
  position.Offset = static_cast<DWORD>(offset);
  position.OffsetHigh = static_cast<DWORD>(static_cast<uint64_t>(offset) >> 32);
  DWORD got = 0;
  if (ReadFile(reinterpret_cast<HANDLE>(_get_osfhandle(fd)), buffer, static_cast<DWORD>(size), &got,
               &position) != 0) {
    return got;
  }
  if (GetLastError() == ERROR_HANDLE_EOF) {
    return 0;
  }
  errno = EIO;
  return -1;
}

#elif defined(O_CLOEXEC)

constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC;

int64_t read_at(int fd, void* buffer, size_t size, size_t offset) {
  return ::pread(fd, buffer, size, static_cast<off_t>(offset));
}

#else

// A board's C library without processes: nothing inherits a descriptor, and reading at an offset is
// seeking there first, which moves the position that the descriptor's owner sees.
constexpr int kOpenFlags = O_RDONLY;

int64_t read_at(int fd, void* buffer, size_t size, size_t offset) {
  if (::lseek(fd, static_cast<off_t>(offset), SEEK_SET) < 0) {
    return -1;
  }
  return ::read(fd, buffer, size);
}

#endif

void free_block(void* block, void* /*data*/, size_t /*size*/) { std::free(block); }

/// A descriptor of `file_name`.
Result<int> open_for_reading(const char* file_name) {
  int fd = -1;
  do {
    fd = ::open(file_name, kOpenFlags);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    ET_LOG(Error, "Cannot open %s: %s (%d)", file_name, std::strerror(errno), errno);
    return Error::AccessFailed;
  }
  return fd;
}

/// A heap copy; nullptr when memory is short.
char* duplicate_string(const char* text) {
  const size_t size = std::strlen(text) + 1;
  auto* copy = static_cast<char*>(std::malloc(size));
  if (copy != nullptr) {
    std::memcpy(copy, text, size);
  }
  return copy;
}

}  // namespace

Result<size_t> regular_file_size(int fd, const char* name) {
  struct stat status;
  if (::fstat(fd, &status) != 0) {
    ET_LOG(Error, "Cannot read the size of %s: %s (%d)", name, std::strerror(errno), errno);
    return Error::AccessFailed;
  }
  if ((status.st_mode & S_IFMT) != S_IFREG) {
    ET_LOG(Error, "%s is not a regular file", name);
    return Error::AccessFailed;
  }
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size > std::numeric_limits<size_t>::max()) {
    ET_LOG(Error, "%s: %" PRIu64 " bytes do not fit into the address space", name, size);
    return Error::AccessFailed;
  }
  return static_cast<size_t>(size);
}

Result<OpenFile> open_regular_file(const char* file_name) {
  const Result<int> fd = open_for_reading(file_name);
  if (!fd.ok()) {
    return fd.error();
  }
  const Result<size_t> size = regular_file_size(*fd, file_name);
  if (!size.ok()) {
    ::close(*fd);
    return size.error();
  }
  char* const name = duplicate_string(file_name);
  if (name == nullptr) {
    ::close(*fd);
    return Error::MemoryAllocationFailed;
  }
  return OpenFile{*fd, *size, name};
}

Error read_fully(int fd, const char* name, size_t offset, size_t size, void* buffer) {
  auto* destination = static_cast<uint8_t*>(buffer);
  size_t done = 0;
  while (done < size) {
    const size_t wanted = std::min(size - done, kLargestRead);
    const int64_t got = read_at(fd, destination + done, wanted, offset + done);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      ET_LOG(Error, "Reading %zu bytes at offset %zu of %s failed: %s (%d)", size, offset, name,
             std::strerror(errno), errno);
      return Error::AccessFailed;
    }
    if (got == 0) {
      ET_LOG(Error, "%s ends at offset %zu, expected %zu bytes from offset %zu", name,
             offset + done, size, offset);
      return Error::AccessFailed;
    }
    done += static_cast<size_t>(got);
  }
  return Error::Ok;
}

Result<FreeableBuffer> read_aligned(int fd, const char* name, size_t offset, size_t size,
                                    size_t alignment) {
  if (size > std::numeric_limits<size_t>::max() - alignment) {
    ET_LOG(Error, "%s: a block of %zu bytes aligned to %zu is too large", name, size, alignment);
    return Error::InvalidArgument;
  }
  // malloc() promises alignof(max_align_t) only; the slack lets the data start at any alignment.
  void* block = std::malloc(size + alignment - 1);
  if (block == nullptr) {
    ET_LOG(Error, "%s: no memory for %zu bytes from offset %zu", name, size, offset);
    return Error::MemoryAllocationFailed;
  }
  const auto address = reinterpret_cast<uintptr_t>(block);
  void* data = reinterpret_cast<void*>((address + alignment - 1) & ~(uintptr_t{alignment} - 1));
  const Error error = read_fully(fd, name, offset, size, data);
  if (error != Error::Ok) {
    std::free(block);
    return error;
  }
  return FreeableBuffer(data, size, free_block, block);
}

Result<size_t> size_if_open(int fd, size_t file_size) {
  if (fd < 0) {
    ET_LOG(Error, "Loader is empty: it was moved from");
    return Error::InvalidState;
  }
  return file_size;
}

Error check_load(int fd, const char* name, size_t file_size, size_t offset, size_t size) {
  const Result<size_t> open_size = size_if_open(fd, file_size);
  if (!open_size.ok()) {
    return open_size.error();
  }
  if (offset > file_size || size > file_size - offset) {
    ET_LOG(Error, "%s: %zu bytes from offset %zu asked for, but there are only %zu bytes", name,
           size, offset, file_size);
    return Error::InvalidArgument;
  }
  return Error::Ok;
}

Result<FreeableBuffer> load_copy(int fd, const char* name, size_t file_size, size_t offset,
                                 size_t size, size_t alignment) {
  const Error error = check_load(fd, name, file_size, offset, size);
  if (error != Error::Ok) {
    return error;
  }
  if (size == 0) {
    return FreeableBuffer(nullptr, 0, /*free_fn=*/nullptr);
  }
  return read_aligned(fd, name, offset, size, alignment);
}

namespace {

/// Bytes that are compared at once: they stay in the processor's cache.
constexpr size_t kPiece = size_t{64} << 10;

/// Whether bytes differ, by words that a compiler makes vectors of: the memcmp() of small systems,
/// and of Zig's, goes byte by byte.
bool differ(const uint8_t* left, const uint8_t* right, size_t size) {
  uint64_t difference = 0;
  size_t i = 0;
  for (; size - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
    uint64_t words[2];
    std::memcpy(&words[0], left + i, sizeof(uint64_t));
    std::memcpy(&words[1], right + i, sizeof(uint64_t));
    difference |= words[0] ^ words[1];
  }
  for (; i < size; ++i) {
    difference |= uint64_t(left[i] ^ right[i]);
  }
  return difference != 0;
}

/// `read_fully`, but for bytes that are in `buffer` already. Without memory to compare, all are
/// written.
Error read_differences(int fd, const char* name, size_t offset, size_t size, uint8_t* buffer) {
  const std::unique_ptr<void, void (*)(void*)> piece(std::malloc(kPiece), std::free);
  if (piece == nullptr) {
    return read_fully(fd, name, offset, size, buffer);
  }
  for (size_t done = 0; done < size; done += kPiece) {
    const size_t part = std::min(kPiece, size - done);
    const Error error = read_fully(fd, name, offset + done, part, piece.get());
    if (error != Error::Ok) {
      return error;
    }
    if (differ(buffer + done, static_cast<const uint8_t*>(piece.get()), part)) {
      std::memcpy(buffer + done, piece.get(), part);
    }
  }
  return Error::Ok;
}

}  // namespace

Error load_into(int fd, const char* name, size_t file_size, size_t offset, size_t size,
                const DataLoader::SegmentInfo& segment_info, void* buffer) {
  const Error error = check_load(fd, name, file_size, offset, size);
  if (error != Error::Ok) {
    return error;
  }
  if (buffer == nullptr && size > 0) {
    ET_LOG(Error, "%s: no buffer to load %zu bytes into", name, size);
    return Error::InvalidArgument;
  }
  if (segment_info.segment_type == DataLoader::SegmentInfo::Type::Mutable && size >= kPiece) {
    return read_differences(fd, name, offset, size, static_cast<uint8_t*>(buffer));
  }
  return read_fully(fd, name, offset, size, buffer);
}

}  // namespace internal
}  // namespace extension
}  // namespace executorch
