#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#if defined(__APPLE__)
#include <mach-o/dyld.h>
#elif defined(_WIN32)
#define NOMINMAX
#include <windows.h>
#endif

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/part_data_loader.h>
#include <executorch/extension/executor_runner/single_file.h>

namespace executorch {
namespace extension {
namespace executor_runner {

namespace {

// The end of the file: bytes of the model, lowest first, and the mark.
constexpr char kMark[] = "ExecuTorch model";
constexpr size_t kMarkSize = sizeof(kMark) - 1;
constexpr size_t kTrailerSize = sizeof(uint64_t) + kMarkSize;

// Where a model may begin, so that it can be mapped.
constexpr uint64_t kPage = 16384;

struct Place {
  uint64_t offset;
  uint64_t size;
};

/// Where the model stands in a file that has one.
std::optional<Place> find_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff end = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (end < static_cast<std::streamoff>(kTrailerSize)) {
    return std::nullopt;
  }
  const auto before = static_cast<uint64_t>(end) - kTrailerSize;
  std::array<char, kTrailerSize> trailer;
  file.seekg(static_cast<std::streamoff>(before));
  file.read(trailer.data(), trailer.size());
  if (!file || std::memcmp(trailer.data() + sizeof(uint64_t), kMark, kMarkSize) != 0) {
    return std::nullopt;
  }
  uint64_t size = 0;
  for (size_t i = sizeof(uint64_t); i-- > 0;) {
    size = size << 8 | static_cast<uint8_t>(trailer[i]);
  }
  if (size > before || (before - size) % kPage != 0) {
    return std::nullopt;
  }
  return Place{before - size, size};
}

std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void append_trailer(std::ostream& out, uint64_t size) {
  for (size_t i = 0; i < sizeof(size); ++i) {
    out.put(static_cast<char>(size >> 8 * i));
  }
  out.write(kMark, kMarkSize);
}

}  // namespace

std::string own_path(const char* argv0) {
  std::string path(4096, '\0');
#if defined(__linux__)
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? argv0 : self.string();
#elif defined(__APPLE__)
  auto size = static_cast<uint32_t>(path.size());
  return _NSGetExecutablePath(path.data(), &size) == 0 ? path.c_str() : argv0;
#elif defined(_WIN32)
  const DWORD size = GetModuleFileNameA(nullptr, path.data(), static_cast<DWORD>(path.size()));
  return size > 0 && size < path.size() ? path.substr(0, size) : argv0;
#else
  return argv0;
#endif
}

std::unique_ptr<runtime::DataLoader> open_appended_model(const std::string& path) {
  const std::optional<Place> place = find_model(path);
  if (!place) {
    return nullptr;
  }
  auto whole = FileDataLoader::from(path.c_str());
  if (!whole.ok()) {
    return nullptr;
  }
  return std::make_unique<PartDataLoader>(std::make_unique<FileDataLoader>(std::move(*whole)),
                                          static_cast<size_t>(place->offset),
                                          static_cast<size_t>(place->size));
}

ExitCode write_single_file(const std::string& program_path, const std::string& model_path,
                           const std::string& out_path, std::ostream& errors) {
  namespace fs = std::filesystem;
  std::vector<char> program = read(program_path);
  if (const std::optional<Place> place = find_model(program_path)) {
    program.resize(static_cast<size_t>(place->offset));
  }
  program.resize((program.size() + kPage - 1) / kPage * kPage);
  const std::vector<char> model = read(model_path);
  if (program.empty() || model.empty()) {
    errors << "executor_runner: cannot read " << (model.empty() ? model_path : program_path)
           << "\n";
    return kFileFailed;
  }
  std::ofstream out(out_path, std::ios::binary | std::ios::trunc);
  out.write(program.data(), static_cast<std::streamsize>(program.size()));
  out.write(model.data(), static_cast<std::streamsize>(model.size()));
  append_trailer(out, model.size());
  out.close();
  std::error_code failed;
  if (out) {
    fs::permissions(out_path, fs::status(program_path, failed).permissions(), failed);
  }
  if (!out || failed) {
    errors << "executor_runner: cannot write " << out_path << "\n";
    fs::remove(out_path, failed);
    return kFileFailed;
  }
  return kSuccess;
}

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
