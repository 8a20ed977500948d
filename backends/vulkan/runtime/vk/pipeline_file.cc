#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <executorch/backends/vulkan/runtime/vk/pipeline_file.h>
#include <executorch/runtime/backend/hash.h>
#include <executorch/runtime/backend/private_file.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vulkan {

using runtime::Error;
using runtime::Hash;
using runtime::PrivateFile;

namespace {

constexpr char kMagic[] = "Vulkan pipelines 2";

/// No driver has so many; a file that says so is not read into memory.
constexpr uint64_t kMost = uint64_t(1) << 28;

struct Header {
  char magic[24];
  uint64_t made_by;
  uint64_t size;
  /// Of the pipelines.
  uint64_t check;
};

Header header_of(uint64_t made_by, const std::vector<uint8_t>& pipelines) {
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.made_by = made_by;
  header.size = pipelines.size();
  header.check = Hash().add(pipelines.data(), pipelines.size()).digest();
  return header;
}

bool is_private(const PrivateFile& file, const std::string& path) {
  const char* const reason = file.why_not_private();
  if (reason != nullptr) {
    ET_LOG(Error, "Vulkan: the pipelines in %s are not used: %s", path.c_str(), reason);
  }
  return reason == nullptr;
}

Error failed(const char* what, const std::string& path) {
  ET_LOG(Error, "Vulkan: cannot %s the pipelines in %s: %s", what, path.c_str(),
         std::strerror(errno));
  return Error::AccessFailed;
}

/// Whether the name is free, or the file there one that may be replaced.
Error check_replaceable(const std::string& path) {
  const PrivateFile old(path.c_str(), O_RDONLY);
  if (old.get() < 0) {
    return errno == ENOENT ? Error::Ok : failed("replace", path);
  }
  return is_private(old, path) ? Error::Ok : Error::AccessFailed;
}

}  // namespace

std::vector<uint8_t> read_pipelines(const std::string& path, uint64_t made_by) {
  const PrivateFile file(path.c_str(), O_RDONLY);
  if (file.get() < 0) {
    if (errno != ENOENT) {
      (void)failed("read", path);
    }
    return {};
  }
  if (!is_private(file, path)) {
    return {};
  }
  Header header = {};
  struct stat status = {};
  const bool is_one = file.read_at(0, &header, sizeof(header)) == sizeof(header) &&
                      std::memcmp(header.magic, kMagic, sizeof(kMagic)) == 0;
  if (!is_one || header.made_by != made_by) {
    ET_LOG(Info, "Vulkan: the pipelines in %s are of another version, device or driver",
           path.c_str());
    return {};
  }
  std::vector<uint8_t> pipelines;
  const bool fits = ::fstat(file.get(), &status) == 0 && header.size <= kMost &&
                    uint64_t(status.st_size) == sizeof(header) + header.size;
  if (fits) {
    pipelines.resize(static_cast<size_t>(header.size));
  }
  if (!fits || file.read_at(sizeof(header), pipelines.data(), pipelines.size()) != header.size ||
      header_of(made_by, pipelines).check != header.check) {
    ET_LOG(Error, "Vulkan: the pipelines in %s are damaged, and are compiled again", path.c_str());
    return {};
  }
  return pipelines;
}

Error write_pipelines(const std::string& path, uint64_t made_by,
                      const std::vector<uint8_t>& pipelines) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_replaceable(path));
  // Whoever reads has the old file or the new one, and never a part.
  const std::string made = path + "." + std::to_string(::getpid());
  {
    (void)::unlink(made.c_str());
    const PrivateFile file(made.c_str(), O_WRONLY | O_CREAT | O_EXCL);
    if (file.get() < 0) {
      return failed("write", path);
    }
    const Header header = header_of(made_by, pipelines);
    size_t offset = 0;
    const bool is_whole = is_private(file, made) &&
                          file.write_at(offset, &header, sizeof(header)) &&
                          file.write_at(offset, pipelines.data(), pipelines.size());
    if (!is_whole) {
      (void)::unlink(made.c_str());
      return failed("write", path);
    }
  }
  if (std::rename(made.c_str(), path.c_str()) != 0) {
    const Error error = failed("replace", path);
    (void)::unlink(made.c_str());
    return error;
  }
  return Error::Ok;
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
