#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include <executorch/backends/xnnpack/serialization/schema_generated.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace testing {

constexpr uint32_t kNone = UINT32_MAX;

using Datatype = fb_xnnpack::XNNDatatype;

/// The elements of a value. How they are quantized follows from the datatype, with scales of 1/2.
struct Type {
  Datatype datatype = Datatype::xnn_datatype_fp32;
  /// Of which there is a scale for each, or a group of `group` in the other one.
  int32_t channel_dim = 0;
  int32_t group = 32;
  /// Scale of the whole.
  float scale = 0.5F;
  /// Which are quantized together at run time.
  int32_t num_nonbatch_dims = 1;
};

/// Puts a blob together, value by value and node by node.
class GraphBuilder {
 public:
  using Builder = flatbuffers::FlatBufferBuilder;
  using Kind = fb_xnnpack::XNodeUnion;
  using Dims = std::vector<uint32_t>;

  uint32_t input(const Dims& dims, const Type& type = {}) {
    inputs_.push_back(add(dims, type, 0, externals_++, /*flags=*/1));
    return inputs_.back();
  }
  uint32_t between(const Dims& dims, const Type& type = {}) { return add(dims, type, 0, kNone, 0); }
  uint32_t output(const Dims& dims, const Type& type = {}) {
    outputs_.push_back(add(dims, type, 0, externals_++, /*flags=*/2));
    return outputs_.back();
  }
  uint32_t constant(const Dims& dims, const std::string& name, const Type& type = {}) {
    constants_.push_back(
        fb_xnnpack::CreateConstantDataOffset(builder_, UINT64_MAX, 0, builder_.CreateString(name)));
    return add(dims, type, uint32_t(constants_.size()), kNone, 0);
  }
  /// A value that claims to be what the argument `external` is already.
  uint32_t impostor(const Dims& dims, uint32_t external, uint32_t flags, const Type& type = {}) {
    return add(dims, type, 0, external, flags);
  }

  template <typename T>
  void node(Kind kind, flatbuffers::Offset<T> table) {
    nodes_.push_back(fb_xnnpack::CreateXNode(builder_, kind, table.Union()));
  }
  void unary(Kind kind, uint32_t from, uint32_t to) {
    node(kind, fb_xnnpack::Create_XNNNode1x1(builder_, from, to));
  }
  void binary(Kind kind, uint32_t first, uint32_t second, uint32_t to) {
    node(kind, fb_xnnpack::Create_XNNNode2x1(builder_, first, second, to));
  }
  void copy(uint32_t from, uint32_t to) { unary(Kind::XNNCopy, from, to); }
  void pad(const Dims& before, const Dims& after, uint32_t from, uint32_t to) {
    node(Kind::XNNStaticConstantPad,
         fb_xnnpack::CreateXNNStaticConstantPadDirect(builder_, &before, &after, 0, from, to));
  }
  void reshape(const Dims& shape, uint32_t from, uint32_t to) {
    node(Kind::XNNStaticReshape, fb_xnnpack::CreateXNNStaticReshapeDirect(
                                     builder_, uint32_t(shape.size()), &shape, from, to));
  }
  void slice(const Dims& offsets, const Dims& sizes, uint32_t from, uint32_t to) {
    node(Kind::XNNStaticSlice, fb_xnnpack::CreateXNNStaticSliceDirect(
                                   builder_, uint32_t(sizes.size()), &offsets, &sizes, from, to));
  }
  void linear(uint32_t from, uint32_t filter, uint32_t bias, uint32_t to, uint32_t flags = 0) {
    node(Kind::XNNFullyConnected,
         fb_xnnpack::CreateXNNFullyConnected(builder_, from, filter, bias, to, flags));
  }
  /// A convolution of some kind with steps of 1; `size` pixels each way.
  void convolution(Kind kind, uint32_t size, uint32_t padding, uint32_t groups, uint32_t inputs,
                   uint32_t outputs, uint32_t from, uint32_t filter, uint32_t bias, uint32_t to) {
    node(kind, fb_xnnpack::Create_XNNNodeConv(builder_, padding, padding, padding, padding, size,
                                              size, 1, 1, 1, 1, inputs, outputs, groups, 0, 0, from,
                                              filter, bias, to));
  }
  /// A 3x3 convolution of one channel.
  void convolution(uint32_t from, uint32_t filter, uint32_t to, uint32_t padding = 0) {
    convolution(Kind::XNNConv2d, 3, padding, 1, 1, 1, from, filter, kNone, to);
  }

  Builder& builder() { return builder_; }

  std::string blob() {
    std::vector<flatbuffers::Offset<fb_xnnpack::ConstantDataOffset>> constants = {
        fb_xnnpack::CreateConstantDataOffset(builder_, 0, 0, builder_.CreateString(""))};
    constants.insert(constants.end(), constants_.begin(), constants_.end());
    const auto nodes = builder_.CreateVector(nodes_);
    const auto values = builder_.CreateVector(values_);
    const auto inputs = builder_.CreateVector(inputs_);
    const auto outputs = builder_.CreateVector(outputs_);
    const auto stored = builder_.CreateVector(constants);
    fb_xnnpack::XNNGraphBuilder graph(builder_);
    graph.add_xnodes(nodes);
    graph.add_xvalues(values);
    graph.add_num_externs(externals_);
    graph.add_input_ids(inputs);
    graph.add_output_ids(outputs);
    graph.add_constant_data(stored);
    builder_.Finish(graph.Finish(), "XN01");
    return std::string(reinterpret_cast<const char*>(builder_.GetBufferPointer()),
                       builder_.GetSize());
  }

 private:
  uint32_t add(const Dims& dims, const Type& type, uint32_t constant, uint32_t external,
               uint32_t flags) {
    const auto id = uint32_t(values_.size());
    const auto tensor = fb_xnnpack::CreateXNNTensorValueDirect(
        builder_, type.datatype, uint32_t(dims.size()), &dims, constant, external, flags, id);
    if (type.datatype == Datatype::xnn_datatype_fp32 ||
        type.datatype == Datatype::xnn_datatype_fp16 ||
        type.datatype == Datatype::xnn_datatype_bf16) {
      values_.push_back(fb_xnnpack::CreateXValue(builder_, fb_xnnpack::XValueUnion::XNNTensorValue,
                                                 tensor.Union()));
      return id;
    }
    const auto [kind, parameters] = quantization(dims, type);
    const auto quantized =
        fb_xnnpack::CreateXNNQuantizedTensorValue(builder_, tensor, kind, parameters);
    values_.push_back(fb_xnnpack::CreateXValue(
        builder_, fb_xnnpack::XValueUnion::XNNQuantizedTensorValue, quantized.Union()));
    return id;
  }

  struct Quantization {
    fb_xnnpack::XNNQuantParams kind;
    flatbuffers::Offset<void> parameters;
  };

  Quantization quantization(const Dims& dims, const Type& type) {
    const std::vector<float> scales(dims.at(size_t(type.channel_dim)), type.scale);
    switch (type.datatype) {
      case Datatype::xnn_datatype_qcint8:
      case Datatype::xnn_datatype_qcint32:
      case Datatype::xnn_datatype_qcint4:
        return {
            fb_xnnpack::XNNQuantParams::PerChannelQuant,
            fb_xnnpack::CreatePerChannelQuantDirect(builder_, &scales, type.channel_dim).Union()};
      case Datatype::xnn_datatype_qbint4: {
        constexpr uint16_t kHalf = 0x3F00;
        uint32_t elements = 1;
        for (const uint32_t size : dims) {
          elements *= size;
        }
        const std::vector<uint16_t> halves(elements / uint32_t(type.group), kHalf);
        return {fb_xnnpack::XNNQuantParams::PerChannelGroupQuant,
                fb_xnnpack::CreatePerChannelGroupQuantDirect(builder_, nullptr, type.channel_dim,
                                                             type.group, &halves)
                    .Union()};
      }
      case Datatype::xnn_datatype_qdint8:
        return {fb_xnnpack::XNNQuantParams::PerTokenDynamicQuant,
                fb_xnnpack::CreatePerTokenDynamicQuant(builder_, type.num_nonbatch_dims).Union()};
      default:
        return {fb_xnnpack::XNNQuantParams::PerTensorQuant,
                fb_xnnpack::CreatePerTensorQuant(builder_, type.scale, 0).Union()};
    }
  }

  Builder builder_;
  std::vector<flatbuffers::Offset<fb_xnnpack::XNode>> nodes_;
  std::vector<flatbuffers::Offset<fb_xnnpack::XValue>> values_;
  std::vector<flatbuffers::Offset<fb_xnnpack::ConstantDataOffset>> constants_;
  std::vector<uint32_t> inputs_;
  std::vector<uint32_t> outputs_;
  uint32_t externals_ = 0;
};

}  // namespace testing
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
