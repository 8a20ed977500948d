/// @file
/// FileDataSink: logged tensors in a file.
#pragma once

#include <cstddef>
#include <cstdio>

#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>

namespace executorch {
namespace etdump {

/// Writes into a file, one tensor right after the other.
class FileDataSink : public DataSinkBase {
 public:
  /// Creates or overwrites a file.
  ///
  /// @retval Error::AccessFailed The file cannot be written.
  static runtime::Result<FileDataSink> create(const char* file_path);

  FileDataSink(FileDataSink&& other) noexcept;
  FileDataSink(const FileDataSink&) = delete;
  FileDataSink& operator=(const FileDataSink&) = delete;
  FileDataSink& operator=(FileDataSink&&) = delete;
  ~FileDataSink() override;

  ET_NODISCARD runtime::Result<size_t> write(const void* ptr, size_t size) override;
  size_t get_used_bytes() const override { return used_; }

  /// Closes the file; later writes fail.
  void close();

 private:
  explicit FileDataSink(std::FILE* file) : file_(file) {}

  std::FILE* file_;
  size_t used_ = 0;
};

}  // namespace etdump
}  // namespace executorch
