#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <executorch/extension/data_loader/internal/file_io.h>
#include <executorch/extension/data_loader/mman.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

/// Undoes one mapping. The context carries the page size: a mapping starts at the page in which the
/// data starts.
void unmap_segment(void* context, void* data, size_t size) {
  const auto page_size = reinterpret_cast<uintptr_t>(context);
  const auto address = reinterpret_cast<uintptr_t>(data);
  const uintptr_t lead = address & (page_size - 1);
  if (::munmap(reinterpret_cast<void*>(address - lead), size + lead) != 0) {
    ET_LOG(Error, "Unmapping %zu bytes failed: %s (%d)", size, std::strerror(errno), errno);
  }
}

}  // namespace

Result<MmapDataLoader> MmapDataLoader::from(const char* file_name, MlockConfig mlock_config) {
  if (file_name == nullptr) {
    ET_LOG(Error, "File name expected, null pointer found");
    return Error::InvalidArgument;
  }
  const size_t page_size = get_os_page_size();
  if (!internal::is_power_of_two(page_size)) {
    ET_LOG(Error, "%s: the page size of this system is unknown", file_name);
    return Error::AccessFailed;
  }
  const Result<internal::OpenFile> file = internal::open_regular_file(file_name);
  if (!file.ok()) {
    return file.error();
  }
  return MmapDataLoader(file->fd, file->size, file->name, page_size, mlock_config);
}

MmapDataLoader::MmapDataLoader(int fd, size_t file_size, char* file_name, size_t page_size,
                               MlockConfig mlock_config)
    : file_name_(file_name),
      file_size_(file_size),
      page_size_(page_size),
      fd_(fd),
      mlock_config_(mlock_config) {}

MmapDataLoader::MmapDataLoader(MmapDataLoader&& other) noexcept
    : file_name_(other.file_name_),
      file_size_(other.file_size_),
      page_size_(other.page_size_),
      fd_(other.fd_),
      mlock_config_(other.mlock_config_) {
  other.file_name_ = nullptr;
  other.fd_ = -1;
}

MmapDataLoader::~MmapDataLoader() {
  std::free(file_name_);
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Error MmapDataLoader::pin(void* pages, size_t size) const {
  if (mlock_config_ == MlockConfig::UseMadvise) {
    madvise_pages_willneed_sequential(pages, size);
    return Error::Ok;
  }
  if (mlock_config_ == MlockConfig::NoMlock || ::mlock(pages, size) == 0) {
    return Error::Ok;
  }
  if (mlock_config_ == MlockConfig::UseMlockIgnoreErrors) {
    ET_LOG(Debug, "%s: cannot pin %zu bytes: %s (%d), going on", file_name_, size,
           std::strerror(errno), errno);
    return Error::Ok;
  }
  ET_LOG(Error, "%s: cannot pin %zu bytes in memory: %s (%d)", file_name_, size,
         std::strerror(errno), errno);
  return Error::NotSupported;
}

Result<FreeableBuffer> MmapDataLoader::load(size_t offset, size_t size,
                                            const DataLoader::SegmentInfo& /*segment_info*/) const {
  const Error error = internal::check_load(fd_, file_name_, file_size_, offset, size);
  if (error != Error::Ok) {
    return error;
  }
  if (size == 0) {
    return FreeableBuffer(nullptr, 0, /*free_fn=*/nullptr);
  }
  const size_t lead = offset & (page_size_ - 1);
  void* pages =
      ::mmap(nullptr, size + lead, PROT_READ, MAP_PRIVATE, fd_, static_cast<off_t>(offset - lead));
  if (pages == MAP_FAILED) {
    ET_LOG(Error, "%s: mapping %zu bytes from offset %zu failed: %s (%d)", file_name_, size, offset,
           std::strerror(errno), errno);
    return Error::AccessFailed;
  }
  const Error pinned = pin(pages, size + lead);
  if (pinned != Error::Ok) {
    ::munmap(pages, size + lead);
    return pinned;
  }
  return FreeableBuffer(static_cast<uint8_t*>(pages) + lead, size, unmap_segment,
                        reinterpret_cast<void*>(static_cast<uintptr_t>(page_size_)));
}

Result<size_t> MmapDataLoader::size() const { return internal::size_if_open(fd_, file_size_); }

Error MmapDataLoader::load_into(size_t offset, size_t size,
                                const DataLoader::SegmentInfo& segment_info, void* buffer) const {
  // The bytes end up in the caller's memory anyway, so a mapping would only cost page-table work.
  return internal::load_into(fd_, file_name_, file_size_, offset, size, segment_info, buffer);
}

}  // namespace extension
}  // namespace executorch
