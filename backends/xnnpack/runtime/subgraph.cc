#include <cinttypes>
#include <limits>

#include <executorch/backends/xnnpack/runtime/subgraph.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;

namespace {

constexpr uint32_t kMostExternals = 4096;

/// XNNPACK's numbers are its own; the file's are fixed.
xnn_datatype datatype_of(fb_xnnpack::XNNDatatype stored) {
  switch (stored) {
    case fb_xnnpack::XNNDatatype::xnn_datatype_fp32:
      return xnn_datatype_fp32;
    case fb_xnnpack::XNNDatatype::xnn_datatype_fp16:
      return xnn_datatype_fp16;
    case fb_xnnpack::XNNDatatype::xnn_datatype_qint8:
      return xnn_datatype_qint8;
    case fb_xnnpack::XNNDatatype::xnn_datatype_quint8:
      return xnn_datatype_quint8;
    case fb_xnnpack::XNNDatatype::xnn_datatype_qint32:
      return xnn_datatype_qint32;
    case fb_xnnpack::XNNDatatype::xnn_datatype_qcint8:
      return xnn_datatype_qcint8;
    case fb_xnnpack::XNNDatatype::xnn_datatype_qcint32:
      return xnn_datatype_qcint32;
    case fb_xnnpack::XNNDatatype::xnn_datatype_qcint4:
      return xnn_datatype_qcint4;
    case fb_xnnpack::XNNDatatype::xnn_datatype_qdint8:
      return xnn_datatype_qdint8;
    case fb_xnnpack::XNNDatatype::xnn_datatype_qbint4:
      return xnn_datatype_qbint4;
    default:
      return xnn_datatype_invalid;
  }
}

/// Bits of one element, 0 for types that constants do not have.
size_t bits_of(xnn_datatype datatype) {
  switch (datatype) {
    case xnn_datatype_fp32:
    case xnn_datatype_qint32:
    case xnn_datatype_qcint32:
      return 32;
    case xnn_datatype_fp16:
      return 16;
    case xnn_datatype_qint8:
    case xnn_datatype_quint8:
    case xnn_datatype_qcint8:
      return 8;
    case xnn_datatype_qcint4:
    case xnn_datatype_qbint4:
      return 4;
    default:
      return 0;
  }
}

/// Number of elements of a shape; 0 if it overflows.
uint64_t elements_of(const std::vector<size_t>& dims) {
  uint64_t count = 1;
  for (const size_t dim : dims) {
    if (dim != 0 && count > (uint64_t{1} << 40) / dim) {
      return 0;
    }
    count *= dim;
  }
  return count;
}

const Value kNoValue;

}  // namespace

Error error_of(xnn_status status) {
  switch (status) {
    case xnn_status_success:
      return Error::Ok;
    case xnn_status_out_of_memory:
      return Error::MemoryAllocationFailed;
    case xnn_status_unsupported_parameter:
    case xnn_status_unsupported_hardware:
      return Error::NotSupported;
    case xnn_status_invalid_parameter:
    case xnn_status_reallocation_required:
      return Error::InvalidArgument;
    default:
      return Error::Internal;
  }
}

const Value& Subgraph::value(uint32_t id) const {
  return id < values_.size() ? values_[id] : kNoValue;
}

Result<Subgraph> Subgraph::define(const Blob& blob, const NamedDataMap* named) {
  const fb_xnnpack::XNNGraph& graph = blob.graph();
  ET_CHECK_OR_RETURN_ERROR(graph.num_externs() <= kMostExternals, DelegateInvalidCompatibility,
                           "XNNPACK: %" PRIu32 " inputs and outputs, at most %" PRIu32
                           " are possible",
                           graph.num_externs(), kMostExternals);
  xnn_subgraph_t made = nullptr;
  const xnn_status status = xnn_create_subgraph(graph.num_externs(), /*flags=*/0, &made);
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, Internal,
                           "XNNPACK: xnn_create_subgraph failed with status %d", int(status));
  Subgraph subgraph;
  subgraph.subgraph_.reset(made);
  ET_CHECK_OK_OR_RETURN_ERROR(subgraph.define_values(blob, named));
  for (const fb_xnnpack::XNode* node : *graph.xnodes()) {
    ET_CHECK_OK_OR_RETURN_ERROR(define_node(subgraph, *node));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(subgraph.find_externals(graph));
  return subgraph;
}

Error Subgraph::define_values(const Blob& blob, const NamedDataMap* named) {
  const auto& stored = *blob.graph().xvalues();
  values_.resize(stored.size());
  for (const fb_xnnpack::XValue* value : stored) {
    ET_CHECK_OK_OR_RETURN_ERROR(define_value(blob, *value, named));
  }
  return Error::Ok;
}

Error Subgraph::define_value(const Blob& blob, const fb_xnnpack::XValue& value,
                             const NamedDataMap* named) {
  if (const auto* tensor = value.xvalue_union_as_XNNTensorValue()) {
    return define_tensor(blob, *tensor, nullptr, named);
  }
  const auto* quantized = value.xvalue_union_as_XNNQuantizedTensorValue();
  ET_CHECK_OR_RETURN_ERROR(quantized != nullptr && quantized->tensor_value() != nullptr,
                           DelegateInvalidCompatibility, "XNNPACK: a value of an unknown kind");
  return define_tensor(blob, *quantized->tensor_value(), quantized, named);
}

namespace {

/// Scales out of a list in the flatbuffer (copied) or out of a constant; null if there are too few.
template <typename T, typename Stored>
const T* scales_of(const Blob& blob, const flatbuffers::Vector<Stored>* list, uint32_t index,
                   size_t wanted, const NamedDataMap* named, std::vector<FreeableBuffer>& held,
                   std::vector<std::unique_ptr<float[]>>& copies) {
  static_assert(sizeof(T) == sizeof(Stored), "a list of scales is copied as it is");
  if (list != nullptr && list->size() > 0) {
    if (list->size() < wanted) {
      return nullptr;
    }
    copies.emplace_back(new float[(wanted * sizeof(T) + sizeof(float) - 1) / sizeof(float)]);
    std::memcpy(copies.back().get(), list->data(), wanted * sizeof(T));
    return reinterpret_cast<const T*>(copies.back().get());
  }
  const Result<Bytes> found = blob.constant(index, named, held);
  if (!found.ok() || found->size / sizeof(T) < wanted ||
      reinterpret_cast<uintptr_t>(found->data) % alignof(T) != 0) {
    return nullptr;
  }
  return static_cast<const T*>(found->data);
}

}  // namespace

Error Subgraph::define_tensor(const Blob& blob, const fb_xnnpack::XNNTensorValue& tensor,
                              const fb_xnnpack::XNNQuantizedTensorValue* quantized,
                              const NamedDataMap* named) {
  const uint32_t name = tensor.id_out();
  ET_CHECK_OR_RETURN_ERROR(name < values_.size() && values_[name].id == XNN_INVALID_VALUE_ID,
                           DelegateInvalidCompatibility,
                           "XNNPACK: value %" PRIu32 " is out of range or defined twice", name);
  Value& value = values_[name];
  value.datatype = datatype_of(tensor.datatype());
  if (tensor.dims() != nullptr) {
    value.dims.assign(tensor.dims()->begin(), tensor.dims()->end());
  }
  const uint64_t elements = elements_of(value.dims);
  ET_CHECK_OR_RETURN_ERROR(
      value.dims.size() <= XNN_MAX_TENSOR_DIMS && elements > 0 &&
          (tensor.external_id() == XNN_INVALID_VALUE_ID ||
           tensor.external_id() < blob.graph().num_externs()),
      DelegateInvalidCompatibility,
      "XNNPACK: value %" PRIu32 " has a shape or an external id that is impossible", name);
  if (tensor.constant_buffer_idx() != 0) {
    const Result<Bytes> data = blob.constant(tensor.constant_buffer_idx(), named, held_);
    if (!data.ok()) {
      return data.error();
    }
    const size_t bits = bits_of(value.datatype);
    ET_CHECK_OR_RETURN_ERROR(
        bits > 0 && data->size >= (elements * bits + 7) / 8, DelegateInvalidCompatibility,
        "XNNPACK: constant %" PRIu32 " has %zu bytes, too few for its shape", name, data->size);
    value.data = data->data;
  }

  const size_t rank = value.dims.size();
  const size_t* dims = value.dims.data();
  xnn_status status = xnn_status_invalid_parameter;
  if (quantized == nullptr) {
    status = xnn_define_tensor_value(subgraph_.get(), value.datatype, rank, dims, value.data,
                                     tensor.external_id(), tensor.flags(), &value.id);
  } else if (const auto* one = quantized->quant_params_as_PerTensorQuant()) {
    status = xnn_define_quantized_tensor_value(subgraph_.get(), value.datatype, one->zero_point(),
                                               one->scale(), rank, dims, value.data,
                                               tensor.external_id(), tensor.flags(), &value.id);
  } else if (const auto* channels = quantized->quant_params_as_PerChannelQuant()) {
    const auto channel = static_cast<size_t>(channels->channel_dim());
    const float* scales =
        channel >= rank ? nullptr
                        : scales_of<float>(blob, channels->scale(), channels->scale_buffer_idx(),
                                           dims[channel], named, held_, scales_);
    if (scales != nullptr) {
      // Four-bit elements are stored plus 8.
      const int32_t zero_point = value.datatype == xnn_datatype_qcint4 ? 8 : 0;
      status = xnn_define_channelwise_quantized_tensor_value_v2(
          subgraph_.get(), value.datatype, zero_point, scales, rank, channel, dims, value.data,
          tensor.external_id(), tensor.flags(), &value.id);
    }
  } else if (const auto* tokens = quantized->quant_params_as_PerTokenDynamicQuant()) {
    const auto nonbatch = static_cast<size_t>(tokens->num_nonbatch_dims());
    if (nonbatch <= rank) {
      status = xnn_define_dynamically_quantized_tensor_value(subgraph_.get(), value.datatype, rank,
                                                             nonbatch, dims, tensor.external_id(),
                                                             tensor.flags(), &value.id);
    }
  } else if (const auto* groups = quantized->quant_params_as_PerChannelGroupQuant()) {
    const auto channel = static_cast<size_t>(groups->channel_dim());
    const auto size = static_cast<size_t>(groups->group_size());
    if (channel < rank && size > 0 && rank == 2 && dims[1 - channel] % size == 0) {
      const size_t wanted = elements / size;
      const uint16_t* scales = scales_of<uint16_t>(
          blob, groups->scale_bf16(), groups->scale_buffer_idx(), wanted, named, held_, scales_);
      if (scales != nullptr) {
        status = xnn_define_blockwise_quantized_tensor_value(
            subgraph_.get(), value.datatype, /*zero_point=*/8, scales, rank, channel, size, dims,
            value.data, tensor.external_id(), tensor.flags(), &value.id);
      }
    }
  }
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, DelegateInvalidCompatibility,
                           "XNNPACK: value %" PRIu32 " cannot be defined (status %d)", name,
                           int(status));
  return Error::Ok;
}

Error Subgraph::find_externals(const fb_xnnpack::XNNGraph& graph) {
  const auto add = [this](const flatbuffers::Vector<uint32_t>* ids) {
    for (size_t i = 0; ids != nullptr && i < ids->size(); ++i) {
      const Value& found = value(ids->Get(i));
      externals_.push_back({found.id, found.datatype, found.dims});
    }
  };
  add(graph.input_ids());
  num_inputs_ = externals_.size();
  add(graph.output_ids());
  bool valid = externals_.size() == graph.num_externs();
  for (const External& external : externals_) {
    valid = valid && external.id < graph.num_externs();
  }
  ET_CHECK_OR_RETURN_ERROR(valid, DelegateInvalidCompatibility,
                           "XNNPACK: the graph's %zu inputs and outputs are not its %" PRIu32
                           " external values",
                           externals_.size(), graph.num_externs());
  return Error::Ok;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
