#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <stdlib.h>
#include <unistd.h>

#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace extension {
namespace testing {

/// A name in the directory for temporary files that nobody uses yet.
inline std::string unused_path() {
  const char* directory = std::getenv("TEST_TMPDIR");
  std::string path = std::string(directory != nullptr ? directory : "/tmp") + "/executorch_XXXXXX";
  const int fd = ::mkstemp(path.data());
  ET_CHECK_MSG(fd >= 0, "Cannot make a file like %s", path.c_str());
  ::close(fd);
  ::unlink(path.c_str());
  return path;
}

/// A file that goes away with the object. Stops the test when it cannot be written.
class TempFile {
 public:
  TempFile(const void* data, size_t size) : path_(unused_path()) {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    ET_CHECK_MSG(file != nullptr, "Cannot write %s", path_.c_str());
    ET_CHECK(size == 0 || std::fwrite(data, 1, size, file) == size);
    ET_CHECK(std::fclose(file) == 0);
  }
  /// `size` bytes of data, behind `offset` bytes that are 0.
  TempFile(size_t offset, const void* data, size_t size)
      : TempFile(std::string(offset, '\0') + std::string(static_cast<const char*>(data), size)) {}
  explicit TempFile(const std::string& contents) : TempFile(contents.data(), contents.size()) {}
  explicit TempFile(const std::vector<uint8_t>& contents)
      : TempFile(contents.data(), contents.size()) {}

  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() { ::unlink(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace testing
}  // namespace extension
}  // namespace executorch
