// Every product that graphs are made of, with 1 to 64 rows: tiles of all heights, full and partly
// filled, of the microkernels that XNNPACK chooses on this processor (or EXECUTORCH_MAX_CPU_ISA).
// The oracle is a sum in double precision over the numbers that the integers stand for.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <xnnpack.h>

#include <executorch/backends/xnnpack/runtime/initialize.h>
#include <executorch/backends/xnnpack/runtime/testing/product_weights.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using testing::Input;
using testing::Operator;
using testing::Product;
using testing::Weight;

constexpr size_t kMostRows = 64;
constexpr float kInfinity = INFINITY;

class RowsTest : public ::testing::TestWithParam<Product> {
 protected:
  static constexpr float kInputScale = 1.0F / 32;
  static constexpr float kOutputScale = 1.0F / 4;

  void SetUp() override {
    ASSERT_EQ(initialize(), xnn_status_success);
    x_.resize(kMostRows * product_.channels_in);
    for (size_t i = 0; i < x_.size(); ++i) {
      // Rows of different sizes, around different middles.
      const size_t row = i / product_.channels_in;
      x_[i] = (testing::noise(i + 123456) * 2 - 1 + double(row % 3) / 4) * double(1 + row % 4) / 2;
      if (product_.input == Input::qs8) {
        integers_.push_back(int8_t(std::clamp(std::lround(x_[i] / kInputScale), -128L, 127L)));
        x_[i] = integers_[i] * double(kInputScale);
      } else {
        floats_.push_back(float(x_[i]));
        x_[i] = product_.input == Input::f16 ? testing::half_value(testing::half_bits(floats_[i]))
                                             : floats_[i];
      }
    }
  }

  void TearDown() override {
    xnn_delete_runtime(runtime_);
    xnn_delete_subgraph(graph_);
  }

  std::vector<size_t> shape(size_t rows, size_t channels) const {
    switch (product_.op) {
      case Operator::Linear:
        return {rows, channels};
      case Operator::Batched:
        return {1, rows, channels};
      default:
        return {1, rows, 1, channels};
    }
  }

  uint32_t value(xnn_datatype type, size_t channels, uint32_t external = XNN_INVALID_VALUE_ID) {
    const std::vector<size_t> dims = shape(kMostRows, channels);
    const uint32_t flags = external == 0   ? XNN_VALUE_FLAG_EXTERNAL_INPUT
                           : external == 1 ? XNN_VALUE_FLAG_EXTERNAL_OUTPUT
                                           : 0;
    uint32_t id = XNN_INVALID_VALUE_ID;
    xnn_status status = xnn_status_success;
    if (type == xnn_datatype_qdint8) {
      const size_t of_one_scale = product_.op == Operator::Linear ? 1 : 3;
      status = xnn_define_dynamically_quantized_tensor_value(
          graph_, type, dims.size(), of_one_scale, dims.data(), external, flags, &id);
    } else if (type == xnn_datatype_qint8) {
      status = xnn_define_quantized_tensor_value(
          graph_, type, 0, external == 0 ? kInputScale : kOutputScale, dims.size(), dims.data(),
          nullptr, external, flags, &id);
    } else {
      status = xnn_define_tensor_value(graph_, type, dims.size(), dims.data(), nullptr, external,
                                       flags, &id);
    }
    EXPECT_EQ(status, xnn_status_success);
    return id;
  }

  xnn_status define_operator(uint32_t in, uint32_t filter, uint32_t bias, uint32_t out) {
    const auto taps = uint32_t(product_.taps);
    const uint32_t around = taps / 2;
    const size_t inputs = product_.channels_in;
    const size_t outputs = product_.channels_out;
    switch (product_.op) {
      case Operator::Linear:
        return xnn_define_fully_connected(graph_, -kInfinity, kInfinity, in, filter, bias, out, 0);
      case Operator::Batched:
        return xnn_define_batch_matrix_multiply(graph_, in, filter, out, 0);
      case Operator::Convolution:
        return xnn_define_convolution_2d(graph_, around, 0, around, 0, taps, 1, 1, 1, 1, 1, 1,
                                         inputs, outputs, -kInfinity, kInfinity, in, filter, bias,
                                         out, 0);
      case Operator::Depthwise:
        return xnn_define_depthwise_convolution_2d(graph_, around, 0, around, 0, taps, 1, 1, 1, 1,
                                                   1, 1, inputs, -kInfinity, kInfinity, in, filter,
                                                   bias, out, 0);
      case Operator::Transposed:
        return xnn_define_deconvolution_2d(graph_, around, 0, around, 0, 0, 0, taps, 1, 1, 1, 1, 1,
                                           1, inputs, outputs, -kInfinity, kInfinity, in, filter,
                                           bias, out, 0);
    }
    return xnn_status_invalid_parameter;
  }

  /// Makes `runtime_`; false where the processor has no microkernels for the datatype.
  bool make() {
    EXPECT_EQ(xnn_create_subgraph(2, 0, &graph_), xnn_status_success);
    const bool integers = product_.input == Input::qs8;
    const xnn_datatype outside = integers ? xnn_datatype_qint8 : xnn_datatype_fp32;
    uint32_t in = value(outside, product_.channels_in, 0);
    uint32_t out = value(outside, product_.channels_out, 1);
    const uint32_t result = out;
    if (product_.input == Input::qd8 || product_.input == Input::f16) {
      const auto inside = product_.input == Input::qd8 ? xnn_datatype_qdint8 : xnn_datatype_fp16;
      const uint32_t from = in;
      in = value(inside, product_.channels_in);
      EXPECT_EQ(xnn_define_unary(graph_, xnn_unary_convert, nullptr, from, in, 0),
                xnn_status_success);
      out = inside == xnn_datatype_fp16 ? value(inside, product_.channels_out) : out;
    }
    const uint32_t filter = weights_.define_filter(graph_);
    const uint32_t bias = weights_.define_bias(graph_, kInputScale);
    EXPECT_EQ(define_operator(in, filter, bias, out), xnn_status_success);
    if (out != result) {
      EXPECT_EQ(xnn_define_unary(graph_, xnn_unary_convert, nullptr, out, result, 0),
                xnn_status_success);
    }
    const xnn_status status = xnn_create_runtime_v2(graph_, nullptr, 0, &runtime_);
    EXPECT_TRUE(status == xnn_status_success || status == xnn_status_unsupported_hardware);
    return status == xnn_status_success;
  }

  /// The result for the first `rows` rows, as numbers.
  std::vector<double> run(size_t rows) {
    // What is read of the input beyond its end must not count; XNNPACK may read it.
    const size_t count = rows * product_.channels_in;
    std::vector<float> floats(floats_.begin(), floats_.begin() + (floats_.empty() ? 0 : count));
    std::vector<int8_t> bytes(integers_.begin(),
                              integers_.begin() + (integers_.empty() ? 0 : count));
    floats.resize(floats.size() + XNN_EXTRA_BYTES, NAN);
    bytes.resize(bytes.size() + XNN_EXTRA_BYTES, 99);
    const size_t outputs = rows * product_.channels_out;
    std::vector<float> float_result(outputs + XNN_EXTRA_BYTES);
    std::vector<int8_t> byte_result(outputs + XNN_EXTRA_BYTES);
    const bool integers = product_.input == Input::qs8;
    void* const in = integers ? static_cast<void*>(bytes.data()) : floats.data();
    void* const out = integers ? static_cast<void*>(byte_result.data()) : float_result.data();
    const std::vector<size_t> dims = shape(rows, product_.channels_in);
    EXPECT_EQ(xnn_reshape_external_value(runtime_, 0, dims.size(), dims.data()),
              xnn_status_success);
    EXPECT_EQ(xnn_reshape_runtime(runtime_), xnn_status_success);
    const xnn_external_value externals[] = {{0, in}, {1, out}};
    EXPECT_EQ(xnn_setup_runtime_v2(runtime_, 2, externals), xnn_status_success);
    EXPECT_EQ(xnn_invoke_runtime(runtime_), xnn_status_success);
    std::vector<double> result(outputs);
    for (size_t i = 0; i < outputs; ++i) {
      result[i] = integers ? byte_result[i] * double(kOutputScale) : double(float_result[i]);
    }
    return result;
  }

  struct Sum {
    double value = 0;
    double magnitude = 0;  // of the products
    double weights = 0;    // magnitudes of the weights
  };

  /// The element of the result in `row` for output channel `n` when the input has `rows` rows.
  Sum expected(size_t row, size_t n, size_t rows) const {
    Sum sum;
    sum.value = weights_.bias(n);
    const size_t inputs = product_.op == Operator::Depthwise ? 1 : product_.channels_in;
    for (size_t tap = 0; tap < product_.taps; ++tap) {
      const size_t behind = product_.op == Operator::Transposed ? product_.taps - 1 - tap : tap;
      const size_t from = row + behind - product_.taps / 2;
      if (from >= rows) {  // before the first one, too
        continue;
      }
      for (size_t k = 0; k < inputs; ++k) {
        const double w = weights_.at(n, tap * inputs + k);
        const size_t channel = product_.op == Operator::Depthwise ? n : k;
        const double product = w * x_[from * product_.channels_in + channel];
        sum.value += product;
        sum.magnitude += std::abs(product);
        sum.weights += std::abs(w);
      }
    }
    return sum;
  }

  /// The step of the integers that stand for a row (an image has one for all).
  double step(size_t row, size_t rows) const {
    const bool image = product_.op != Operator::Linear;
    const auto begin = x_.begin() + ptrdiff_t(image ? 0 : row * product_.channels_in);
    const auto end = x_.begin() + ptrdiff_t((image ? rows : row + 1) * product_.channels_in);
    return (std::max(0.0, *std::max_element(begin, end)) -
            std::min(0.0, *std::min_element(begin, end))) /
           255;
  }

  /// How far a right result may be away: by the rounding that the datatype stands for.
  double allowed(const Sum& sum, double input_step) const {
    switch (product_.input) {
      case Input::f32:
        return 1e-5 * sum.magnitude + 1e-6;
      case Input::f16:
        return 1e-2 * sum.magnitude + 1e-3;
      case Input::qs8:
        return 0.502 * kOutputScale;
      case Input::qd8:
        // Each number is at most half a step off, and the zero point is rounded as well.
        return 1.01 * input_step * sum.weights + 1e-5 * sum.magnitude;
    }
    return 0;
  }

  void check(size_t rows) {
    const std::vector<double> result = run(rows);
    for (size_t row = 0; row < rows; ++row) {
      const double input_step = step(row, rows);
      for (size_t n = 0; n < product_.channels_out; ++n) {
        const Sum sum = expected(row, n, rows);
        const double wanted =
            product_.input == Input::qs8
                ? std::clamp(sum.value, -128.0 * kOutputScale, 127.0 * kOutputScale)
                : sum.value;
        const double got = result[row * product_.channels_out + n];
        ASSERT_NEAR(got, wanted, allowed(sum, input_step))
            << "row " << row << " of " << rows << ", channel " << n;
        if (product_.taps == 1 && product_.op == Operator::Linear) {
          // A row's numbers do not depend on how many rows there are.
          ASSERT_NEAR(got, of_most_rows_[row * product_.channels_out + n],
                      1e-6 * sum.magnitude + (product_.input == Input::f16 ? 1e-2 : 0))
              << "row " << row << " of " << rows << ", channel " << n;
        }
      }
    }
  }

  const Product product_ = GetParam();
  testing::Weights weights_{product_};
  std::vector<double> x_;
  std::vector<float> floats_;
  std::vector<int8_t> integers_;
  std::vector<double> of_most_rows_;
  xnn_subgraph_t graph_ = nullptr;
  xnn_runtime_t runtime_ = nullptr;
};

TEST_P(RowsTest, AreRightHoweverManyThereAre) {
  if (!make()) {
    ASSERT_EQ(product_.input, Input::f16);
    GTEST_SKIP() << "XNNPACK has no half-precision products for this processor";
  }
  of_most_rows_ = run(kMostRows);
  // Downwards first: behind fewer rows there lies what more of them have left.
  for (size_t rows = kMostRows; rows > 0; --rows) {
    ASSERT_NO_FATAL_FAILURE(check(rows));
  }
  for (size_t rows = 1; rows <= kMostRows; ++rows) {
    ASSERT_NO_FATAL_FAILURE(check(rows));
  }
}

using Op = Operator;

INSTANTIATE_TEST_SUITE_P(
    Products, RowsTest,
    ::testing::ValuesIn(std::vector<Product>{
        {"linear_f32", Op::Linear, Input::f32, Weight::f32, 96, 19, 1},
        {"linear_f32_wide", Op::Linear, Input::f32, Weight::f32, 37, 70, 1},
        {"linear_f32_qc8w", Op::Linear, Input::f32, Weight::qc8, 40, 35, 1},
        {"linear_f32_qc4w", Op::Linear, Input::f32, Weight::qc4, 40, 35, 1},
        {"linear_f16", Op::Linear, Input::f16, Weight::f16, 48, 35, 1},
        {"linear_f16_wide", Op::Linear, Input::f16, Weight::f16, 37, 131, 1},
        {"linear_qs8", Op::Linear, Input::qs8, Weight::qs8, 40, 35, 1},
        {"linear_qs8_qc8w", Op::Linear, Input::qs8, Weight::qc8, 96, 35, 1},
        {"linear_qs8_qc8w_odd", Op::Linear, Input::qs8, Weight::qc8, 37, 70, 1},
        {"linear_qd8_qc8w", Op::Linear, Input::qd8, Weight::qc8, 96, 19, 1},
        {"linear_qd8_qc8w_odd", Op::Linear, Input::qd8, Weight::qc8, 37, 70, 1},
        {"linear_qd8_qc4w", Op::Linear, Input::qd8, Weight::qc4, 96, 19, 1},
        {"linear_qd8_qc4w_wide", Op::Linear, Input::qd8, Weight::qc4, 40, 70, 1},
        {"linear_qd8_qb4w", Op::Linear, Input::qd8, Weight::qb4, 96, 19, 1},
        {"linear_qd8_qb4w_wide", Op::Linear, Input::qd8, Weight::qb4, 64, 70, 1},
        {"batched_f32", Op::Batched, Input::f32, Weight::f32, 40, 35, 1},
        {"pixel_f32", Op::Convolution, Input::f32, Weight::f32, 40, 35, 1},
        {"pixel_f16", Op::Convolution, Input::f16, Weight::f32, 40, 35, 1},
        {"pixel_qs8_qc8w", Op::Convolution, Input::qs8, Weight::qc8, 40, 35, 1},
        {"pixel_qd8_qc8w", Op::Convolution, Input::qd8, Weight::qc8, 40, 35, 1},
        {"convolution_f32", Op::Convolution, Input::f32, Weight::f32, 13, 35, 3},
        {"convolution_f16", Op::Convolution, Input::f16, Weight::f32, 16, 35, 3},
        {"convolution_f16_wide", Op::Convolution, Input::f16, Weight::f32, 13, 131, 3},
        {"convolution_qs8", Op::Convolution, Input::qs8, Weight::qs8, 13, 35, 3},
        {"convolution_qs8_qc8w", Op::Convolution, Input::qs8, Weight::qc8, 13, 35, 3},
        {"convolution_qd8_qc8w", Op::Convolution, Input::qd8, Weight::qc8, 13, 35, 3},
        {"depthwise_f32", Op::Depthwise, Input::f32, Weight::f32, 35, 35, 3},
        {"depthwise_f16", Op::Depthwise, Input::f16, Weight::f32, 35, 35, 3},
        {"depthwise_f32_9", Op::Depthwise, Input::f32, Weight::f32, 35, 35, 9},
        {"depthwise_f32_25", Op::Depthwise, Input::f32, Weight::f32, 35, 35, 25},
        {"depthwise_f32_49", Op::Depthwise, Input::f32, Weight::f32, 35, 35, 49},
        {"depthwise_qs8_qc8w", Op::Depthwise, Input::qs8, Weight::qc8, 35, 35, 3},
        {"depthwise_qs8_qc8w_25", Op::Depthwise, Input::qs8, Weight::qc8, 35, 35, 25},
        {"transposed_f32", Op::Transposed, Input::f32, Weight::f32, 13, 35, 3},
        {"transposed_qs8", Op::Transposed, Input::qs8, Weight::qs8, 13, 35, 3},
        {"transposed_qd8_qc8w", Op::Transposed, Input::qd8, Weight::qc8, 13, 35, 3},
    }),
    [](const ::testing::TestParamInfo<Product>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
