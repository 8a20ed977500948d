#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace executorch {
namespace extension {
namespace llm {

/// What a WAV file says of its samples, by the names that runners of speech know.
struct WavHeader {
  /// 1: integers, 3: floats. Of the extensible format, the one that its extension names.
  uint16_t AudioFormat = 0;
  uint16_t NumOfChan = 0;
  uint32_t SamplesPerSec = 0;
  uint32_t bytesPerSec = 0;
  /// Bytes of one sample of all channels.
  uint16_t blockAlign = 0;
  uint16_t bitsPerSample = 0;
  /// Bytes of all samples, and where they begin in the file.
  uint32_t Subchunk2Size = 0;
  uint32_t dataOffset = 0;
};

/// Null, after saying why, for a file that cannot be read or is none.
std::unique_ptr<WavHeader> load_wav_header(const std::string& fp);

/// The samples in the order of the file, so that channels alternate, in [-1, 1]: integers of 16, 24
/// and 32 bits over the largest of their kind, of 8 bits, which have no sign, around 128, and
/// floats of 32 bits as they are. None, after saying why, for another format or no such file.
std::vector<float> load_wav_audio_data(const std::string& fp);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
