#include <cerrno>
#include <cstring>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/executor_runner/files.h>
#include <executorch/runtime/core/data_loader.h>

namespace executorch {
namespace extension {
namespace executor_runner {

using runtime::DataLoader;
using runtime::Error;
using runtime::EValue;
using runtime::Result;

namespace {

std::optional<std::vector<uint8_t>> read_file(const std::string& path) {
  const Result<FileDataLoader> loader = FileDataLoader::from(path.c_str());
  if (!loader.ok()) {
    return std::nullopt;
  }
  const Result<size_t> size = loader->size();
  if (!size.ok()) {
    return std::nullopt;
  }
  std::vector<uint8_t> bytes(*size);
  const Error error = loader->load_into(
      0, *size, DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::External), bytes.data());
  if (error != Error::Ok) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace

std::optional<SampleFiles> SampleFiles::read(const std::vector<std::string>& paths,
                                             const std::vector<SampleSize>& sample_sizes,
                                             std::ostream& errors) {
  if (paths.size() != sample_sizes.size()) {
    errors << "--inputs: the method takes " << sample_sizes.size() << " tensor(s), found "
           << paths.size() << " file(s)\n";
    return std::nullopt;
  }
  SampleFiles result;
  for (size_t i = 0; i < paths.size(); ++i) {
    std::optional<std::vector<uint8_t>> bytes = read_file(paths[i]);
    if (!bytes) {
      errors << "--inputs: cannot read " << paths[i] << "\n";
      return std::nullopt;
    }
    const size_t size = sample_sizes[i].bytes;
    if (bytes->size() == sample_sizes[i].bound) {
      bytes->resize(size);
    }
    const bool fits = size == 0 ? bytes->empty() : !bytes->empty() && bytes->size() % size == 0;
    if (!fits) {
      errors << "--inputs: " << paths[i] << " has " << bytes->size()
             << " bytes, expected a multiple of the " << size << " bytes of input " << i << "\n";
      return std::nullopt;
    }
    const size_t count = size == 0 ? 1 : bytes->size() / size;
    if (count != 1 && result.num_samples_ != 1 && count != result.num_samples_) {
      errors << "--inputs: " << paths[i] << " has " << count << " samples, files before it "
             << result.num_samples_ << "\n";
      return std::nullopt;
    }
    if (count != 1) {
      result.num_samples_ = count;
    }
    result.files_.push_back({std::move(*bytes), size, count});
  }
  return result;
}

SampleFiles SampleFiles::single(std::vector<std::vector<uint8_t>> inputs) {
  SampleFiles result;
  for (std::vector<uint8_t>& bytes : inputs) {
    const size_t size = bytes.size();
    result.files_.push_back({std::move(bytes), size, 1});
  }
  return result;
}

uint8_t* SampleFiles::data(size_t input, size_t sample) {
  File& file = files_[input];
  return file.bytes.data() + (file.count == 1 ? 0 : sample * file.sample_size);
}

std::optional<OutputFiles> OutputFiles::create(const std::vector<std::string>& paths,
                                               std::ostream& errors) {
  OutputFiles result;
  result.paths_ = paths;
  for (const std::string& path : paths) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) {
      errors << "cannot write " << path << ": " << std::strerror(errno) << "\n";
      return std::nullopt;
    }
    result.files_.emplace_back(file);
  }
  return result;
}

bool OutputFiles::append(size_t output, const EValue& value, std::ostream& errors) {
  const void* data = nullptr;
  size_t size = 0;
  int64_t integer = 0;
  double real = 0;
  bool truth = false;
  if (value.isTensor()) {
    data = value.toTensor().const_data_ptr();
    size = value.toTensor().nbytes();
  } else if (value.isInt()) {
    integer = value.toInt();
    data = &integer;
    size = sizeof(integer);
  } else if (value.isDouble()) {
    real = value.toDouble();
    data = &real;
    size = sizeof(real);
  } else if (value.isBool()) {
    truth = value.toBool();
    data = &truth;
    size = sizeof(truth);
  }
  if (size > 0 && data != nullptr && std::fwrite(data, 1, size, files_[output].get()) != size) {
    errors << "cannot write " << paths_[output] << ": " << std::strerror(errno) << "\n";
    return false;
  }
  return true;
}

bool OutputFiles::close(std::ostream& errors) {
  bool good = true;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (std::fclose(files_[i].release()) != 0) {
      errors << "cannot write " << paths_[i] << ": " << std::strerror(errno) << "\n";
      good = false;
    }
  }
  files_.clear();
  return good;
}

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
