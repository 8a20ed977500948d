#include <cinttypes>
#include <cstdio>
#include <cstring>

#include <executorch/backends/xnnpack/runtime/weight_names.h>
#include <executorch/runtime/backend/hash.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Hash;

namespace {

/// Whether a key is a SHA-256 digest, which lowering gives to weights: then it says all about them.
bool is_digest(const char* key) {
  constexpr size_t kDigits = 64;
  return key != nullptr && std::strlen(key) == kDigits &&
         std::strspn(key, "0123456789abcdef") == kDigits;
}

std::string hexadecimal(uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016" PRIx64, number);
  return text;
}

/// The name of a constant. Another program may have other data under a key that is no digest, so
/// such a name has the data in it.
std::string name_of(const Bytes& constant) {
  if (is_digest(constant.key)) {
    return constant.key;
  }
  const uint64_t digest = Hash().add(constant.data, constant.size).digest();
  return (constant.key == nullptr ? std::string() : std::string(constant.key)) + ":" +
         hexadecimal(digest);
}

/// All that a layer's packing depends on, written out: two that differ cannot have one name. Only
/// the scales of channels are a digest.
class Description {
 public:
  Description& add_word(uint64_t word) {
    char text[20];
    std::snprintf(text, sizeof(text), ".%" PRIx64, word);
    text_ += text;
    return *this;
  }

  Description& add_float(float number) {
    uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    return add_word(bits);
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Type and quantization of a value; with its shape if it is a constant.
void add_value(Description& layer, const Value& value) {
  layer.add_word(uint64_t(value.datatype));
  layer.add_word(uint64_t(uint32_t(value.zero_point)));
  layer.add_float(value.scale);
  layer.add_word(value.scales.size);
  layer.add_word(Hash().add(value.scales.data, value.scales.size).digest());
  if (value.constant.data != nullptr) {
    layer.add_word(value.dims.size());
    for (const size_t dim : value.dims) {
      layer.add_word(dim);
    }
  }
}

/// The fewest bytes that weights have when they are packed: XNNPACK halves single precision at
/// most.
size_t least_packed_size(const Value& filter) {
  return filter.datatype == xnn_datatype_fp32 ? filter.constant.size / 2 : filter.constant.size;
}

/// The parts of a node that packs weights.
struct Layer {
  uint32_t input = 0;
  uint32_t filter = 0;
  uint32_t bias = 0;
  uint32_t output = 0;
};

Layer add_convolution(Description& layer, const fb_xnnpack::_XNNNodeConv& node) {
  for (const uint32_t number :
       {node.padding_top(), node.padding_right(), node.padding_bottom(), node.padding_left(),
        node.kernel_height(), node.kernel_width(), node.subsampling_height(),
        node.subsampling_width(), node.dilation_height(), node.dilation_width(),
        node.group_input_channels(), node.group_output_channels(), node.groups(),
        node.adjustment_height(), node.adjustment_width(), node.flags()}) {
    layer.add_word(number);
  }
  return {node.input1_id(), node.filter_id(), node.bias_id(), node.output_id()};
}

/// Whether the node packs weights, and if so, which.
bool add_layer(Description& description, const fb_xnnpack::XNode& node, Layer& layer) {
  description.add_word(uint64_t(node.xnode_union_type()));
  if (node.output_min_max() != nullptr) {
    // Which microkernel a node has may depend on whether it clamps.
    description.add_float(node.output_min_max()->output_min());
    description.add_float(node.output_min_max()->output_max());
  }
  switch (node.xnode_union_type()) {
    case fb_xnnpack::XNodeUnion::XNNFullyConnected: {
      const auto* linear = node.xnode_union_as_XNNFullyConnected();
      layer = {linear->input1_id(), linear->filter_id(), linear->bias_id(), linear->output_id()};
      description.add_word(linear->flags());
      return true;
    }
    case fb_xnnpack::XNodeUnion::XNNConv2d:
    case fb_xnnpack::XNodeUnion::XNNDepthwiseConv2d:
    case fb_xnnpack::XNodeUnion::XNNConvTranspose2d:
      layer = add_convolution(description,
                              *static_cast<const fb_xnnpack::_XNNNodeConv*>(node.xnode_union()));
      return true;
    default:
      return false;
  }
}

}  // namespace

void name_weights(const fb_xnnpack::XNNGraph& graph, const Subgraph& subgraph,
                  delegate::XNNWeightsCache& cache) {
  for (const fb_xnnpack::XNode* node : *graph.xnodes()) {
    Description description;
    Layer layer;
    if (!add_layer(description, *node, layer)) {
      continue;
    }
    const Value& filter = subgraph.value(layer.filter);
    const Value& bias = subgraph.value(layer.bias);
    if (filter.constant.data == nullptr) {
      continue;
    }
    add_value(description, subgraph.value(layer.input));
    add_value(description, filter);
    add_value(description, bias);
    add_value(description, subgraph.value(layer.output));
    std::string name = name_of(filter.constant);
    if (bias.constant.data != nullptr) {
      name += "+" + name_of(bias.constant);
    }
    cache.name_packed(filter.constant.data, bias.constant.data, name + "#" + description.text(),
                      least_packed_size(filter));
  }
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
