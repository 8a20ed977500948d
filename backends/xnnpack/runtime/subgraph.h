#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <xnnpack.h>

#include <executorch/backends/xnnpack/runtime/blob.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// The error that stands for a status of XNNPACK.
runtime::Error error_of(xnn_status status);

/// A value of the graph, once XNNPACK knows it.
struct Value {
  uint32_t id = XNN_INVALID_VALUE_ID;
  xnn_datatype datatype = xnn_datatype_invalid;
  /// Whether the file has it in bfloat16; to XNNPACK it is a float then.
  bool is_bfloat16 = false;
  std::vector<size_t> dims;
  /// Of a constant, with as many bytes as its elements have.
  Bytes constant;
  /// How numbers were quantized: scales of a constant by channel or group, or one for the tensor.
  Bytes scales;
  float scale = 0;
  int32_t zero_point = 0;
  /// How many of the last dimensions one pair of dynamic scale and zero point is for.
  size_t num_nonbatch_dims = 0;
  /// Whether it holds something when the next node runs: a constant, an input, or the result of a
  /// node before.
  bool is_written = false;
  /// Whether a node reads it when it runs; filters and biases that are packed are read before.
  bool is_read = false;
};

/// An argument of the delegate.
struct External {
  uint32_t id = 0;
  xnn_datatype datatype = xnn_datatype_invalid;
  /// Whether its elements are numbers of bfloat16, of which XNNPACK has floats.
  bool is_bfloat16 = false;
  std::vector<size_t> dims;
  /// Whether a node reads or writes it. What is empty, such as a part of a concatenation, is an
  /// argument that none does.
  bool is_used = true;
};

/// What a node expects of the shape of a value. XNNPACK takes it for granted, and reads or writes
/// outside of its memory if it is not so.
struct ShapeRule {
  enum class Kind {
    /// The last dimension has this size, and all elements that are quantized together lie in it.
    kLastDimension,
    /// The number of elements is a multiple of this one.
    kMultiple,
    /// There are four dimensions, the last of this size,
    kChannels,
    /// the second of at least this one,
    kLeastHeight,
    /// the third of at least this one.
    kLeastWidth,
    /// As many elements as `other`.
    kSameElements,
    /// The dimensions of `other`, but for number `size` of them.
    kSameBut,
    /// The last dimension fits the second to last of `other`,
    kInner,
    /// or its last one.
    kInnerTransposed,
  };
  Kind kind = Kind::kMultiple;
  uint32_t value = 0;
  size_t size = 0;
  uint32_t other = 0;
  size_t num_nonbatch_dims = 0;
};

/// A node that XNNPACK may take out: padding that the convolution behind it does itself, or a
/// copy. If it wrote `output` for one reader, `output` is gone then, and that reads `input`; or
/// `input` is gone, and whoever made it writes `output`. By XNNPACK's names.
struct Bypass {
  uint32_t input = 0;
  uint32_t output = 0;
  /// By how much each dimension of `output` is larger; none for a copy.
  std::vector<size_t> added;
};

/// What `check_shapes` has to see to whenever shapes change. Values go by XNNPACK's names.
struct ShapeRules {
  std::vector<ShapeRule> rules;
  std::vector<Bypass> bypasses;
};

/// Whether the shapes that the runtime has now are as the rules want them. The log has the first
/// that is not: which of the `inputs` it is or is made of, its shape, and what was wanted.
runtime::Error check_shapes(xnn_runtime_t runtime, const ShapeRules& rules,
                            runtime::Span<const External> inputs);

/// XNNPACK's form of a blob's graph, with the data that it refers to.
class Subgraph {
 public:
  // Movable alone, with a constructor for those who fill one in.
  Subgraph() = default;

  /// Hands every value and node to XNNPACK. Nothing in the blob is trusted: what XNNPACK itself
  /// does not check (sizes of constants and filters) is checked here.
  ///
  /// @retval Error::DelegateInvalidCompatibility The graph contradicts itself; the log says where.
  /// @retval Error::NotSupported This XNNPACK does not have one of the nodes.
  static runtime::Result<Subgraph> define(const Blob& blob, const runtime::NamedDataMap* named);

  xnn_subgraph_t get() const { return subgraph_.get(); }

  /// Inputs in the order of the delegate's arguments, then outputs.
  const std::vector<External>& externals() const { return externals_; }
  size_t num_inputs() const { return num_inputs_; }

  /// Data that XNNPACK goes on using once it has packed the weights. The rest is freed, so this is
  /// called last.
  std::vector<runtime::FreeableBuffer> take_data();

  /// Bytes of all constants.
  size_t constant_bytes() const;

  /// Whether a value keeps what it holds from one run to the next.
  bool has_persistent_values() const { return has_persistent_values_; }

  /// The debug handle of each of XNNPACK's nodes.
  const std::vector<uint32_t>& debug_handles() const { return debug_handles_; }

  /// The value that the blob calls `id`; with XNN_INVALID_VALUE_ID if there is none.
  const Value& value(uint32_t id) const;
  const std::vector<Value>& values() const { return values_; }

  const ShapeRules& shape_rules() const { return shape_rules_; }
  void add_shape_rule(const ShapeRule& rule) { shape_rules_.rules.push_back(rule); }

  /// Notes a node that XNNPACK may take out; values by the blob's names.
  void add_bypass(uint32_t input, uint32_t output, std::vector<size_t> added = {}) {
    shape_rules_.bypasses.push_back({value(input).id, value(output).id, std::move(added)});
  }

  /// Notes that a node reads the value when it runs.
  void set_read(uint32_t id);

  /// Notes that a node writes the value; whether it may: not to constants or inputs, and only once.
  bool set_written(uint32_t id);

  /// Notes what one node writes, by the blob's names.
  void add_results(std::vector<uint32_t> ids) { results_.push_back(std::move(ids)); }

 private:
  struct Delete {
    void operator()(xnn_subgraph_t subgraph) const { xnn_delete_subgraph(subgraph); }
  };

  runtime::Error define_values(const Blob& blob, const runtime::NamedDataMap* named);
  runtime::Error define_value(const Blob& blob, const fb_xnnpack::XValue& value,
                              const runtime::NamedDataMap* named);
  runtime::Error define_tensor(const Blob& blob, const fb_xnnpack::XNNTensorValue& tensor,
                               const fb_xnnpack::XNNQuantizedTensorValue* quantized,
                               const runtime::NamedDataMap* named);
  runtime::Error define_constant(const Blob& blob, uint32_t index, uint64_t elements, Value& value,
                                 const runtime::NamedDataMap* named);
  runtime::Error widen_constant(uint64_t elements, Value& value);
  xnn_status hand_over(Value& value, const fb_xnnpack::XNNTensorValue& tensor, const Blob& blob,
                       const fb_xnnpack::XNNQuantizedTensorValue* quantized,
                       const runtime::NamedDataMap* named);
  xnn_status hand_over_by_channel(Value& value, const fb_xnnpack::XNNTensorValue& tensor,
                                  const Blob& blob, const fb_xnnpack::PerChannelQuant& channels,
                                  const runtime::NamedDataMap* named);
  xnn_status hand_over_by_group(Value& value, const fb_xnnpack::XNNTensorValue& tensor,
                                const Blob& blob, const fb_xnnpack::PerChannelGroupQuant& groups,
                                const runtime::NamedDataMap* named);
  runtime::Error find_externals(const fb_xnnpack::XNNGraph& graph);
  runtime::Error check_results() const;

  std::unique_ptr<xnn_subgraph, Delete> subgraph_;
  std::vector<Value> values_;
  std::vector<External> externals_;
  size_t num_inputs_ = 0;
  std::vector<bool> is_external_defined_;
  bool has_persistent_values_ = false;
  ShapeRules shape_rules_;
  std::vector<uint32_t> debug_handles_;
  std::vector<std::vector<uint32_t>> results_;
  std::vector<runtime::FreeableBuffer> held_;
  // Scales that were stored as a list in the flatbuffer, which may be freed.
  std::vector<std::unique_ptr<float[]>> scales_;

 public:
  /// Scales have to live as long as what XNNPACK makes of the graph.
  std::vector<std::unique_ptr<float[]>> take_scales() { return std::move(scales_); }
};

/// Hands one node to XNNPACK.
runtime::Error define_node(Subgraph& subgraph, const fb_xnnpack::XNode& node);

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
