#include <algorithm>
#include <cstddef>
#include <cstring>

#include <executorch/extension/llm/runner/wav_loader.h>
#include <executorch/extension/llm/tokenizer/model_file.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {
namespace {

using Bytes = std::string;

constexpr uint16_t kIntegers = 1;
constexpr uint16_t kFloats = 3;
constexpr uint16_t kExtensible = 0xFFFE;

/// A little-endian number of `size` bytes.
uint32_t number(const Bytes& file, size_t offset, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= static_cast<uint32_t>(static_cast<uint8_t>(file[offset + i])) << (8 * i);
  }
  return value;
}

bool says(const Bytes& file, size_t offset, const char* four) {
  return std::memcmp(file.data() + offset, four, 4) == 0;
}

/// Reads a `fmt ` chunk of `size` bytes.
void read_format(const Bytes& file, size_t offset, size_t size, WavHeader& header) {
  header.AudioFormat = static_cast<uint16_t>(number(file, offset, 2));
  header.NumOfChan = static_cast<uint16_t>(number(file, offset + 2, 2));
  header.SamplesPerSec = number(file, offset + 4, 4);
  header.bytesPerSec = number(file, offset + 8, 4);
  header.blockAlign = static_cast<uint16_t>(number(file, offset + 12, 2));
  header.bitsPerSample = static_cast<uint16_t>(number(file, offset + 14, 2));
  // An identifier of the format, behind three fields, begins with its number.
  if (header.AudioFormat == kExtensible && size >= 26) {
    header.AudioFormat = static_cast<uint16_t>(number(file, offset + 24, 2));
  }
}

/// Null, after saying why.
std::unique_ptr<WavHeader> header_of(const Bytes& file, const std::string& path) {
  if (file.size() < 12 || !says(file, 0, "RIFF") || !says(file, 8, "WAVE")) {
    ET_LOG(Error, "%s cannot be read, or is no WAV file", path.c_str());
    return nullptr;
  }
  auto header = std::make_unique<WavHeader>();
  size_t offset = 12;
  while (file.size() - offset >= 8) {
    const size_t begin = offset + 8;
    // A recorder that is cut off leaves a size that is too large.
    const size_t size = std::min<size_t>(number(file, offset + 4, 4), file.size() - begin);
    if (says(file, offset, "fmt ") && size >= 16) {
      read_format(file, begin, size, *header);
    } else if (says(file, offset, "data") && header->bitsPerSample != 0) {
      header->Subchunk2Size = static_cast<uint32_t>(size);
      header->dataOffset = static_cast<uint32_t>(begin);
      return header;
    }
    offset = std::min(begin + size + size % 2, file.size());
  }
  ET_LOG(Error, "%s has no format or no samples", path.c_str());
  return nullptr;
}

/// Nothing of a file that cannot be read.
Bytes bytes_of(const std::string& path) {
  Bytes file;
  return tokenizers::read_file(path, file) ? file : Bytes();
}

/// A sample of `size` bytes.
float sample(const Bytes& file, size_t offset, size_t size, bool is_float) {
  const uint32_t bits = number(file, offset, size);
  if (is_float) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (size == 1) {
    return (static_cast<float>(bits) - 128.0f) / 127.0f;
  }
  // The sign is the highest bit of all 32.
  const auto shift = static_cast<uint32_t>(32 - 8 * size);
  const auto value = static_cast<int32_t>(bits << shift);
  const double largest = static_cast<double>((uint64_t{1} << 31) - (uint64_t{1} << shift));
  return static_cast<float>(value / largest);
}

}  // namespace

std::unique_ptr<WavHeader> load_wav_header(const std::string& fp) {
  return header_of(bytes_of(fp), fp);
}

std::vector<float> load_wav_audio_data(const std::string& fp) {
  const Bytes file = bytes_of(fp);
  const auto header = header_of(file, fp);
  if (header == nullptr) {
    return {};
  }
  const bool is_float = header->AudioFormat == kFloats;
  const size_t size = header->bitsPerSample / 8u;
  const bool is_known = is_float ? header->bitsPerSample == 32
                                 : header->AudioFormat == kIntegers && size >= 1 && size <= 4 &&
                                       header->bitsPerSample % 8 == 0;
  if (!is_known) {
    ET_LOG(Error,
           "%s has samples of format %d with %d bits; here are integers of 8, 16, 24 and 32 and "
           "floats of 32 bits",
           fp.c_str(), static_cast<int>(header->AudioFormat),
           static_cast<int>(header->bitsPerSample));
    return {};
  }
  std::vector<float> samples(header->Subchunk2Size / size);
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = sample(file, header->dataOffset + i * size, size, is_float);
  }
  return samples;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
