#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <executorch/extension/llm/runner/input_values.h>

namespace executorch {
namespace extension {
namespace llm {

/// A picture as an encoder takes it: channels, rows and columns, in this order, of bytes or floats.
class Image {
 public:
  Image() = default;
  Image(std::vector<uint8_t>&& data, int32_t width, int32_t height, int32_t channels)
      : values_(std::move(data)), width_(width), height_(height), channels_(channels) {}
  Image(std::vector<float>&& data, int32_t width, int32_t height, int32_t channels)
      : values_(std::move(data)), width_(width), height_(height), channels_(channels) {}

  int32_t width() const { return width_; }
  int32_t height() const { return height_; }
  int32_t channels() const { return channels_; }

  bool is_uint8() const { return std::holds_alternative<std::vector<uint8_t>>(values_); }
  bool is_float() const { return std::holds_alternative<std::vector<float>>(values_); }

  /// The values, of an image that has that kind.
  const std::vector<uint8_t>& get_uint8_data() const {
    return std::get<std::vector<uint8_t>>(values_);
  }
  const std::vector<float>& get_float_data() const { return std::get<std::vector<float>>(values_); }

  /// A tensor over the values, which have to outlive it: [channels, height, width], behind a batch
  /// of one if wanted. InvalidArgument when there are not as many values as that.
  runtime::Result<TensorPtr> toTensor(bool with_batch = false) const {
    std::vector<int32_t> sizes = {channels_, height_, width_};
    if (with_batch) {
      sizes.insert(sizes.begin(), 1);
    }
    return tensor_over(values_, std::move(sizes), "An image");
  }

 private:
  InputValues values_;
  int32_t width_ = 0;
  int32_t height_ = 0;
  int32_t channels_ = 0;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
