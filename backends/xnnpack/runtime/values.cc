#include <cinttypes>
#include <cstdlib>
#include <cstring>

#include <executorch/backends/xnnpack/runtime/bfloat16.h>
#include <executorch/backends/xnnpack/runtime/datatypes.h>
#include <executorch/backends/xnnpack/runtime/margin.h>
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

}  // namespace

Error Subgraph::define_values(const Blob& blob, const NamedDataMap* named) {
  const auto& stored = *blob.graph().xvalues();
  values_.resize(stored.size());
  is_external_defined_.resize(blob.graph().num_externs());
  for (const fb_xnnpack::XValue* value : stored) {
    ET_CHECK_OK_OR_RETURN_ERROR(define_value(blob, *value, named));
  }
  const auto* inputs = blob.graph().input_ids();
  for (uint32_t i = 0; inputs != nullptr && i < inputs->size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(set_written(inputs->Get(i)), DelegateInvalidCompatibility,
                             "XNNPACK: input %" PRIu32 " is no value, a constant, or there twice",
                             i);
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

/// Scales out of a list in the flatbuffer (copied) or out of a constant; none if there are too few.
template <typename T, typename Stored>
Bytes scales_of(const Blob& blob, const flatbuffers::Vector<Stored>* list, uint32_t index,
                size_t wanted, const NamedDataMap* named, std::vector<FreeableBuffer>& held,
                std::vector<std::unique_ptr<float[]>>& copies) {
  static_assert(sizeof(T) == sizeof(Stored), "a list of scales is copied as it is");
  const size_t size = wanted * sizeof(T);
  if (list != nullptr && list->size() > 0) {
    if (list->size() < wanted) {
      return {};
    }
    copies.emplace_back(new float[(size + sizeof(float) - 1) / sizeof(float)]);
    std::memcpy(copies.back().get(), list->data(), size);
    return {copies.back().get(), size, nullptr};
  }
  const Result<Bytes> found = blob.constant(index, alignof(T), named, held);
  if (!found.ok() || found->size < size) {
    return {};
  }
  return {found->data, size, found->key};
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
  value.is_bfloat16 = tensor.datatype() == fb_xnnpack::XNNDatatype::xnn_datatype_bf16;
  if (tensor.dims() != nullptr) {
    value.dims.assign(tensor.dims()->begin(), tensor.dims()->end());
  }
  const uint64_t elements = elements_of(value.dims);
  const bool is_external = tensor.external_id() != XNN_INVALID_VALUE_ID;
  const bool is_flagged =
      (tensor.flags() & (XNN_VALUE_FLAG_EXTERNAL_INPUT | XNN_VALUE_FLAG_EXTERNAL_OUTPUT)) != 0;
  ET_CHECK_OR_RETURN_ERROR(
      value.dims.size() <= XNN_MAX_TENSOR_DIMS && elements > 0 && is_external == is_flagged &&
          (!is_external || (tensor.external_id() < is_external_defined_.size() &&
                            !is_external_defined_[tensor.external_id()])),
      DelegateInvalidCompatibility,
      "XNNPACK: value %" PRIu32 " has a shape, flags or an external id that are impossible", name);
  if (is_external) {
    is_external_defined_[tensor.external_id()] = true;
  }
  if (tensor.constant_buffer_idx() != 0) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        define_constant(blob, tensor.constant_buffer_idx(), elements, value, named));
  }
  has_persistent_values_ =
      has_persistent_values_ || (tensor.flags() & XNN_VALUE_FLAG_PERSISTENT) != 0;
  const xnn_status status = hand_over(value, tensor, blob, quantized, named);
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, DelegateInvalidCompatibility,
                           "XNNPACK: value %" PRIu32 " cannot be defined (status %d)", name,
                           int(status));
  return Error::Ok;
}

Error Subgraph::define_constant(const Blob& blob, uint32_t index, uint64_t elements, Value& value,
                                const NamedDataMap* named) {
  const size_t bits = value.is_bfloat16 ? 16 : bits_of(value.datatype);
  const Result<Bytes> data = blob.constant(index, bits < 8 ? 1 : bits / 8, named, held_);
  if (!data.ok()) {
    return data.error();
  }
  // More than this device's addresses reach is too many as well.
  const uint64_t wanted = (elements * bits + 7) / 8;
  ET_CHECK_OR_RETURN_ERROR(bits > 0 && data->size >= wanted, DelegateInvalidCompatibility,
                           "XNNPACK: constant %" PRIu32 " has %zu bytes, too few for its shape",
                           index, data->size);
  value.constant = {data->data, static_cast<size_t>(wanted), data->key};
  value.is_written = true;
  return value.is_bfloat16 ? widen_constant(elements, value) : Error::Ok;
}

Error Subgraph::widen_constant(uint64_t elements, Value& value) {
  const size_t size = value.constant.size * (sizeof(float) / sizeof(uint16_t));
  void* const wide = size < value.constant.size ? nullptr : allocate_with_margin(size);
  ET_CHECK_OR_RETURN_ERROR(wide != nullptr, MemoryAllocationFailed,
                           "XNNPACK: no memory for a constant in bfloat16 as %zu bytes of floats",
                           size);
  widen(static_cast<const uint16_t*>(value.constant.data), static_cast<size_t>(elements),
        static_cast<float*>(wide));
  value.constant = {wide, size, value.constant.key};
  held_.emplace_back(wide, size, [](void*, void* data, size_t) { std::free(data); });
  return Error::Ok;
}

xnn_status Subgraph::hand_over(Value& value, const fb_xnnpack::XNNTensorValue& tensor,
                               const Blob& blob,
                               const fb_xnnpack::XNNQuantizedTensorValue* quantized,
                               const NamedDataMap* named) {
  const size_t rank = value.dims.size();
  const size_t* dims = value.dims.data();
  if (quantized == nullptr) {
    return xnn_define_tensor_value(subgraph_.get(), value.datatype, rank, dims, value.constant.data,
                                   tensor.external_id(), tensor.flags(), &value.id);
  }
  if (const auto* one = quantized->quant_params_as_PerTensorQuant()) {
    value.scale = one->scale();
    value.zero_point = one->zero_point();
    return xnn_define_quantized_tensor_value(subgraph_.get(), value.datatype, value.zero_point,
                                             value.scale, rank, dims, value.constant.data,
                                             tensor.external_id(), tensor.flags(), &value.id);
  }
  if (const auto* tokens = quantized->quant_params_as_PerTokenDynamicQuant()) {
    const auto nonbatch = static_cast<size_t>(tokens->num_nonbatch_dims());
    value.num_nonbatch_dims = nonbatch;
    return nonbatch > rank ? xnn_status_invalid_parameter
                           : xnn_define_dynamically_quantized_tensor_value(
                                 subgraph_.get(), value.datatype, rank, nonbatch, dims,
                                 tensor.external_id(), tensor.flags(), &value.id);
  }
  if (const auto* channels = quantized->quant_params_as_PerChannelQuant()) {
    return hand_over_by_channel(value, tensor, blob, *channels, named);
  }
  if (const auto* groups = quantized->quant_params_as_PerChannelGroupQuant()) {
    return hand_over_by_group(value, tensor, blob, *groups, named);
  }
  return xnn_status_invalid_parameter;
}

xnn_status Subgraph::hand_over_by_channel(Value& value, const fb_xnnpack::XNNTensorValue& tensor,
                                          const Blob& blob,
                                          const fb_xnnpack::PerChannelQuant& channels,
                                          const NamedDataMap* named) {
  const auto channel = static_cast<size_t>(channels.channel_dim());
  if (channel >= value.dims.size()) {
    return xnn_status_invalid_parameter;
  }
  value.scales = scales_of<float>(blob, channels.scale(), channels.scale_buffer_idx(),
                                  value.dims[channel], named, held_, scales_);
  if (value.scales.data == nullptr) {
    return xnn_status_invalid_parameter;
  }
  // Four-bit elements are stored plus 8.
  value.zero_point = value.datatype == xnn_datatype_qcint4 ? 8 : 0;
  return xnn_define_channelwise_quantized_tensor_value_v2(
      subgraph_.get(), value.datatype, value.zero_point,
      static_cast<const float*>(value.scales.data), value.dims.size(), channel, value.dims.data(),
      value.constant.data, tensor.external_id(), tensor.flags(), &value.id);
}

xnn_status Subgraph::hand_over_by_group(Value& value, const fb_xnnpack::XNNTensorValue& tensor,
                                        const Blob& blob,
                                        const fb_xnnpack::PerChannelGroupQuant& groups,
                                        const NamedDataMap* named) {
  const auto channel = static_cast<size_t>(groups.channel_dim());
  const auto size = static_cast<size_t>(groups.group_size());
  if (value.dims.size() != 2 || channel > 1 || size == 0 || value.dims[1 - channel] % size != 0) {
    return xnn_status_invalid_parameter;
  }
  const size_t wanted = value.dims[0] * value.dims[1] / size;
  value.scales = scales_of<uint16_t>(blob, groups.scale_bf16(), groups.scale_buffer_idx(), wanted,
                                     named, held_, scales_);
  if (value.scales.data == nullptr) {
    return xnn_status_invalid_parameter;
  }
  value.zero_point = 8;
  return xnn_define_blockwise_quantized_tensor_value(
      subgraph_.get(), value.datatype, value.zero_point,
      static_cast<const uint16_t*>(value.scales.data), /*rank=*/2, channel, size, value.dims.data(),
      value.constant.data, tensor.external_id(), tensor.flags(), &value.id);
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
