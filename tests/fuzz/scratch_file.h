#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include <executorch/extension/testing_util/temp_file.h>

namespace executorch {
namespace fuzz {

/// A file of this process, for targets that are given a path: another one under the same name for
/// each input, so that what is mapped still stays as it was.
class ScratchFile {
 public:
  ~ScratchFile() { ::unlink(path_.c_str()); }

  const std::string& write(const uint8_t* data, size_t size) {
    // A fork has the name of its parent's.
    if (owner_ != ::getpid()) {
      owner_ = ::getpid();
      path_ = extension::testing::unused_path();
    }
    ::unlink(path_.c_str());
    std::FILE* const file = std::fopen(path_.c_str(), "wb");
    if (file == nullptr || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) {
      std::perror(path_.c_str());
      std::exit(2);
    }
    return path_;
  }

 private:
  pid_t owner_ = 0;
  std::string path_;
};

}  // namespace fuzz
}  // namespace executorch
