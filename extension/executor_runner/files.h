#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <executorch/runtime/core/evalue.h>

namespace executorch {
namespace extension {
namespace executor_runner {

/// Bytes of an input in one sample, and the most that it could have.
struct SampleSize {
  size_t bytes;
  size_t bound;
};

/// The contents of input files, cut into samples.
class SampleFiles {
 public:
  /// Reads `paths`, one file for each entry of `sample_sizes`. A file of as many bytes as the bound
  /// has one sample, whose rest is not read. Nothing, and one line in `errors`, when a file cannot
  /// be read, its size is no multiple of its sample's, or files disagree about the number of
  /// samples.
  static std::optional<SampleFiles> read(const std::vector<std::string>& paths,
                                         const std::vector<SampleSize>& sample_sizes,
                                         std::ostream& errors);

  /// One sample with the given bytes for each input.
  static SampleFiles single(std::vector<std::vector<uint8_t>> inputs);

  size_t num_samples() const { return num_samples_; }

  /// The bytes of one input in one sample. A file with a single sample serves all of them.
  uint8_t* data(size_t input, size_t sample);

 private:
  struct File {
    std::vector<uint8_t> bytes;
    size_t sample_size;
    size_t count;
  };

  std::vector<File> files_;
  size_t num_samples_ = 1;
};

/// Files that outputs are appended to.
class OutputFiles {
 public:
  /// Creates `paths`. Nothing, and one line in `errors`, when that is not possible.
  static std::optional<OutputFiles> create(const std::vector<std::string>& paths,
                                           std::ostream& errors);

  bool empty() const { return files_.empty(); }

  /// Appends the raw bytes of one output: a tensor's data in its dim order, a number in eight
  /// bytes, a bool in one. False, and one line in `errors`, when that fails.
  bool append(size_t output, const runtime::EValue& value, std::ostream& errors);

  /// Whether everything has reached the files.
  bool close(std::ostream& errors);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<std::FILE, Close>> files_;
};

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
