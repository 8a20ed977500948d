#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>
#include <xnnpack.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace testing {

enum class Operator { Linear, Convolution, Depthwise, Transposed, Batched };

/// What goes in, in the terms of XNNPACK's microkernels: "qs8" has one scale, "qd8" one a row (for
/// images: one an image), found at run time. Convolutions of f16 take their weights as f32.
enum class Input { f32, f16, qs8, qd8 };

/// "qc" has a scale for each output channel, "qb" one for each 32 numbers of one, "qs" one.
enum class Weight { f32, f16, qs8, qc8, qc4, qb4 };

struct Product {
  const char* name;
  Operator op;
  Input input;
  Weight weight;
  size_t channels_in;
  size_t channels_out;
  /// Rows of the input that a row of the output is made of; with more than one, zeros surround it.
  size_t taps;
};

inline void PrintTo(const Product& product, std::ostream* out) { *out << product.name; }

/// Numbers in [0, 1) that look random and depend on nothing but the index.
inline double noise(uint64_t index) {
  uint64_t x = (index + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return double(x >> 40) / double(1 << 24);
}

/// IEEE half precision, of numbers within its normal range.
inline uint16_t half_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude < 0x38800000u) {
    return uint16_t(sign);  // Below 2^-14; the test has no use for denormal numbers.
  }
  const uint32_t rounded = magnitude + 0xFFFu + (magnitude >> 13 & 1u);
  return uint16_t(sign | (rounded - 0x38000000u) >> 13);
}

inline double half_value(uint16_t half) {
  const double magnitude =
      (half & 0x7FFFu) == 0 ? 0 : std::ldexp(1024 + (half & 0x3FFu), ((half >> 10) & 31) - 25);
  return (half & 0x8000u) != 0 ? -magnitude : magnitude;
}

/// Weights as XNNPACK takes them, and the numbers that they stand for.
class Weights {
 public:
  explicit Weights(const Product& product)
      : product_(product),
        reduced_(product.op == Operator::Depthwise ? product.taps
                                                   : product.taps * product.channels_in) {
    const size_t count = product.channels_out * reduced_;
    for (size_t n = 0; n < product.channels_out; ++n) {
      scales_.push_back(float(1 + n % 5) / 256);
      biases_.push_back(float(noise(n + 77777) * 2 - 1));
      for (size_t block = 0; block < reduced_ / kBlock; ++block) {
        // Exact with eight bits of mantissa.
        block_scales_.push_back(float(1 + (n + 3 * block) % 7) / 32);
      }
    }
    values_.resize(count);
    integers_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      set(i, i / reduced_);
    }
  }

  /// Of output channel `n`; `k` goes over taps, then input channels.
  double at(size_t n, size_t k) const { return values_[n * reduced_ + k]; }
  float bias(size_t n) const { return has_bias() ? biases_[n] : 0; }
  /// Where floating-point numbers meet integer weights, XNNPACK scales the bias as it scales the
  /// weights; graphs add it afterwards.
  bool has_bias() const {
    const bool scales_bias = product_.input == Input::f32 && product_.weight != Weight::f32;
    return product_.op != Operator::Batched && product_.weight != Weight::f16 && !scales_bias;
  }

  /// Defines the filter in the order of dimensions of the operator.
  uint32_t define_filter(xnn_subgraph_t graph) {
    const std::vector<size_t> dims = filter_dims();
    const size_t channel_dim = product_.op == Operator::Depthwise ? 3 : 0;
    uint32_t id = XNN_INVALID_VALUE_ID;
    xnn_status status = xnn_status_invalid_parameter;
    const auto tensor = [&](xnn_datatype type, const void* data) {
      return xnn_define_tensor_value(graph, type, dims.size(), dims.data(), data,
                                     XNN_INVALID_VALUE_ID, 0, &id);
    };
    switch (product_.weight) {
      case Weight::f32:
        fill(&floats_, [this](size_t i) { return float(values_[i]); });
        status = tensor(xnn_datatype_fp32, floats_.data());
        break;
      case Weight::f16:
        fill(&halves_, [this](size_t i) { return half_bits(float(values_[i])); });
        status = tensor(xnn_datatype_fp16, halves_.data());
        break;
      case Weight::qs8:
        fill(&bytes_, [this](size_t i) { return integers_[i]; });
        status = xnn_define_quantized_tensor_value(graph, xnn_datatype_qint8, 0, scales_[0],
                                                   dims.size(), dims.data(), bytes_.data(),
                                                   XNN_INVALID_VALUE_ID, 0, &id);
        break;
      case Weight::qc8:
        fill(&bytes_, [this](size_t i) { return integers_[i]; });
        status = xnn_define_channelwise_quantized_tensor_value(
            graph, xnn_datatype_qcint8, scales_.data(), dims.size(), channel_dim, dims.data(),
            bytes_.data(), XNN_INVALID_VALUE_ID, 0, &id);
        break;
      case Weight::qc4:
        pack_nibbles();
        status = xnn_define_channelwise_quantized_tensor_value_v2(
            graph, xnn_datatype_qcint4, kNibbleZero, scales_.data(), dims.size(), 0, dims.data(),
            bytes_.data(), XNN_INVALID_VALUE_ID, 0, &id);
        break;
      case Weight::qb4:
        pack_nibbles();
        for (const float scale : block_scales_) {
          uint32_t bits;
          std::memcpy(&bits, &scale, sizeof(bits));
          halves_.push_back(uint16_t(bits >> 16));
        }
        status = xnn_define_blockwise_quantized_tensor_value(
            graph, xnn_datatype_qbint4, kNibbleZero, halves_.data(), dims.size(), 0, kBlock,
            dims.data(), bytes_.data(), XNN_INVALID_VALUE_ID, 0, &id);
        break;
    }
    EXPECT_EQ(status, xnn_status_success);
    return id;
  }

  /// In floating point, or as integers in steps of the products where those are integers.
  uint32_t define_bias(xnn_subgraph_t graph, float input_scale) {
    uint32_t id = XNN_INVALID_VALUE_ID;
    const size_t dims[] = {product_.channels_out};
    if (!has_bias()) {
      return id;
    }
    if (product_.input != Input::qs8) {
      EXPECT_EQ(
          xnn_define_tensor_value(graph, xnn_datatype_fp32, 1, dims, biases_.data(), id, 0, &id),
          xnn_status_success);
      return id;
    }
    for (size_t n = 0; n < product_.channels_out; ++n) {
      bias_scales_.push_back(input_scale * scale(n));
      integer_biases_.push_back(int32_t(std::lround(biases_[n] / bias_scales_[n])));
      biases_[n] = float(integer_biases_[n] * double(bias_scales_[n]));
    }
    const xnn_status status =
        product_.weight == Weight::qs8
            ? xnn_define_quantized_tensor_value(graph, xnn_datatype_qint32, 0, bias_scales_[0], 1,
                                                dims, integer_biases_.data(), id, 0, &id)
            : xnn_define_channelwise_quantized_tensor_value(graph, xnn_datatype_qcint32,
                                                            bias_scales_.data(), 1, 0, dims,
                                                            integer_biases_.data(), id, 0, &id);
    EXPECT_EQ(status, xnn_status_success);
    return id;
  }

 private:
  static constexpr size_t kBlock = 32;
  static constexpr int32_t kNibbleZero = 8;

  float scale(size_t n) const { return product_.weight == Weight::qs8 ? scales_[0] : scales_[n]; }

  void set(size_t i, size_t n) {
    switch (product_.weight) {
      case Weight::f32:
        values_[i] = float(noise(i) * 2 - 1);
        return;
      case Weight::f16:
        values_[i] = half_value(half_bits(float(noise(i) * 2 - 1)));
        return;
      case Weight::qs8:
      case Weight::qc8:
        integers_[i] = int8_t(std::floor(noise(i) * 255) - 127);
        values_[i] = integers_[i] * double(scale(n));
        return;
      case Weight::qc4:
        integers_[i] = int8_t(std::floor(noise(i) * 16) - 8);
        values_[i] = integers_[i] * double(scale(n));
        return;
      case Weight::qb4:
        integers_[i] = int8_t(std::floor(noise(i) * 16) - 8);
        values_[i] = integers_[i] * double(block_scales_[i / kBlock]);
        return;
    }
  }

  std::vector<size_t> filter_dims() const {
    const size_t n = product_.channels_out;
    switch (product_.op) {
      case Operator::Linear:
        return {n, reduced_};
      case Operator::Batched:
        return {1, reduced_, n};
      case Operator::Depthwise:
        return {1, product_.taps, 1, n};
      default:
        return {n, product_.taps, 1, product_.channels_in};
    }
  }

  /// Puts the weights where the operator wants them; only two differ from channel by channel.
  template <typename T, typename Of>
  void fill(std::vector<T>* to, const Of& of) const {
    const size_t outputs = product_.channels_out;
    to->resize(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) {
      const bool outputs_last =
          product_.op == Operator::Batched || product_.op == Operator::Depthwise;
      (*to)[outputs_last ? i % reduced_ * outputs + i / reduced_ : i] = of(i);
    }
  }

  void pack_nibbles() {
    bytes_.assign(integers_.size() / 2, 0);
    for (size_t i = 0; i < integers_.size(); ++i) {
      const int nibble = integers_[i] + kNibbleZero;
      bytes_[i / 2] = int8_t(uint8_t(bytes_[i / 2]) | nibble << (i % 2 * 4));
    }
  }

  const Product product_;
  const size_t reduced_;
  std::vector<double> values_;
  std::vector<int8_t> integers_;
  std::vector<float> scales_;
  std::vector<float> block_scales_;
  std::vector<float> biases_;
  std::vector<float> bias_scales_;
  std::vector<int32_t> integer_biases_;
  // What XNNPACK reads while the graph lives.
  std::vector<float> floats_;
  std::vector<uint16_t> halves_;
  std::vector<int8_t> bytes_;
};

}  // namespace testing
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
