#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include <executorch/backends/xnnpack/serialization/schema_generated.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace testing {

/// Data by name that counts what is loaded and freed.
class NamedData final : public runtime::NamedDataMap {
 public:
  std::map<std::string, std::vector<float>, std::less<>> data;
  mutable std::atomic<int> num_loaded{0};
  mutable std::atomic<int> num_freed{0};

  runtime::Result<const runtime::TensorLayout> get_tensor_layout(std::string_view) const override {
    return runtime::Error::NotFound;
  }
  runtime::Result<runtime::FreeableBuffer> get_data(std::string_view key) const override {
    const auto found = data.find(key);
    if (found == data.end()) {
      return runtime::Error::NotFound;
    }
    ++num_loaded;
    // A copy, so that sanitizers see who reads what was freed.
    auto* const copy = new std::vector<float>(found->second);
    return runtime::FreeableBuffer(
        copy->data(), copy->size() * sizeof(float),
        [](void* context, void* floats, size_t) {
          auto* const loaded = static_cast<Loaded*>(context);
          ++loaded->from->num_freed;
          (void)floats;
          delete loaded->floats;
          delete loaded;
        },
        new Loaded{this, copy});
  }
  runtime::Error load_data_into(std::string_view, void*, size_t) const override {
    return runtime::Error::NotFound;
  }
  runtime::Result<uint32_t> get_num_keys() const override { return uint32_t(data.size()); }
  runtime::Result<const char*> get_key(uint32_t) const override {
    return runtime::Error::InvalidArgument;
  }

 private:
  struct Loaded {
    const NamedData* from;
    std::vector<float>* floats;
  };
};

/// sigmoid(x W' + b) with any number of rows, as the blob of a delegate.
class GraphForTests {
 public:
  static constexpr int32_t kInputs = 24;
  static constexpr int32_t kOutputs = 24;

  explicit GraphForTests(uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> number(-1, 1);
    std::vector<float> filter(kInputs * kOutputs);
    std::vector<float> bias(kOutputs);
    for (float& each : filter) {
      each = number(random);
    }
    for (float& each : bias) {
      each = number(random);
    }
    named_.data = {{"weight", filter}, {"bias", bias}};
  }

  /// The filter is stored the other way round.
  void transpose() { flags_ = 1; }
  void make_persistent() { value_flags_ = 4; }
  /// The sigmoid is of the input: nobody reads what the linear layer writes.
  void leave_unread() { sigmoid_input_ = 0; }

  /// Gives filter and bias other names in the file.
  void rename(const std::string& filter, const std::string& bias) {
    named_.data = {{filter, named_.data.at(filter_name_)}, {bias, named_.data.at(bias_name_)}};
    filter_name_ = filter;
    bias_name_ = bias;
  }

  const NamedData& named() const { return named_; }

  static const NamedData& nothing() {
    static const auto* const empty = new NamedData();
    return *empty;
  }

  std::vector<float> input(size_t rows) const {
    std::vector<float> x(rows * kInputs);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = std::sin(float(i));
    }
    return x;
  }

  std::vector<float> expected(const std::vector<float>& x) const {
    const std::vector<float>& filter = named_.data.at(filter_name_);
    std::vector<float> y;
    for (size_t row = 0; row < x.size() / kInputs; ++row) {
      for (size_t output = 0; output < size_t(kOutputs); ++output) {
        double sum = named_.data.at(bias_name_)[output];
        for (size_t k = 0; k < size_t(kInputs); ++k) {
          const size_t at = flags_ == 0 ? output * kInputs + k : k * kOutputs + output;
          sum += double(x[row * kInputs + k]) * filter[at];
        }
        y.push_back(float(1 / (1 + std::exp(-sum))));
      }
    }
    return y;
  }

  std::string blob() const {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<fb_xnnpack::XValue>> values = {
        value(builder, {8, kInputs}, 0, 0, 0, 1),
        value(builder, {kOutputs, kInputs}, 1, kNone, 1, 0),
        value(builder, {kOutputs}, 2, kNone, 2, 0),
        value(builder, {8, kOutputs}, 0, kNone, 3, value_flags_),
        value(builder, {8, kOutputs}, 0, 1, 4, 2)};
    std::vector<flatbuffers::Offset<fb_xnnpack::XNode>> nodes = {
        fb_xnnpack::CreateXNode(
            builder, fb_xnnpack::XNodeUnion::XNNFullyConnected,
            fb_xnnpack::CreateXNNFullyConnected(builder, 0, 1, 2, 3, flags_).Union(), 7),
        fb_xnnpack::CreateXNode(
            builder, fb_xnnpack::XNodeUnion::XNNSigmoid,
            fb_xnnpack::Create_XNNNode1x1(builder, sigmoid_input_, 4, 0).Union(),
            /*debug_handle=*/0xFFFF)};
    std::vector<flatbuffers::Offset<fb_xnnpack::ConstantDataOffset>> constants = {
        fb_xnnpack::CreateConstantDataOffset(builder, 0, 0, builder.CreateString("")),
        fb_xnnpack::CreateConstantDataOffset(builder, UINT64_MAX, 0,
                                             builder.CreateString(filter_name_)),
        fb_xnnpack::CreateConstantDataOffset(builder, UINT64_MAX, 0,
                                             builder.CreateString(bias_name_))};
    const auto stored_nodes = builder.CreateVector(nodes);
    const auto stored_values = builder.CreateVector(values);
    const auto inputs = builder.CreateVector(std::vector<uint32_t>{0});
    const auto outputs = builder.CreateVector(std::vector<uint32_t>{4});
    const auto stored_constants = builder.CreateVector(constants);
    fb_xnnpack::XNNGraphBuilder graph(builder);
    graph.add_xnodes(stored_nodes);
    graph.add_xvalues(stored_values);
    graph.add_num_externs(2);
    graph.add_input_ids(inputs);
    graph.add_output_ids(outputs);
    graph.add_constant_data(stored_constants);
    builder.Finish(graph.Finish(), "XN01");
    return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()),
                       builder.GetSize());
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  static flatbuffers::Offset<fb_xnnpack::XValue> value(flatbuffers::FlatBufferBuilder& builder,
                                                       const std::vector<uint32_t>& dims,
                                                       uint32_t constant, uint32_t external,
                                                       uint32_t id, uint32_t flags) {
    const auto tensor = fb_xnnpack::CreateXNNTensorValueDirect(
        builder, fb_xnnpack::XNNDatatype::xnn_datatype_fp32, uint32_t(dims.size()), &dims, constant,
        external, flags, id);
    return fb_xnnpack::CreateXValue(builder, fb_xnnpack::XValueUnion::XNNTensorValue,
                                    tensor.Union());
  }

  NamedData named_;
  std::string filter_name_ = "weight";
  std::string bias_name_ = "bias";
  uint32_t flags_ = 0;
  uint32_t value_flags_ = 0;
  uint32_t sigmoid_input_ = 3;
};

}  // namespace testing
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
