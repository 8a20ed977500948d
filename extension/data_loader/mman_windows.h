#pragma once

/// The part of POSIX's <sys/mman.h> that mapped files need, in terms of Windows. mman.h includes
/// this where it is needed; nothing else has to.

#if defined(_WIN32)

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <io.h>
#include <windows.h>

#define PROT_READ 0x1
#define PROT_WRITE 0x2
#define MAP_SHARED 0x01
#define MAP_PRIVATE 0x02
#define MAP_FAILED (reinterpret_cast<void*>(-1))

/// Maps `length` bytes of an open file from `offset`, which has to be a multiple of the allocation
/// granularity (get_os_page_size() in mman.h gives that). MAP_FAILED with errno set on failure.
/// `address` is a wish that is not granted.
inline void* mmap(void* /*address*/, size_t length, int protection, int flags, int fd,
                  int64_t offset) {
  const bool writes = (protection & PROT_WRITE) != 0;
  const bool is_private = (flags & MAP_PRIVATE) != 0;
  const auto file = reinterpret_cast<HANDLE>(_get_osfhandle(fd));
  if (length == 0 || file == INVALID_HANDLE_VALUE) {
    errno = length == 0 ? EINVAL : EBADF;
    return MAP_FAILED;
  }
  const DWORD page = !writes ? PAGE_READONLY : is_private ? PAGE_WRITECOPY : PAGE_READWRITE;
  const HANDLE mapping = CreateFileMappingW(file, nullptr, page, 0, 0, nullptr);
  if (mapping == nullptr) {
    errno = EACCES;
    return MAP_FAILED;
  }
  const DWORD access = !writes ? FILE_MAP_READ : is_private ? FILE_MAP_COPY : FILE_MAP_WRITE;
  const auto start = static_cast<uint64_t>(offset);
  void* const view = MapViewOfFile(mapping, access, static_cast<DWORD>(start >> 32),
                                   static_cast<DWORD>(start), length);
  // The view keeps the mapping alive.
  CloseHandle(mapping);
  if (view == nullptr) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return view;
}

/// Takes a whole mapping back; Windows cannot unmap a part of one. 0, or -1 with errno set.
inline int munmap(void* address, size_t /*length*/) {
  if (UnmapViewOfFile(address) == 0) {
    errno = EINVAL;
    return -1;
  }
  return 0;
}

/// Pins pages in memory. 0, or -1 with errno set; the working set of the process limits how much
/// can be pinned.
inline int mlock(const void* address, size_t length) {
  if (VirtualLock(const_cast<void*>(address), length) == 0) {
    errno = ENOMEM;
    return -1;
  }
  return 0;
}

/// Takes mlock() back.
inline int munlock(const void* address, size_t length) {
  if (VirtualUnlock(const_cast<void*>(address), length) == 0) {
    errno = ENOMEM;
    return -1;
  }
  return 0;
}

#endif  // _WIN32
