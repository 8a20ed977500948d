#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <string>

#include <executorch/backends/xnnpack/runtime/datatypes.h>
#include <executorch/backends/xnnpack/runtime/node_kinds.h>
#include <executorch/backends/xnnpack/runtime/node_types.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;

namespace {

using Kind = fb_xnnpack::XNodeUnion;

/// Nodes that take the same datatypes.
enum class Family {
  kUnknown,
  /// One number out of one; `kBinary` out of two.
  kUnary,
  kBinary,
  kConvert,
  /// Elements as they are, elsewhere.
  kMovement,
  kConcatenate,
  /// Images.
  kPooling,
  kAveragePooling,
  kArgMaxPooling,
  kResize,
  kSoftmax,
  kAttention,
  /// With a filter, and a bias perhaps.
  kLinear,
  kConvolution,
  kDepthwise,
  kTransposed,
  kBatchMultiply,
};

Family family_of(Kind kind) {
  if (binary_of(kind) != xnn_binary_invalid) {
    return Family::kBinary;
  }
  switch (kind) {
    case Kind::XNNConvert:
      return Family::kConvert;
    case Kind::XNNClamp:
    case Kind::XNNLeakyReLU:
    case Kind::XNNELU:
      return Family::kUnary;
    case Kind::XNNCopy:
    case Kind::XNNStaticTranspose:
    case Kind::XNNStaticReshape:
    case Kind::XNNStaticSlice:
    case Kind::XNNStaticConstantPad:
      return Family::kMovement;
    case Kind::XNNConcatenate2:
    case Kind::XNNConcatenate3:
    case Kind::XNNConcatenate4:
    case Kind::XNNConcatenate5:
      return Family::kConcatenate;
    case Kind::XNNMaxPooling2d:
    case Kind::XNNGlobalAvgPooling2d:
      return Family::kPooling;
    case Kind::XNNAvgPooling2d:
      return Family::kAveragePooling;
    case Kind::XNNArgMaxPooling2d:
      return Family::kArgMaxPooling;
    case Kind::XNNStaticResizeBilinear2D:
      return Family::kResize;
    case Kind::XNNSoftmax:
      return Family::kSoftmax;
    case Kind::XNNScaledDotProductAttention:
      return Family::kAttention;
    case Kind::XNNFullyConnected:
      return Family::kLinear;
    case Kind::XNNConv2d:
      return Family::kConvolution;
    case Kind::XNNDepthwiseConv2d:
      return Family::kDepthwise;
    case Kind::XNNConvTranspose2d:
      return Family::kTransposed;
    case Kind::XNNBatchMatrixMultiply:
      return Family::kBatchMultiply;
    default:
      return unary_of(kind) != xnn_unary_invalid ? Family::kUnary : Family::kUnknown;
  }
}

/// A combination that XNNPACK has. Any bias may be absent.
struct Product {
  Family family;
  xnn_datatype input;
  xnn_datatype filter;
  xnn_datatype bias;
  xnn_datatype output;
};

constexpr xnn_datatype kNone = xnn_datatype_invalid;
constexpr xnn_datatype kFloat = xnn_datatype_fp32;
constexpr xnn_datatype kHalf = xnn_datatype_fp16;
constexpr xnn_datatype kSigned = xnn_datatype_qint8;
constexpr xnn_datatype kUnsigned = xnn_datatype_quint8;
constexpr xnn_datatype kDynamic = xnn_datatype_qdint8;
constexpr xnn_datatype kByChannel = xnn_datatype_qcint8;
constexpr xnn_datatype kNibbles = xnn_datatype_qcint4;
constexpr xnn_datatype kNibblesByGroup = xnn_datatype_qbint4;
constexpr xnn_datatype kSum = xnn_datatype_qint32;
constexpr xnn_datatype kSumByChannel = xnn_datatype_qcint32;

constexpr Product kProducts[] = {
    {Family::kLinear, kFloat, kFloat, kFloat, kFloat},
    {Family::kLinear, kFloat, kByChannel, kFloat, kFloat},
    {Family::kLinear, kFloat, kNibbles, kFloat, kFloat},
    {Family::kLinear, kHalf, kFloat, kFloat, kHalf},
    {Family::kLinear, kHalf, kHalf, kHalf, kHalf},
    {Family::kLinear, kDynamic, kByChannel, kFloat, kFloat},
    {Family::kLinear, kDynamic, kByChannel, kFloat, kHalf},
    {Family::kLinear, kDynamic, kNibbles, kFloat, kFloat},
    {Family::kLinear, kDynamic, kNibbles, kFloat, kHalf},
    {Family::kLinear, kDynamic, kNibblesByGroup, kFloat, kFloat},
    {Family::kLinear, kDynamic, kNibblesByGroup, kFloat, kHalf},
    {Family::kLinear, kSigned, kByChannel, kSumByChannel, kSigned},
    {Family::kLinear, kSigned, kSigned, kSum, kSigned},
    {Family::kLinear, kUnsigned, kUnsigned, kSum, kUnsigned},
    {Family::kConvolution, kFloat, kFloat, kFloat, kFloat},
    {Family::kConvolution, kHalf, kFloat, kFloat, kHalf},
    {Family::kConvolution, kDynamic, kByChannel, kFloat, kFloat},
    {Family::kConvolution, kDynamic, kByChannel, kFloat, kHalf},
    {Family::kConvolution, kSigned, kByChannel, kSumByChannel, kSigned},
    {Family::kConvolution, kSigned, kSigned, kSum, kSigned},
    {Family::kConvolution, kUnsigned, kUnsigned, kSum, kUnsigned},
    {Family::kDepthwise, kFloat, kFloat, kFloat, kFloat},
    {Family::kDepthwise, kHalf, kFloat, kFloat, kHalf},
    {Family::kDepthwise, kSigned, kByChannel, kSumByChannel, kSigned},
    {Family::kDepthwise, kSigned, kSigned, kSum, kSigned},
    {Family::kDepthwise, kUnsigned, kUnsigned, kSum, kUnsigned},
    {Family::kTransposed, kFloat, kFloat, kFloat, kFloat},
    {Family::kTransposed, kHalf, kFloat, kFloat, kHalf},
    {Family::kTransposed, kDynamic, kByChannel, kFloat, kFloat},
    {Family::kTransposed, kSigned, kByChannel, kSumByChannel, kSigned},
    {Family::kTransposed, kSigned, kSigned, kSum, kSigned},
    {Family::kTransposed, kUnsigned, kUnsigned, kSum, kUnsigned},
    // Of bytes as well, but XNNPACK reads as many scales as all matrices of a batch would have.
    {Family::kBatchMultiply, kFloat, kFloat, kNone, kFloat},
    {Family::kBatchMultiply, kHalf, kHalf, kNone, kHalf},
};

/// The values of a node, by the blob's names.
struct Operands {
  std::vector<uint32_t> inputs;
  /// XNN_INVALID_VALUE_ID if there is none.
  uint32_t filter = XNN_INVALID_VALUE_ID;
  uint32_t bias = XNN_INVALID_VALUE_ID;
  std::vector<uint32_t> outputs;
};

template <typename T>
const T& as(const fb_xnnpack::XNode& node) {
  return *static_cast<const T*>(node.xnode_union());
}

template <typename T>
Operands one_of(const fb_xnnpack::XNode& node) {
  return {{as<T>(node).input_id()},
          XNN_INVALID_VALUE_ID,
          XNN_INVALID_VALUE_ID,
          {as<T>(node).output_id()}};
}

template <typename T>
Operands product_of(const fb_xnnpack::XNode& node) {
  const T& product = as<T>(node);
  return {{product.input1_id()}, product.filter_id(), product.bias_id(), {product.output_id()}};
}

Operands concatenated_of(const fb_xnnpack::XNode& node) {
  const auto& parts = as<fb_xnnpack::_XNNCat>(node);
  Operands operands;
  operands.inputs = {parts.input1_id(), parts.input2_id(), parts.input3_id(), parts.input4_id(),
                     parts.input5_id()};
  operands.inputs.resize(parts_of(node.xnode_union_type()));
  operands.outputs = {parts.output_id()};
  return operands;
}

/// For nodes of one input that are tables of their own.
Operands moved_of(const fb_xnnpack::XNode& node) {
  switch (node.xnode_union_type()) {
    case Kind::XNNStaticTranspose:
      return one_of<fb_xnnpack::XNNStaticTranspose>(node);
    case Kind::XNNStaticReshape:
      return one_of<fb_xnnpack::XNNStaticReshape>(node);
    case Kind::XNNStaticSlice:
      return one_of<fb_xnnpack::XNNStaticSlice>(node);
    case Kind::XNNStaticConstantPad:
      return one_of<fb_xnnpack::XNNStaticConstantPad>(node);
    case Kind::XNNStaticResizeBilinear2D:
      return one_of<fb_xnnpack::XNNStaticResizeBilinear2D>(node);
    case Kind::XNNMaxPooling2d:
    case Kind::XNNAvgPooling2d:
      return one_of<fb_xnnpack::_XNNPooling2D>(node);
    case Kind::XNNLeakyReLU:
      return one_of<fb_xnnpack::XNNLeakyReLU>(node);
    case Kind::XNNELU:
      return one_of<fb_xnnpack::XNNELU>(node);
    default:
      return one_of<fb_xnnpack::_XNNNode1x1>(node);
  }
}

Operands operands_of(const fb_xnnpack::XNode& node) {
  switch (family_of(node.xnode_union_type())) {
    case Family::kBinary: {
      const auto& binary = as<fb_xnnpack::_XNNNode2x1>(node);
      return {{binary.input1_id(), binary.input2_id()},
              XNN_INVALID_VALUE_ID,
              XNN_INVALID_VALUE_ID,
              {binary.output_id()}};
    }
    case Family::kBatchMultiply: {
      const auto& product = as<fb_xnnpack::_XNNNode2x1>(node);
      return {
          {product.input1_id()}, product.input2_id(), XNN_INVALID_VALUE_ID, {product.output_id()}};
    }
    case Family::kConcatenate:
      return concatenated_of(node);
    case Family::kArgMaxPooling: {
      const auto& pool = as<fb_xnnpack::XNNArgMaxPooling2d>(node);
      return {{pool.input_id()},
              XNN_INVALID_VALUE_ID,
              XNN_INVALID_VALUE_ID,
              {pool.output_value_id(), pool.output_index_id()}};
    }
    case Family::kAttention: {
      const auto& attention = as<fb_xnnpack::XNNScaledDotProductAttention>(node);
      return {{attention.query_id(), attention.key_id(), attention.value_id(), attention.scale_id(),
               attention.mask_id()},
              XNN_INVALID_VALUE_ID,
              XNN_INVALID_VALUE_ID,
              {attention.output_id()}};
    }
    case Family::kLinear:
      return product_of<fb_xnnpack::XNNFullyConnected>(node);
    case Family::kConvolution:
    case Family::kDepthwise:
    case Family::kTransposed:
      return product_of<fb_xnnpack::_XNNNodeConv>(node);
    default:
      return moved_of(node);
  }
}

/// One node of the file, seen with its values.
class Types {
 public:
  Types(const Subgraph& subgraph, const fb_xnnpack::XNode& node)
      : subgraph_(subgraph),
        node_(node),
        family_(family_of(node.xnode_union_type())),
        operands_(operands_of(node)) {}

  bool has_datatypes() const {
    switch (family_) {
      case Family::kUnary:
      case Family::kMovement:
      case Family::kConcatenate:
      case Family::kPooling:
      case Family::kResize:
        return are_all_one_of({kFloat, kHalf, kSigned, kUnsigned});
      case Family::kBinary:
        return are_all_one_of({kFloat, kHalf, kSigned, kUnsigned}) && has_sum_of_scales();
      case Family::kAveragePooling:
      case Family::kSoftmax:
      case Family::kAttention:
        return are_all_one_of({kFloat, kHalf});
      case Family::kArgMaxPooling:
        // Positions are integers of four bytes; files do not have a datatype for these.
        return input() == kFloat && output() == kFloat &&
               (output(1) == kFloat || output(1) == kSum);
      case Family::kConvert:
        return has_conversion();
      default:
        return std::any_of(std::begin(kProducts), std::end(kProducts),
                           [this](const Product& product) { return fits(product); });
    }
  }

  /// The number of dimensions that XNNPACK gives the results; none if the operands do not have
  /// theirs.
  size_t written_rank() const {
    const size_t rank = rank_of(operands_.inputs.front());
    switch (family_) {
      case Family::kBinary:
        return std::max(rank, rank_of(operands_.inputs.back()));
      case Family::kConcatenate:
        return std::all_of(operands_.inputs.begin(), operands_.inputs.end(),
                           [&](uint32_t id) { return rank_of(id) == rank; })
                   ? rank
                   : 0;
      case Family::kLinear:
        return (as<fb_xnnpack::XNNFullyConnected>(node_).flags() &
                XNN_FLAG_TENSORFLOW_RESHAPE_2D) != 0
                   ? 2
                   : rank;
      case Family::kBatchMultiply: {
        const size_t other = rank_of(operands_.filter);
        return std::min(rank, other) < 2 ? 0 : std::max(rank, other);
      }
      case Family::kPooling:
      case Family::kAveragePooling:
      case Family::kArgMaxPooling:
      case Family::kResize:
      case Family::kConvolution:
      case Family::kDepthwise:
      case Family::kTransposed:
        return rank == 4 ? rank : 0;
      default:
        return node_.xnode_union_type() == Kind::XNNStaticReshape
                   ? as<fb_xnnpack::XNNStaticReshape>(node_).num_dims()
                   : rank;
    }
  }

  const Operands& operands() const { return operands_; }
  size_t rank_of(uint32_t id) const { return subgraph_.value(id).dims.size(); }

  /// All of the datatypes, in words.
  std::string text() const {
    std::string text;
    const auto add = [&](const char* what, uint32_t id) {
      text += std::string(text.empty() ? "" : ", ") + what + " " +
              name_of(subgraph_.value(id).datatype);
    };
    for (const uint32_t id : operands_.inputs) {
      add("input", id);
    }
    if (family_ >= Family::kLinear) {
      add("filter", operands_.filter);
    }
    if (operands_.bias != XNN_INVALID_VALUE_ID) {
      add("bias", operands_.bias);
    }
    for (const uint32_t id : operands_.outputs) {
      add("output", id);
    }
    return text;
  }

 private:
  xnn_datatype input() const { return subgraph_.value(operands_.inputs.front()).datatype; }
  xnn_datatype output(size_t i = 0) const { return subgraph_.value(operands_.outputs[i]).datatype; }

  /// Whether all values have the same datatype, one of `allowed`.
  bool are_all_one_of(std::initializer_list<xnn_datatype> allowed) const {
    const auto is_same = [this](uint32_t id) { return subgraph_.value(id).datatype == input(); };
    return std::find(allowed.begin(), allowed.end(), input()) != allowed.end() &&
           std::all_of(operands_.inputs.begin(), operands_.inputs.end(), is_same) &&
           std::all_of(operands_.outputs.begin(), operands_.outputs.end(), is_same);
  }

  bool has_conversion() const {
    const auto is_number = [](xnn_datatype type) {
      return type == kFloat || type == kHalf || type == kSigned || type == kUnsigned;
    };
    return is_number(input()) && (is_number(output()) || (output() == kDynamic &&
                                                          (input() == kFloat || input() == kHalf)));
  }

  /// Sums of integers are shifted by a number of bits that follows from the larger scale.
  bool has_sum_of_scales() const {
    const Kind kind = node_.xnode_union_type();
    const bool is_quantized = input() == kSigned || input() == kUnsigned;
    if (!is_quantized || (kind != Kind::XNNAdd && kind != Kind::XNNSubtract)) {
      return true;
    }
    const auto scale = [this](uint32_t id) { return subgraph_.value(id).scale; };
    const float larger = std::max(scale(operands_.inputs.front()), scale(operands_.inputs.back()));
    const float times = larger / scale(operands_.outputs.front());
    return times >= 0x1.0p-10f && times < 0x1.0p+8f;
  }

  bool fits(const Product& product) const {
    const auto has = [this](uint32_t id, xnn_datatype wanted) {
      return subgraph_.value(id).datatype == wanted;
    };
    return product.family == family_ && input() == product.input && output() == product.output &&
           has(operands_.filter, product.filter) &&
           (operands_.bias == XNN_INVALID_VALUE_ID || has(operands_.bias, product.bias));
  }

  const Subgraph& subgraph_;
  const fb_xnnpack::XNode& node_;
  const Family family_;
  const Operands operands_;
};

}  // namespace

Error check_types(const Subgraph& subgraph, const fb_xnnpack::XNode& node) {
  const char* name = fb_xnnpack::EnumNameXNodeUnion(node.xnode_union_type());
  // Nobody knows what table that would be.
  ET_CHECK_OR_RETURN_ERROR(family_of(node.xnode_union_type()) != Family::kUnknown, NotSupported,
                           "XNNPACK: a node of an unknown kind (%d)", int(node.xnode_union_type()));
  const Types types(subgraph, node);
  ET_CHECK_OR_RETURN_ERROR(types.has_datatypes(), DelegateInvalidCompatibility,
                           "XNNPACK: there is no node %s for %s, or not with their scales", name,
                           types.text().c_str());
  const size_t rank = types.written_rank();
  for (const uint32_t id : types.operands().outputs) {
    ET_CHECK_OR_RETURN_ERROR(
        rank > 0 && types.rank_of(id) == rank, DelegateInvalidCompatibility,
        "XNNPACK: node %s, whose first input has %zu dimensions, writes value %" PRIu32
        ", which has %zu",
        name, types.rank_of(types.operands().inputs.front()), id, types.rank_of(id));
  }
  return Error::Ok;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
