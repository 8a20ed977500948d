#include <algorithm>
#include <cinttypes>
#include <functional>
#include <limits>

#include <executorch/backends/xnnpack/runtime/datatypes.h>
#include <executorch/backends/xnnpack/runtime/node_kinds.h>
#include <executorch/backends/xnnpack/runtime/node_sizes.h>
#include <executorch/backends/xnnpack/runtime/node_types.h>
#include <executorch/backends/xnnpack/runtime/subgraph.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;

namespace {

/// The range to which a node clamps its result.
struct Limits {
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();
};

Limits limits_of(const fb_xnnpack::XNode& node) {
  Limits limits;
  if (node.output_min_max() != nullptr) {
    limits.min = node.output_min_max()->output_min();
    limits.max = node.output_min_max()->output_max();
  }
  return limits;
}

/// Defines one node. Each method returns XNNPACK's status, or that a parameter is invalid where
/// XNNPACK would not look.
class Definition {
 public:
  Definition(Subgraph& subgraph, const fb_xnnpack::XNode& node)
      : subgraph_(subgraph), graph_(subgraph.get()), node_(node), limits_(limits_of(node)) {}

  xnn_status define() {
    const xnn_status status = define_kind();
    subgraph_.add_results(std::move(results_));
    // XNNPACK would write to constants, and run nodes before those whose results they read.
    return is_valid_ || status != xnn_status_success ? status : xnn_status_invalid_parameter;
  }

 private:
  xnn_status define_kind() {
    const fb_xnnpack::XNodeUnion kind = node_.xnode_union_type();
    if (unary_of(kind) != xnn_unary_invalid) {
      return unary(unary_of(kind), nullptr, as<fb_xnnpack::_XNNNode1x1>());
    }
    if (binary_of(kind) != xnn_binary_invalid) {
      return binary(binary_of(kind), as<fb_xnnpack::_XNNNode2x1>());
    }
    switch (kind) {
      case fb_xnnpack::XNodeUnion::XNNClamp:
        return clamp(as<fb_xnnpack::_XNNNode1x1>());
      case fb_xnnpack::XNodeUnion::XNNLeakyReLU:
        return leaky_relu(as<fb_xnnpack::XNNLeakyReLU>());
      case fb_xnnpack::XNodeUnion::XNNELU:
        return elu(as<fb_xnnpack::XNNELU>());
      case fb_xnnpack::XNodeUnion::XNNCopy:
        return copy(as<fb_xnnpack::_XNNNode1x1>());
      case fb_xnnpack::XNodeUnion::XNNSoftmax:
        return softmax(as<fb_xnnpack::_XNNNode1x1>());
      case fb_xnnpack::XNodeUnion::XNNGlobalAvgPooling2d:
        return global_average_pooling(as<fb_xnnpack::_XNNNode1x1>());
      case fb_xnnpack::XNodeUnion::XNNFullyConnected:
        return fully_connected(as<fb_xnnpack::XNNFullyConnected>());
      case fb_xnnpack::XNodeUnion::XNNBatchMatrixMultiply:
        return batch_matrix_multiply(as<fb_xnnpack::_XNNNode2x1>());
      case fb_xnnpack::XNodeUnion::XNNConv2d:
        return convolution(as<fb_xnnpack::_XNNNodeConv>());
      case fb_xnnpack::XNodeUnion::XNNDepthwiseConv2d:
        return depthwise_convolution(as<fb_xnnpack::_XNNNodeConv>());
      case fb_xnnpack::XNodeUnion::XNNConvTranspose2d:
        return transposed_convolution(as<fb_xnnpack::_XNNNodeConv>());
      case fb_xnnpack::XNodeUnion::XNNMaxPooling2d:
        return max_pooling(as<fb_xnnpack::_XNNPooling2D>());
      case fb_xnnpack::XNodeUnion::XNNAvgPooling2d:
        return average_pooling(as<fb_xnnpack::_XNNPooling2D>());
      case fb_xnnpack::XNodeUnion::XNNArgMaxPooling2d:
        return argmax_pooling(as<fb_xnnpack::XNNArgMaxPooling2d>());
      default:
        return define_movement(kind);
    }
  }

  template <typename T>
  const T& as() const {
    return *static_cast<const T*>(node_.xnode_union());
  }

  /// XNNPACK's name for a value of the blob, which the node reads when it runs.
  uint32_t id(uint32_t value) {
    is_valid_ = is_valid_ && (value == XNN_INVALID_VALUE_ID || subgraph_.value(value).is_written);
    subgraph_.set_read(value);
    return subgraph_.value(value).id;
  }

  /// Same, for a result.
  uint32_t out(uint32_t value) {
    is_valid_ = subgraph_.set_written(value) && is_valid_;
    results_.push_back(value);
    return subgraph_.value(value).id;
  }

  /// Same, for a filter or a bias; if they are constant, they are packed when the node is made.
  uint32_t packed_id(uint32_t value) const { return subgraph_.value(value).id; }

  bool is_constant(uint32_t value) const { return subgraph_.value(value).constant.data != nullptr; }

  xnn_status define_movement(fb_xnnpack::XNodeUnion kind) {
    switch (kind) {
      case fb_xnnpack::XNodeUnion::XNNStaticTranspose:
        return transpose(as<fb_xnnpack::XNNStaticTranspose>());
      case fb_xnnpack::XNodeUnion::XNNStaticReshape:
        return reshape(as<fb_xnnpack::XNNStaticReshape>());
      case fb_xnnpack::XNodeUnion::XNNStaticSlice:
        return slice(as<fb_xnnpack::XNNStaticSlice>());
      case fb_xnnpack::XNodeUnion::XNNStaticConstantPad:
        return pad(as<fb_xnnpack::XNNStaticConstantPad>());
      case fb_xnnpack::XNodeUnion::XNNStaticResizeBilinear2D:
        return resize(as<fb_xnnpack::XNNStaticResizeBilinear2D>());
      case fb_xnnpack::XNodeUnion::XNNConcatenate2:
      case fb_xnnpack::XNodeUnion::XNNConcatenate3:
      case fb_xnnpack::XNodeUnion::XNNConcatenate4:
      case fb_xnnpack::XNodeUnion::XNNConcatenate5:
        return concatenate(kind, as<fb_xnnpack::_XNNCat>());
      case fb_xnnpack::XNodeUnion::XNNScaledDotProductAttention:
        return attention(as<fb_xnnpack::XNNScaledDotProductAttention>());
      default:
        return xnn_status_unsupported_parameter;
    }
  }

  xnn_status unary(xnn_unary_operator kind, const xnn_unary_params* params,
                   const fb_xnnpack::_XNNNode1x1& node) {
    return xnn_define_unary(graph_, kind, params, id(node.input_id()), out(node.output_id()),
                            node.flags());
  }

  xnn_status clamp(const fb_xnnpack::_XNNNode1x1& node) {
    xnn_unary_params params;
    params.clamp.min = limits_.min;
    params.clamp.max = limits_.max;
    return unary(xnn_unary_clamp, &params, node);
  }

  xnn_status leaky_relu(const fb_xnnpack::XNNLeakyReLU& node) {
    xnn_unary_params params;
    params.leaky_relu.negative_slope = node.negative_slope();
    return xnn_define_unary(graph_, xnn_unary_leaky_relu, &params, id(node.input_id()),
                            out(node.output_id()), node.flags());
  }

  xnn_status elu(const fb_xnnpack::XNNELU& node) {
    xnn_unary_params params;
    params.elu.alpha = node.alpha();
    return xnn_define_unary(graph_, xnn_unary_elu, &params, id(node.input_id()),
                            out(node.output_id()), node.flags());
  }

  xnn_status copy(const fb_xnnpack::_XNNNode1x1& node) {
    subgraph_.add_bypass(node.input_id(), node.output_id());
    return xnn_define_copy(graph_, id(node.input_id()), out(node.output_id()), node.flags());
  }

  xnn_status softmax(const fb_xnnpack::_XNNNode1x1& node) {
    return xnn_define_softmax(graph_, id(node.input_id()), out(node.output_id()), node.flags());
  }

  /// Dimensions that the file says a value has.
  const Dims& dims(uint32_t value) const { return subgraph_.value(value).dims; }

  void expect(ShapeRule::Kind kind, uint32_t value, size_t size, uint32_t other = 0) {
    const Value& read = subgraph_.value(value);
    subgraph_.add_shape_rule(
        {kind, read.id, size, subgraph_.value(other).id, read.num_nonbatch_dims});
  }

  xnn_status global_average_pooling(const fb_xnnpack::_XNNNode1x1& node) {
    if (subgraph_.value(node.input_id()).dims.size() != 4) {
      return xnn_status_invalid_parameter;
    }
    // Files say nothing of the dimensions that are left; they expect the input's number of them.
    const size_t axes[] = {1, 2};
    return xnn_define_static_reduce(graph_, xnn_reduce_mean, 2, axes, id(node.input_id()),
                                    out(node.output_id()), XNN_FLAG_KEEP_DIMS);
  }

  xnn_status binary(xnn_binary_operator kind, const fb_xnnpack::_XNNNode2x1& node) {
    const xnn_binary_params params = {limits_.min, limits_.max};
    return xnn_define_binary(graph_, kind, &params, id(node.input1_id()), id(node.input2_id()),
                             out(node.output_id()), node.flags());
  }

  xnn_status batch_matrix_multiply(const fb_xnnpack::_XNNNode2x1& node) {
    const bool is_transposed = (node.flags() & XNN_FLAG_TRANSPOSE_B) != 0;
    expect(is_transposed ? ShapeRule::Kind::kInnerTransposed : ShapeRule::Kind::kInner,
           node.input1_id(), 0, node.input2_id());
    return xnn_define_batch_matrix_multiply(graph_, id(node.input1_id()), id(node.input2_id()),
                                            out(node.output_id()),
                                            node.flags() & XNN_FLAG_TRANSPOSE_B);
  }

  /// Whether a bias is absent, or has an element for each of `channels`.
  bool fits_bias(uint32_t bias, uint64_t channels) const {
    const Value& value = subgraph_.value(bias);
    return bias == XNN_INVALID_VALUE_ID || (value.dims.size() == 1 && value.dims[0] == channels);
  }

  /// Whether a filter of four-bit elements lies as XNNPACK packs it: by rows of whole bytes.
  static bool fits_nibbles(const Value& filter, bool is_transposed) {
    return bits_of(filter.datatype) != 4 || (!is_transposed && filter.dims[1] % 2 == 0);
  }

  xnn_status fully_connected(const fb_xnnpack::XNNFullyConnected& node) {
    const Value& filter = subgraph_.value(node.filter_id());
    // Others say of weights what datatypes do: that halves are twice as long, for one.
    const uint32_t flags =
        node.flags() & (XNN_FLAG_TRANSPOSE_WEIGHTS | XNN_FLAG_TENSORFLOW_RESHAPE_2D);
    const bool transposed = (flags & XNN_FLAG_TRANSPOSE_WEIGHTS) != 0;
    if (filter.dims.size() != 2 || !fits_bias(node.bias_id(), filter.dims[transposed ? 1 : 0]) ||
        !fits_nibbles(filter, transposed)) {
      return xnn_status_invalid_parameter;
    }
    expect((flags & XNN_FLAG_TENSORFLOW_RESHAPE_2D) != 0 ? ShapeRule::Kind::kMultiple
                                                         : ShapeRule::Kind::kLastDimension,
           node.input1_id(), filter.dims[transposed ? 0 : 1]);
    const bool has_bias = node.bias_id() != XNN_INVALID_VALUE_ID;
    if (!is_constant(node.filter_id())) {
      // A matrix that is computed may have another number of outputs each time.
      if (has_bias) {
        return xnn_status_unsupported_parameter;
      }
      (void)id(node.filter_id());
      expect(transposed ? ShapeRule::Kind::kInner : ShapeRule::Kind::kInnerTransposed,
             node.input1_id(), 0, node.filter_id());
    } else if (has_bias && !is_constant(node.bias_id())) {
      return xnn_status_unsupported_parameter;
    }
    return xnn_define_fully_connected(graph_, limits_.min, limits_.max, id(node.input1_id()),
                                      filter.id, packed_id(node.bias_id()), out(node.output_id()),
                                      flags);
  }

  /// Whether the filter has the shape that the other parameters speak of: nothing else keeps
  /// packing within the constant.
  bool fits_filter(const fb_xnnpack::_XNNNodeConv& node, const size_t (&wanted)[4]) const {
    const Value& filter = subgraph_.value(node.filter_id());
    if (filter.dims.size() != 4 || !is_constant(node.filter_id()) ||
        (node.bias_id() != XNN_INVALID_VALUE_ID && !is_constant(node.bias_id()))) {
      return false;
    }
    for (size_t i = 0; i < 4; ++i) {
      if (filter.dims[i] != wanted[i]) {
        return false;
      }
    }
    const uint64_t outputs = uint64_t{node.groups()} * node.group_output_channels();
    return fits_bias(node.bias_id(), outputs);
  }

  void expect_image(const fb_xnnpack::_XNNNodeConv& node, size_t channels) {
    const bool is_padded_as_needed = (node.flags() & XNN_FLAG_TENSORFLOW_SAME_PADDING) != 0;
    const auto least = [&](size_t axis) {
      return is_padded_as_needed ? 1 : least_pixels(windows_of(node), axis);
    };
    expect(ShapeRule::Kind::kChannels, node.input1_id(), channels);
    expect(ShapeRule::Kind::kLeastHeight, node.input1_id(), least(0));
    expect(ShapeRule::Kind::kLeastWidth, node.input1_id(), least(1));
  }

  xnn_status convolution(const fb_xnnpack::_XNNNodeConv& node) {
    const size_t outputs = size_t{node.groups()} * node.group_output_channels();
    if (!fits_filter(node, {outputs, node.kernel_height(), node.kernel_width(),
                            node.group_input_channels()}) ||
        !fits_windows(windows_of(node), dims(node.input1_id()), dims(node.output_id()))) {
      return xnn_status_invalid_parameter;
    }
    expect_image(node, size_t{node.groups()} * node.group_input_channels());
    return xnn_define_convolution_2d(
        graph_, node.padding_top(), node.padding_right(), node.padding_bottom(),
        node.padding_left(), node.kernel_height(), node.kernel_width(), node.subsampling_height(),
        node.subsampling_width(), node.dilation_height(), node.dilation_width(), node.groups(),
        node.group_input_channels(), node.group_output_channels(), limits_.min, limits_.max,
        id(node.input1_id()), packed_id(node.filter_id()), packed_id(node.bias_id()),
        out(node.output_id()), node.flags());
  }

  xnn_status depthwise_convolution(const fb_xnnpack::_XNNNodeConv& node) {
    const size_t outputs = size_t{node.groups()} * node.group_output_channels();
    if (node.group_input_channels() != 1 ||
        !fits_filter(node, {1, node.kernel_height(), node.kernel_width(), outputs}) ||
        !fits_windows(windows_of(node), dims(node.input1_id()), dims(node.output_id()))) {
      return xnn_status_invalid_parameter;
    }
    expect_image(node, node.groups());
    return xnn_define_depthwise_convolution_2d(
        graph_, node.padding_top(), node.padding_right(), node.padding_bottom(),
        node.padding_left(), node.kernel_height(), node.kernel_width(), node.subsampling_height(),
        node.subsampling_width(), node.dilation_height(), node.dilation_width(),
        node.group_output_channels(), node.groups(), limits_.min, limits_.max, id(node.input1_id()),
        packed_id(node.filter_id()), packed_id(node.bias_id()), out(node.output_id()),
        node.flags());
  }

  xnn_status transposed_convolution(const fb_xnnpack::_XNNNodeConv& node) {
    const size_t outputs = size_t{node.groups()} * node.group_output_channels();
    if (!fits_filter(node, {outputs, node.kernel_height(), node.kernel_width(),
                            node.group_input_channels()}) ||
        !fits_transposed_windows(windows_of(node), dims(node.input1_id()),
                                 dims(node.output_id()))) {
      return xnn_status_invalid_parameter;
    }
    expect(ShapeRule::Kind::kChannels, node.input1_id(),
           size_t{node.groups()} * node.group_input_channels());
    return xnn_define_deconvolution_2d(
        graph_, node.padding_top(), node.padding_right(), node.padding_bottom(),
        node.padding_left(), node.adjustment_height(), node.adjustment_width(),
        node.kernel_height(), node.kernel_width(), node.subsampling_height(),
        node.subsampling_width(), node.dilation_height(), node.dilation_width(), node.groups(),
        node.group_input_channels(), node.group_output_channels(), limits_.min, limits_.max,
        id(node.input1_id()), packed_id(node.filter_id()), packed_id(node.bias_id()),
        out(node.output_id()), node.flags());
  }

  xnn_status max_pooling(const fb_xnnpack::_XNNPooling2D& node) {
    if (!fits_windows(windows_of(node), dims(node.input_id()), dims(node.output_id()))) {
      return xnn_status_invalid_parameter;
    }
    return xnn_define_max_pooling_2d(
        graph_, node.padding_top(), node.padding_right(), node.padding_bottom(),
        node.padding_left(), node.pooling_height(), node.pooling_width(), node.stride_height(),
        node.stride_width(), node.dilation_height(), node.dilation_width(), limits_.min,
        limits_.max, id(node.input_id()), out(node.output_id()), pooling_flags(node));
  }

  xnn_status average_pooling(const fb_xnnpack::_XNNPooling2D& node) {
    if (!fits_windows(windows_of(node), dims(node.input_id()), dims(node.output_id()))) {
      return xnn_status_invalid_parameter;
    }
    return xnn_define_average_pooling_2d(
        graph_, node.padding_top(), node.padding_right(), node.padding_bottom(),
        node.padding_left(), node.pooling_height(), node.pooling_width(), node.stride_height(),
        node.stride_width(), limits_.min, limits_.max, id(node.input_id()), out(node.output_id()),
        pooling_flags(node));
  }

  /// Files carry flags of newer releases that pooling of this one refuses and that change nothing.
  uint32_t pooling_flags(const fb_xnnpack::_XNNPooling2D& node) const {
    return node.flags() & XNN_FLAG_TENSORFLOW_SAME_PADDING;
  }

  xnn_status argmax_pooling(const fb_xnnpack::XNNArgMaxPooling2d& node) {
    if (!fits_windows(windows_of(node), dims(node.input_id()), dims(node.output_value_id()))) {
      return xnn_status_invalid_parameter;
    }
    // XNNPACK leaves the size of the positions as it is.
    expect(ShapeRule::Kind::kSameElements, node.output_value_id(), 0, node.output_index_id());
    return xnn_define_argmax_pooling_2d(
        graph_, node.padding_top(), node.padding_right(), node.padding_bottom(),
        node.padding_left(), node.pooling_height(), node.pooling_width(), id(node.input_id()),
        out(node.output_value_id()), out(node.output_index_id()), node.flags());
  }

  xnn_status transpose(const fb_xnnpack::XNNStaticTranspose& node) {
    const std::vector<size_t> order = sizes_of(node.perm(), node.num_dims());
    if (order.empty() || subgraph_.value(node.input_id()).dims.size() != order.size()) {
      return xnn_status_invalid_parameter;
    }
    return xnn_define_static_transpose(graph_, order.size(), order.data(), id(node.input_id()),
                                       out(node.output_id()), node.flags());
  }

  xnn_status reshape(const fb_xnnpack::XNNStaticReshape& node) {
    const std::vector<size_t> shape = sizes_of(node.new_shape(), node.num_dims());
    if (shape.empty() || !fits_reshape(shape, dims(node.input_id()))) {
      return xnn_status_invalid_parameter;
    }
    expect(ShapeRule::Kind::kSameElements, node.input_id(), 0, node.output_id());
    return xnn_define_static_reshape(graph_, shape.size(), shape.data(), id(node.input_id()),
                                     out(node.output_id()), node.flags());
  }

  xnn_status slice(const fb_xnnpack::XNNStaticSlice& node) {
    const std::vector<size_t> offsets = sizes_of(node.offsets(), node.num_dims());
    const std::vector<size_t> sizes = sizes_of(node.sizes(), node.num_dims());
    const Dims& sizes_in = dims(node.input_id());
    if (offsets.empty() || sizes.empty() || sizes_in.size() != offsets.size()) {
      return xnn_status_invalid_parameter;
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      // XNNPACK would read as many elements as there are, from the offset on.
      if (sizes[i] == 0 && offsets[i] != 0) {
        return xnn_status_invalid_parameter;
      }
    }
    return xnn_define_static_slice(graph_, sizes.size(), offsets.data(), sizes.data(),
                                   id(node.input_id()), out(node.output_id()), node.flags());
  }

  xnn_status pad(const fb_xnnpack::XNNStaticConstantPad& node) {
    const auto rank = static_cast<uint32_t>(dims(node.input_id()).size());
    const std::vector<size_t> before = sizes_of(node.pre_paddings(), rank);
    const std::vector<size_t> after = sizes_of(node.post_paddings(), rank);
    if (before.empty() || after.empty() ||
        !fits_padding(before, after, dims(node.input_id()), dims(node.output_id()))) {
      return xnn_status_invalid_parameter;
    }
    Dims added = before;
    std::transform(added.begin(), added.end(), after.begin(), added.begin(), std::plus<size_t>());
    subgraph_.add_bypass(node.input_id(), node.output_id(), std::move(added));
    return xnn_define_static_constant_pad(graph_, before.data(), after.data(), node.padding_value(),
                                          id(node.input_id()), out(node.output_id()), node.flags());
  }

  xnn_status resize(const fb_xnnpack::XNNStaticResizeBilinear2D& node) {
    if (!fits_resize(node.new_height(), node.new_width(), dims(node.output_id()))) {
      return xnn_status_invalid_parameter;
    }
    return xnn_define_static_resize_bilinear_2d(graph_, node.new_height(), node.new_width(),
                                                id(node.input_id()), out(node.output_id()),
                                                node.flags());
  }

  xnn_status concatenate(fb_xnnpack::XNodeUnion kind, const fb_xnnpack::_XNNCat& node) {
    const auto axis = static_cast<int32_t>(node.axis());
    const auto rank = static_cast<int32_t>(dims(node.output_id()).size());
    if (axis < -rank || axis >= rank) {
      return xnn_status_invalid_parameter;
    }
    const uint32_t inputs[] = {node.input1_id(), node.input2_id(), node.input3_id(),
                               node.input4_id(), node.input5_id()};
    uint32_t in[5] = {};
    for (size_t i = 0; i < parts_of(kind); ++i) {
      in[i] = id(inputs[i]);
      expect(ShapeRule::Kind::kSameBut, inputs[i], size_t(axis < 0 ? axis + rank : axis),
             node.output_id());
    }
    const uint32_t result = out(node.output_id());
    switch (kind) {
      case fb_xnnpack::XNodeUnion::XNNConcatenate2:
        return xnn_define_concatenate2(graph_, axis, in[0], in[1], result, node.flags());
      case fb_xnnpack::XNodeUnion::XNNConcatenate3:
        return xnn_define_concatenate3(graph_, axis, in[0], in[1], in[2], result, node.flags());
      case fb_xnnpack::XNodeUnion::XNNConcatenate4:
        return xnn_define_concatenate4(graph_, axis, in[0], in[1], in[2], in[3], result,
                                       node.flags());
      default:
        return xnn_define_concatenate5(graph_, axis, in[0], in[1], in[2], in[3], in[4], result,
                                       node.flags());
    }
  }

  xnn_status attention(const fb_xnnpack::XNNScaledDotProductAttention& node) {
    return xnn_define_scaled_dot_product_attention(
        graph_, xnn_attention_logits_cap_type_none, nullptr, id(node.query_id()), id(node.key_id()),
        id(node.value_id()), id(node.scale_id()), id(node.mask_id()), out(node.output_id()),
        node.flags());
  }

  Subgraph& subgraph_;
  xnn_subgraph_t graph_;
  const fb_xnnpack::XNode& node_;
  Limits limits_;
  /// What the node writes, by the blob's names.
  std::vector<uint32_t> results_;
  bool is_valid_ = true;
};

}  // namespace

Error define_node(Subgraph& subgraph, const fb_xnnpack::XNode& node) {
  const char* name = fb_xnnpack::EnumNameXNodeUnion(node.xnode_union_type());
  ET_CHECK_OR_RETURN_ERROR(node.xnode_union() != nullptr, DelegateInvalidCompatibility,
                           "XNNPACK: a node of an unknown kind");
  ET_CHECK_OK_OR_RETURN_ERROR(check_types(subgraph, node));
  const xnn_status status = Definition(subgraph, node).define();
  ET_CHECK_OR_RETURN_ERROR(status != xnn_status_unsupported_parameter, NotSupported,
                           "XNNPACK: this version does not have a node %s as it stands", name);
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, DelegateInvalidCompatibility,
                           "XNNPACK: node %s cannot be defined (status %d)", name, int(status));
  return Error::Ok;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
