#include <executorch/backends/xnnpack/runtime/packed_weights_file.h>

#if defined(__wasi__)

#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

// Where nothing can be mapped, each process packs weights anew.

std::map<PackedKey, std::shared_ptr<const Packed>> PackedFile::load() { return {}; }

runtime::Error PackedFile::append(
    const std::vector<std::pair<PackedKey, std::shared_ptr<const Packed>>>& packed) {
  ET_LOG(Error, "%zu packed weights are not written to %s: this platform has no files to map",
         packed.size(), path_.c_str());
  return runtime::Error::NotSupported;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#else

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <cpuinfo.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xnnpack.h>

#include <executorch/backends/xnnpack/runtime/initialize.h>
#include <executorch/runtime/backend/hash.h>
#include <executorch/runtime/backend/private_file.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;
using runtime::Hash;
using runtime::PrivateFile;

namespace {

// A header, then records one after another, each a record's header, its name and, from the next
// multiple of kAlignment, the weights. Records are only ever appended, and a file never becomes
// shorter: pages that another process has mapped would be gone.
constexpr size_t kAlignment = 128;
constexpr char kMagic[] = "XNNPACK packed weights 4";

struct FileHeader {
  char magic[sizeof(kMagic)];
  uint64_t made_by;
};

struct RecordHeader {
  uint32_t seed;
  uint32_t name_size;
  uint64_t data_size;
  /// Of all weights.
  uint64_t data_check;
  /// Of all above, the name, and who made the file.
  uint64_t check;
};

size_t aligned(size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

/// What decides how weights are packed: XNNPACK's version and the instructions of this processor.
uint64_t this_machine() {
  Hash hash;
  hash.add(xnn_experimental_get_build_identifier_data(),
           xnn_experimental_get_build_identifier_size());
  hash.add_word(sizeof(void*));
  if (initialize() == xnn_status_success) {
    hash.add(&cpuinfo_isa, sizeof(cpuinfo_isa));
  }
  return hash.digest();
}

FileHeader expected_header() {
  FileHeader header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.made_by = this_machine();
  return header;
}

uint64_t check_of(const RecordHeader& header, const char* name) {
  static const uint64_t made_by = this_machine();
  return Hash()
      .add_word(made_by)
      .add(&header, offsetof(RecordHeader, check))
      .add(name, header.name_size)
      .digest();
}

uint64_t check_of(const uint8_t* data, size_t size) { return Hash().add(data, size).digest(); }

/// The name of the file and the reason of the last failed call, in the log.
void log_failure(const char* what, const std::string& path) {
  ET_LOG(Error, "XNNPACK: cannot %s the packed weights %s: %s", what, path.c_str(),
         std::strerror(errno));
}

/// Whether nobody else can have put weights there; if not, the log says why.
bool is_private(const PrivateFile& file, const std::string& path) {
  const char* const reason = file.why_not_private();
  if (reason != nullptr) {
    ET_LOG(Error, "XNNPACK: the packed weights %s are not used: %s", path.c_str(), reason);
  }
  return reason == nullptr;
}

/// The whole file, as it is now.
struct Mapping {
  std::shared_ptr<const void> owner;
  const uint8_t* data = nullptr;
  size_t size = 0;
};

Mapping map_file(int fd, const std::string& path) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || status.st_size <= 0) {
    return {};
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* const pages = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (pages == MAP_FAILED) {
    log_failure("map", path);
    return {};
  }
  std::shared_ptr<const void> owner(
      pages, [size](const void* mapped) { ::munmap(const_cast<void*>(mapped), size); });
  return {std::move(owner), static_cast<const uint8_t*>(pages), size};
}

bool is_ours(const Mapping& file) {
  const FileHeader wanted = expected_header();
  return file.size >= kAlignment && std::memcmp(file.data, &wanted, sizeof(wanted)) == 0;
}

using Records = std::map<PackedKey, std::shared_ptr<const Packed>>;

/// All whole records of the file that is mapped, from `end` on, which then is where the next one
/// goes.
Records read_records(const Mapping& file, size_t& end) {
  Records records;
  while (file.size > end && file.size - end >= sizeof(RecordHeader)) {
    RecordHeader header;
    std::memcpy(&header, file.data + end, sizeof(header));
    const size_t left = file.size - end - sizeof(header);
    if (header.name_size > left) {
      break;
    }
    const char* const name = reinterpret_cast<const char*>(file.data + end + sizeof(header));
    const size_t data_at = aligned(end + sizeof(header) + header.name_size);
    if (check_of(header, name) != header.check || data_at > file.size ||
        header.data_size > file.size - data_at ||
        check_of(file.data + data_at, size_t(header.data_size)) != header.data_check) {
      break;
    }
    records.emplace(PackedKey(std::string(name, header.name_size), header.seed),
                    std::make_shared<const Packed>(
                        Packed{file.data + data_at, size_t(header.data_size), file.owner}));
    end = aligned(data_at + header.data_size);
  }
  end = std::min(end, aligned(file.size));
  return records;
}

bool write_record(const PrivateFile& file, size_t& offset, const PackedKey& key,
                  const Packed& packed) {
  const auto* data = static_cast<const uint8_t*>(packed.data);
  RecordHeader header = {key.second, static_cast<uint32_t>(key.first.size()), packed.size,
                         check_of(data, packed.size), 0};
  header.check = check_of(header, key.first.data());
  std::string head(reinterpret_cast<const char*>(&header), sizeof(header));
  head += key.first;
  head.resize(aligned(offset + head.size()) - offset);
  if (!file.write_at(offset, head.data(), head.size()) ||
      !file.write_at(offset, data, packed.size)) {
    return false;
  }
  offset = aligned(offset);
  return true;
}

}  // namespace

/// The file, opened to append to it while nobody else does. A file of another kind or a damaged one
/// is moved away first, since others may have mapped it; what was whole in it is `rescued`.
class PackedFile::Alone {
 public:
  Alone(const std::string& path, Checked& checked) : path_(path), checked_(checked) {}

  /// Null, after saying why, if it cannot be.
  const PrivateFile* open() {
    for (int attempt = 0; attempt < 3; ++attempt) {
      file_ = std::make_unique<PrivateFile>(path_.c_str(), O_RDWR | O_CREAT);
      if (file_->get() < 0 || ::flock(file_->get(), LOCK_EX) != 0) {
        log_failure("open", path_);
        return nullptr;
      }
      if (!is_private(*file_, path_)) {
        return nullptr;
      }
      struct stat opened = {};
      struct stat named = {};
      const bool is_named = ::fstat(file_->get(), &opened) == 0 &&
                            ::stat(path_.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
                            opened.st_dev == named.st_dev;
      if (!is_named) {
        continue;  // Somebody replaced it while this process waited.
      }
      if (is_whole(opened) || (opened.st_size == 0 && begin(opened))) {
        return file_.get();
      }
      if (opened.st_size == 0 || ::unlink(path_.c_str()) != 0) {
        log_failure("replace", path_);
        return nullptr;
      }
    }
    ET_LOG(Error, "XNNPACK: the packed weights %s are being replaced by others", path_.c_str());
    return nullptr;
  }

  Records rescued;

 private:
  /// Reads what has not been checked yet. If it is damaged, what is whole is rescued.
  bool is_whole(const struct stat& status) {
    const Mapping mapping = map_file(file_->get(), path_);
    if (!is_ours(mapping)) {
      return false;
    }
    const bool is_known = checked_.device == uint64_t(status.st_dev) &&
                          checked_.inode == uint64_t(status.st_ino) &&
                          aligned(mapping.size) >= checked_.end && checked_.end > 0;
    if (!is_known) {
      forget(status);
    }
    for (const auto& record : read_records(mapping, checked_.end)) {
      checked_.keys.insert(record.first);
    }
    if (checked_.end >= mapping.size) {
      return true;
    }
    size_t end = kAlignment;
    rescued = read_records(mapping, end);
    return false;
  }

  /// Writes the header of a new file.
  bool begin(const struct stat& status) {
    const FileHeader header = expected_header();
    size_t end = 0;
    forget(status);
    return file_->write_at(end, &header, sizeof(header));
  }

  void forget(const struct stat& status) {
    checked_ = {uint64_t(status.st_dev), uint64_t(status.st_ino), kAlignment, {}};
  }

  const std::string& path_;
  Checked& checked_;
  std::unique_ptr<PrivateFile> file_;
};

Records PackedFile::load() {
  const PrivateFile file(path_.c_str(), O_RDONLY);
  if (file.get() < 0) {
    if (errno != ENOENT) {
      log_failure("open", path_);
    }
    return {};
  }
  if (!is_private(file, path_)) {
    return {};
  }
  const Mapping mapping = map_file(file.get(), path_);
  struct stat status = {};
  if (mapping.data == nullptr || ::fstat(file.get(), &status) != 0) {
    return {};
  }
  if (!is_ours(mapping)) {
    ET_LOG(Info, "XNNPACK: the packed weights %s are of another version or processor",
           path_.c_str());
    return {};
  }
  checked_ = {uint64_t(status.st_dev), uint64_t(status.st_ino), kAlignment, {}};
  Records records = read_records(mapping, checked_.end);
  for (const auto& record : records) {
    checked_.keys.insert(record.first);
  }
  if (checked_.end < mapping.size) {
    ET_LOG(Error, "XNNPACK: the packed weights %s are damaged from byte %zu on", path_.c_str(),
           checked_.end);
  }
  return records;
}

Error PackedFile::append(
    const std::vector<std::pair<PackedKey, std::shared_ptr<const Packed>>>& packed) {
  Alone alone(path_, checked_);
  const PrivateFile* const file = alone.open();
  if (file == nullptr) {
    return Error::AccessFailed;
  }
  Records missing = std::move(alone.rescued);
  for (const auto& entry : packed) {
    if (checked_.keys.find(entry.first) == checked_.keys.end()) {
      missing.insert(entry);
    }
  }
  for (const auto& entry : missing) {
    if (!write_record(*file, checked_.end, entry.first, *entry.second)) {
      // The next one to write takes what is whole into a new file.
      log_failure("write", path_);
      checked_ = {};
      return Error::AccessFailed;
    }
    checked_.keys.insert(entry.first);
  }
  return Error::Ok;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#endif
