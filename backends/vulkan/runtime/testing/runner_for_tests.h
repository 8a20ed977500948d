#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/vulkan/runtime/executor.h>
#include <executorch/backends/vulkan/runtime/testing/graph_for_tests.h>
#include <executorch/backends/vulkan/runtime/vk/context.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace testing {

/// Of tests that run in each kind of floats: INSTANTIATE_TEST_SUITE_P(, X, floats(),
/// name_of_float).
class FloatsTest : public ::testing::TestWithParam<DType> {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

inline auto floats() { return ::testing::Values(DType::Float, DType::Half); }

inline std::string name_of_float(const ::testing::TestParamInfo<DType>& one) {
  return one.param == DType::Half ? "half" : "float";
}

using Shape = std::vector<int64_t>;

/// Numbers that a calculation in double precision takes.
struct Array {
  Shape sizes;
  std::vector<double> values;

  double& operator[](int64_t i) { return values[static_cast<size_t>(i)]; }
  double operator[](int64_t i) const { return values[static_cast<size_t>(i)]; }
};

inline int64_t numel(const Shape& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    count *= size;
  }
  return count;
}

inline Array zeros(const Shape& sizes) {
  return {sizes, std::vector<double>(static_cast<size_t>(numel(sizes)), 0.0)};
}

/// From `low` to `high` in steps of 1/64, which half a float has exactly.
inline Array some(const Shape& sizes, double low = -2, double high = 2, uint32_t seed = 1) {
  Array made = zeros(sizes);
  uint32_t state = seed * 2654435761u + static_cast<uint32_t>(made.values.size());
  for (double& value : made.values) {
    state = state * 1664525u + 1013904223u;
    value = low + std::floor((high - low) * 64 * ((state >> 8) / 16777216.0)) / 64;
  }
  return made;
}

/// A graph that is run on the machine's device, with the validation layer.
class Runner {
 public:
  explicit Runner(DType type = DType::Float) : type_(type) {}

  GraphForTests graph;

  DType type() const { return type_; }

  int32_t in(const Array& array, int32_t memory = -1) {
    return in(array, type_, DType::Float, memory);
  }
  int32_t in(const Array& array, DType type, DType staging, int32_t memory = -1) {
    const int32_t id = graph.tensor(array.sizes, type, staging, memory);
    graph.input(id);
    inputs_.push_back({array, staging});
    return id;
  }
  int32_t constant(const Array& array) { return constant(array, type_, DType::Float); }
  int32_t constant(const Array& array, DType type, DType staging) {
    std::string bytes;
    for (const double value : array.values) {
      append(bytes, value, staging);
    }
    return graph.constant(array.sizes, type, staging, bytes);
  }
  int32_t out(const Shape& sizes, int32_t memory = -1) {
    return out(sizes, type_, DType::Float, memory);
  }
  int32_t out(const Shape& sizes, DType type, DType staging, int32_t memory = -1) {
    const int32_t id = graph.tensor(sizes, type, staging, memory);
    graph.output(id);
    outputs_.push_back({zeros(sizes), staging});
    return id;
  }

  /// Makes the delegate, on the machine's device or another.
  runtime::Error load(bool is_profiled = false, Context* context = nullptr) {
    if (context == nullptr) {
      const runtime::Result<Context*> shared = Context::get();
      EXPECT_TRUE(shared.ok());
      if (!shared.ok()) {
        return shared.error();
      }
      context = *shared;
    }
    context_ = context;
    blob_ = graph.blob();
    auto made = Executor::create(*context, blob_.data(), blob_.size(), nullptr, is_profiled);
    if (!made.ok()) {
      return made.error();
    }
    executor_ = std::move(*made);
    return runtime::Error::Ok;
  }

  Executor& executor() { return *executor_; }

  /// Gives an input another value, which may have another shape.
  void set(size_t input, const Array& array) { inputs_[input].array = array; }

  runtime::Error execute(runtime::EventTracer* tracer = nullptr) {
    std::vector<runtime::EValue> values;
    for (const Port& port : inputs_) {
      values.emplace_back(make(port));
    }
    for (const Port& port : outputs_) {
      values.emplace_back(make(port));
    }
    std::vector<runtime::EValue*> args;
    for (runtime::EValue& value : values) {
      args.push_back(&value);
    }
    runtime::BackendExecutionContext context(tracer);
    const runtime::Error error = executor_->execute({args.data(), args.size()}, context);
    results_.clear();
    for (size_t i = 0; error == runtime::Error::Ok && i < outputs_.size(); ++i) {
      results_.push_back(read(values[inputs_.size() + i].toTensor()));
    }
    EXPECT_EQ(context_->num_messages(), 0u) << "the validation layer objects";
    return error;
  }

  const Array& result(size_t i = 0) const { return results_[i]; }

  /// Loads, runs, and compares the first output.
  void check(const Array& expected, double tolerance = 0) {
    ASSERT_EQ(load(), runtime::Error::Ok);
    ASSERT_EQ(execute(), runtime::Error::Ok);
    compare(expected, result(), tolerance);
  }

  void compare(const Array& expected, const Array& got, double tolerance = 0) const {
    if (tolerance == 0) {
      tolerance = type_ == DType::Half ? 1e-2 : 1e-4;
    }
    ASSERT_EQ(got.sizes, expected.sizes);
    for (size_t i = 0; i < expected.values.size(); ++i) {
      const double want = expected.values[i];
      if (std::isnan(want) || std::isinf(want)) {
        ASSERT_EQ(std::isnan(want), std::isnan(got.values[i])) << "at " << i;
        ASSERT_TRUE(std::isnan(want) || want == got.values[i]) << "at " << i;
        continue;
      }
      ASSERT_NEAR(got.values[i], want, tolerance * (1 + std::fabs(want))) << "at " << i;
    }
  }

 private:
  struct Port {
    Array array;
    DType type;
  };

  template <typename T>
  static void append_as(std::string& bytes, double value) {
    const T made = static_cast<T>(value);
    bytes.append(reinterpret_cast<const char*>(&made), sizeof(made));
  }

  static void append(std::string& bytes, double value, DType type) {
    switch (type) {
      case DType::Float:
        return append_as<float>(bytes, value);
      case DType::Int64:
        return append_as<int64_t>(bytes, value);
      case DType::Int32:
        return append_as<int32_t>(bytes, value);
      case DType::Int8:
        return append_as<int8_t>(bytes, value);
      default:
        return append_as<uint8_t>(bytes, value);
    }
  }

  template <executorch::aten::ScalarType kType, typename T>
  executorch::aten::Tensor tensor(const Port& port,
                                  runtime::testing::TensorFactory<kType>& factory) {
    const std::vector<int32_t> sizes(port.array.sizes.begin(), port.array.sizes.end());
    std::vector<T> values;
    for (const double value : port.array.values) {
      values.push_back(static_cast<T>(value));
    }
    return factory.make(sizes, values, {}, executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);
  }

  executorch::aten::Tensor make(const Port& port) {
    using executorch::aten::ScalarType;
    switch (port.type) {
      case DType::Float:
        return tensor<ScalarType::Float, float>(port, floats_);
      case DType::Int64:
        return tensor<ScalarType::Long, int64_t>(port, longs_);
      case DType::Int32:
        return tensor<ScalarType::Int, int32_t>(port, ints_);
      case DType::Int8:
        return tensor<ScalarType::Char, int8_t>(port, chars_);
      default:
        return tensor<ScalarType::Bool, uint8_t>(port, bools_);
    }
  }

  static Array read(const executorch::aten::Tensor& tensor) {
    using executorch::aten::ScalarType;
    Array made = zeros(Shape(tensor.sizes().begin(), tensor.sizes().end()));
    for (size_t i = 0; i < made.values.size(); ++i) {
      switch (tensor.scalar_type()) {
        case ScalarType::Float:
          made.values[i] = static_cast<double>(tensor.const_data_ptr<float>()[i]);
          break;
        case ScalarType::Long:
          made.values[i] = static_cast<double>(tensor.const_data_ptr<int64_t>()[i]);
          break;
        case ScalarType::Int:
          made.values[i] = tensor.const_data_ptr<int32_t>()[i];
          break;
        case ScalarType::Char:
          made.values[i] = tensor.const_data_ptr<int8_t>()[i];
          break;
        default:
          made.values[i] = tensor.const_data_ptr<bool>()[i] ? 1 : 0;
      }
    }
    return made;
  }

  DType type_;
  Context* context_ = nullptr;
  std::string blob_;
  std::unique_ptr<Executor> executor_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::vector<Array> results_;
  runtime::testing::TensorFactory<executorch::aten::ScalarType::Float> floats_;
  runtime::testing::TensorFactory<executorch::aten::ScalarType::Long> longs_;
  runtime::testing::TensorFactory<executorch::aten::ScalarType::Int> ints_;
  runtime::testing::TensorFactory<executorch::aten::ScalarType::Char> chars_;
  runtime::testing::TensorFactory<executorch::aten::ScalarType::Bool> bools_;
};

}  // namespace testing
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
