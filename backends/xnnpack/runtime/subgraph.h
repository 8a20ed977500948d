#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <xnnpack.h>

#include <executorch/backends/xnnpack/runtime/blob.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// The error that stands for a status of XNNPACK.
runtime::Error error_of(xnn_status status);

/// A value of the graph, once XNNPACK knows it.
struct Value {
  uint32_t id = XNN_INVALID_VALUE_ID;
  xnn_datatype datatype = xnn_datatype_invalid;
  std::vector<size_t> dims;
  const void* data = nullptr;
};

/// An argument of the delegate.
struct External {
  uint32_t id = 0;
  xnn_datatype datatype = xnn_datatype_invalid;
  std::vector<size_t> dims;
};

/// XNNPACK's form of a blob's graph, with the data that it refers to.
class Subgraph {
 public:
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

  /// Data that XNNPACK goes on using.
  std::vector<runtime::FreeableBuffer> take_data() { return std::move(held_); }

  /// The value that the blob calls `id`; with XNN_INVALID_VALUE_ID if there is none.
  const Value& value(uint32_t id) const;

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
  runtime::Error find_externals(const fb_xnnpack::XNNGraph& graph);

  std::unique_ptr<xnn_subgraph, Delete> subgraph_;
  std::vector<Value> values_;
  std::vector<External> externals_;
  size_t num_inputs_ = 0;
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
