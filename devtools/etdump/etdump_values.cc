// The half of ETDumpGen that logs values.

#include <cinttypes>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/devtools/etdump/schema_slots.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace etdump {

using runtime::DelegateDebugIntId;
using runtime::Error;
using runtime::EValue;
using runtime::LoggedEValueType;
using runtime::Result;

namespace slots = internal::slots;

Result<bool> ETDumpGen::set_debug_buffer(runtime::Span<uint8_t> buffer) {
  Result<BufferDataSink> sink = BufferDataSink::create(buffer);
  if (!sink.ok()) {
    return sink.error();
  }
  buffer_sink_ = *sink;
  data_sink_ = &buffer_sink_;
  return true;
}

void ETDumpGen::set_data_sink(DataSinkBase* data_sink) { data_sink_ = data_sink; }

Result<ETDumpGen::Emitter::Ref> ETDumpGen::write_tensor(const aten::Tensor& tensor) {
  ET_CHECK_OR_RETURN_ERROR(
      data_sink_ != nullptr, InvalidState,
      "A tensor cannot be logged: call set_debug_buffer() or set_data_sink() first");
  ET_CHECK_OR_RETURN_ERROR(tensor.device().is_cpu(), NotSupported,
                           "A tensor in the memory of a device cannot be logged");
  const Result<size_t> offset = data_sink_->write(tensor.const_data_ptr(), tensor.nbytes());
  if (!offset.ok()) {
    return offset.error();
  }
  int64_t sizes[runtime::kTensorDimensionLimit];
  int64_t strides[runtime::kTensorDimensionLimit];
  const auto rank = static_cast<size_t>(tensor.dim());
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    sizes[i] = tensor.sizes()[i];
    // A tensor without strides is contiguous.
    strides[i] = tensor.strides().empty() ? stride : tensor.strides()[i];
    stride *= sizes[i];
  }
  Emitter::Table table;
  table.set_byte(slots::kTensorScalarType, static_cast<int8_t>(tensor.scalar_type()));
  table.set_ref(slots::kTensorSizes, emitter_.write_longs(sizes, rank));
  table.set_ref(slots::kTensorStrides, emitter_.write_longs(strides, rank));
  table.set_long(slots::kTensorOffset, *offset);
  return emitter_.write_table(table);
}

Result<ETDumpGen::Emitter::Ref> ETDumpGen::write_tensors(aten::ArrayRef<aten::Tensor> tensors) {
  // Nothing in the format depends on it, but nothing is allocated either.
  constexpr size_t kMaxTensors = 64;
  ET_CHECK_OR_RETURN_ERROR(tensors.size() <= kMaxTensors, NotSupported,
                           "A list of %zu tensors cannot be logged, only up to %zu", tensors.size(),
                           kMaxTensors);
  Emitter::Ref refs[kMaxTensors];
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Result<Emitter::Ref> ref = write_tensor(tensors[i]);
    if (!ref.ok()) {
      return ref.error();
    }
    refs[i] = *ref;
  }
  if (!emitter_.ok()) {
    return Emitter::kNone;
  }
  Emitter::Table list;
  list.set_ref(slots::kOnlyField, emitter_.write_vector(refs, tensors.size()));
  return emitter_.write_table(list);
}

Result<ETDumpGen::Emitter::Ref> ETDumpGen::write_value(const EValue& evalue, bool is_output) {
  Emitter::Table entry;
  Emitter::Table scalar;
  if (evalue.isTensor()) {
    const Result<Emitter::Ref> tensor = write_tensor(evalue.toTensor());
    if (!tensor.ok()) {
      return tensor.error();
    }
    entry.set_byte(slots::kValueKind, slots::kTensor);
    entry.set_ref(slots::kValueTensor, *tensor);
  } else if (evalue.isTensorList()) {
    const Result<Emitter::Ref> list = write_tensors(evalue.toTensorList());
    if (!list.ok()) {
      return list.error();
    }
    entry.set_byte(slots::kValueKind, slots::kTensorList);
    entry.set_ref(slots::kValueTensorList, *list);
  } else if (evalue.isInt()) {
    scalar.set_long(slots::kOnlyField, static_cast<uint64_t>(evalue.toInt()));
    entry.set_byte(slots::kValueKind, slots::kInt);
    entry.set_ref(slots::kValueInt, emitter_.write_table(scalar));
  } else if (evalue.isDouble()) {
    scalar.set_double(slots::kOnlyField, evalue.toDouble());
    entry.set_byte(slots::kValueKind, slots::kDouble);
    entry.set_ref(slots::kValueDouble, emitter_.write_table(scalar));
  } else if (evalue.isBool()) {
    scalar.set_bool(slots::kOnlyField, evalue.toBool());
    entry.set_byte(slots::kValueKind, slots::kBool);
    entry.set_ref(slots::kValueBool, emitter_.write_table(scalar));
  } else {
    ET_LOG(Error, "A value of kind %" PRIu32 " cannot be logged",
           static_cast<uint32_t>(evalue.tag));
    return Error::InvalidArgument;
  }
  if (is_output) {
    Emitter::Table output;
    output.set_bool(slots::kOnlyField, true);
    entry.set_ref(slots::kValueOutput, emitter_.write_table(output));
  }
  return emitter_.write_table(entry);
}

void ETDumpGen::add_debug_event(Emitter::Ref value, const char* name, DelegateDebugIntId index,
                                bool is_delegate) {
  Emitter::Table event;
  event.set_long(slots::kDebugChain, static_cast<uint64_t>(static_cast<int64_t>(chain_id_)));
  event.set_int(slots::kDebugInstruction, static_cast<int32_t>(debug_handle_));
  event.set_ref(slots::kDebugEntry, value);
  if (is_delegate) {
    const EventId id = delegate_id(name, index);
    if (id.delegate_int != runtime::kUnsetDelegateDebugIntId) {
      event.set_int(slots::kDebugDelegateInt, id.delegate_int);
    }
    event.set_ref(slots::kDebugDelegateString, id.delegate_string);
  }
  add_event(slots::kEventDebug, emitter_.write_table(event));
}

Result<bool> ETDumpGen::log_evalue(const EValue& evalue, LoggedEValueType evalue_type) {
  if (!begin_event()) {
    return false;
  }
  const bool is_output = evalue_type == LoggedEValueType::kProgramOutput;
  const Result<Emitter::Ref> value = write_value(evalue, is_output);
  if (!value.ok()) {
    return value.error();
  }
  add_debug_event(*value, nullptr, runtime::kUnsetDelegateDebugIntId, /*is_delegate=*/false);
  return emitter_.ok();
}

Result<ETDumpGen::Emitter::Ref> ETDumpGen::write_output(const aten::Tensor& output) {
  return write_value(EValue(output), /*is_output=*/false);
}

Result<ETDumpGen::Emitter::Ref> ETDumpGen::write_output(int output) {
  return write_value(EValue(static_cast<int64_t>(output)), /*is_output=*/false);
}

Result<ETDumpGen::Emitter::Ref> ETDumpGen::write_output(bool output) {
  return write_value(EValue(output), /*is_output=*/false);
}

Result<ETDumpGen::Emitter::Ref> ETDumpGen::write_output(double output) {
  return write_value(EValue(output), /*is_output=*/false);
}

Result<ETDumpGen::Emitter::Ref> ETDumpGen::write_output(aten::ArrayRef<aten::Tensor> output) {
  const Result<Emitter::Ref> list = write_tensors(output);
  if (!list.ok()) {
    return list.error();
  }
  Emitter::Table entry;
  entry.set_byte(slots::kValueKind, slots::kTensorList);
  entry.set_ref(slots::kValueTensorList, *list);
  return emitter_.write_table(entry);
}

template <typename T>
Result<bool> ETDumpGen::log_delegate_output(const char* name, DelegateDebugIntId index,
                                            const T& output) {
  ET_CHECK_OR_RETURN_ERROR((name == nullptr) != (index == runtime::kUnsetDelegateDebugIntId),
                           InvalidArgument, "A delegate's output needs either a name or a number");
  if (filter_ != nullptr) {
    // The interface takes a mutable name.
    const Result<bool> matches = filter_->filter(name, index);
    if (!matches.ok()) {
      return matches.error();
    }
    if (!*matches) {
      return false;
    }
  }
  if (!begin_event()) {
    return false;
  }
  const Result<Emitter::Ref> value = write_output(output);
  if (!value.ok()) {
    return value.error();
  }
  add_debug_event(*value, name, index, /*is_delegate=*/true);
  return emitter_.ok();
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(const char* name,
                                                         DelegateDebugIntId delegate_debug_index,
                                                         const aten::Tensor& output) {
  return log_delegate_output(name, delegate_debug_index, output);
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(
    const char* name, DelegateDebugIntId delegate_debug_index,
    const aten::ArrayRef<aten::Tensor> output) {
  return log_delegate_output(name, delegate_debug_index, output);
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(const char* name,
                                                         DelegateDebugIntId delegate_debug_index,
                                                         const int& output) {
  return log_delegate_output(name, delegate_debug_index, output);
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(const char* name,
                                                         DelegateDebugIntId delegate_debug_index,
                                                         const bool& output) {
  return log_delegate_output(name, delegate_debug_index, output);
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(const char* name,
                                                         DelegateDebugIntId delegate_debug_index,
                                                         const double& output) {
  return log_delegate_output(name, delegate_debug_index, output);
}

}  // namespace etdump
}  // namespace executorch
