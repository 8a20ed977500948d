#include <cerrno>
#include <cstring>

#include <executorch/devtools/etdump/data_sinks/file_data_sink.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace etdump {

using runtime::Result;

Result<FileDataSink> FileDataSink::create(const char* file_path) {
  ET_CHECK_OR_RETURN_ERROR(file_path != nullptr, InvalidArgument, "The path of a file is null");
  std::FILE* const file = std::fopen(file_path, "wb");
  ET_CHECK_OR_RETURN_ERROR(file != nullptr, AccessFailed, "%s cannot be written: %s", file_path,
                           std::strerror(errno));
  return FileDataSink(file);
}

FileDataSink::FileDataSink(FileDataSink&& other) noexcept : file_(other.file_), used_(other.used_) {
  other.file_ = nullptr;
}

FileDataSink::~FileDataSink() { close(); }

Result<size_t> FileDataSink::write(const void* ptr, size_t size) {
  ET_CHECK_OR_RETURN_ERROR(file_ != nullptr, AccessFailed, "The file is closed");
  const size_t offset = used_;
  if (size > 0) {
    ET_CHECK_OR_RETURN_ERROR(ptr != nullptr, InvalidArgument, "The data are null");
    const size_t written = std::fwrite(ptr, 1, size, file_);
    used_ += written;
    ET_CHECK_OR_RETURN_ERROR(written == size, AccessFailed,
                             "Only %zu of %zu bytes were written: %s", written, size,
                             std::strerror(errno));
  }
  return offset;
}

void FileDataSink::close() {
  if (file_ != nullptr) {
    std::fclose(file_);
    file_ = nullptr;
  }
}

}  // namespace etdump
}  // namespace executorch
