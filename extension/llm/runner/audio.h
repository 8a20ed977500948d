#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <executorch/extension/llm/runner/input_values.h>

namespace executorch {
namespace extension {
namespace llm {

/// Sound as samples: batches, channels and samples, of bytes or floats.
struct RawAudio {
  InputValues data;
  int32_t batch_size = 1;
  int32_t n_channels = 1;
  int32_t n_samples = 0;

  /// As Audio's.
  runtime::Result<TensorPtr> toTensor() const {
    return tensor_over(data, {batch_size, n_channels, n_samples}, "Raw audio");
  }
};

/// Sound as an encoder takes it: the frames of a spectrogram, as batches, bins and frames, of bytes
/// or floats.
class Audio {
 public:
  Audio() = default;
  Audio(std::vector<uint8_t>&& data, int32_t batch_size, int32_t n_bins, int32_t n_frames)
      : values_(std::move(data)), batch_size_(batch_size), n_bins_(n_bins), n_frames_(n_frames) {}
  Audio(std::vector<float>&& data, int32_t batch_size, int32_t n_bins, int32_t n_frames)
      : values_(std::move(data)), batch_size_(batch_size), n_bins_(n_bins), n_frames_(n_frames) {}

  int32_t get_batch_size() const { return batch_size_; }
  int32_t get_n_bins() const { return n_bins_; }
  int32_t get_n_frames() const { return n_frames_; }

  bool is_uint8() const { return std::holds_alternative<std::vector<uint8_t>>(values_); }
  bool is_float() const { return std::holds_alternative<std::vector<float>>(values_); }

  /// The values, of audio that has that kind.
  const std::vector<uint8_t>& get_uint8_data() const {
    return std::get<std::vector<uint8_t>>(values_);
  }
  const std::vector<float>& get_float_data() const { return std::get<std::vector<float>>(values_); }

  /// A tensor over the values, which have to outlive it: [batch_size, n_bins, n_frames].
  /// InvalidArgument when there are not as many values as that.
  runtime::Result<TensorPtr> toTensor() const {
    return tensor_over(values_, {batch_size_, n_bins_, n_frames_}, "Audio");
  }

 private:
  InputValues values_;
  int32_t batch_size_ = 0;
  int32_t n_bins_ = 0;
  int32_t n_frames_ = 0;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
