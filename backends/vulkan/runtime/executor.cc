#include <algorithm>

#include <executorch/backends/vulkan/runtime/executor.h>
#include <executorch/backends/vulkan/runtime/graph/blob.h>
#include <executorch/backends/vulkan/runtime/graph/ops/operators.h>
#include <executorch/backends/vulkan/runtime/graph/staging.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace backends {
namespace vulkan {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::BackendExecutionContext;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracer;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;

namespace {

ScalarType scalar_type_of(DType type) {
  switch (type) {
    case DType::Bool:
      return ScalarType::Bool;
    case DType::UInt8:
      return ScalarType::Byte;
    case DType::Int8:
      return ScalarType::Char;
    case DType::Int32:
      return ScalarType::Int;
    case DType::Half:
      return ScalarType::Half;
    case DType::Float:
      return ScalarType::Float;
    case DType::Double:
      return ScalarType::Double;
    default:
      return ScalarType::Long;
  }
}

/// Declares state: what it is at first (Null for zeros), and its tensor.
constexpr const char* kState = "et_vk.state.default";

/// Whether a tensor of the program is the one that the file names. Released exporters name the type
/// on the device, of 32 bits, where the program has 64: as many bits as the program has are read
/// and written from then on.
bool fits_program(GraphTensor& tensor, ScalarType given) {
  const ScalarType named = scalar_type_of(tensor.staging);
  if (named == ScalarType::Int && given == ScalarType::Long) {
    tensor.staging = DType::Int64;
  } else if (named == ScalarType::Float && given == ScalarType::Double) {
    tensor.staging = DType::Double;
  }
  return scalar_type_of(tensor.staging) == given;
}

bool is_row_major(const Tensor& tensor) {
  for (size_t i = 0; i < tensor.dim_order().size(); ++i) {
    if (tensor.dim_order()[i] != i) {
      return false;
    }
  }
  return true;
}

/// Rows of elements of `size` bytes, four of them as neighbours; zeros for those that are missing.
std::vector<uint8_t> blocks_of(const std::vector<uint8_t>& elements, size_t rows, size_t size) {
  const size_t length = rows == 0 ? 0 : elements.size() / (rows * size);
  std::vector<uint8_t> blocks((rows + 3) / 4 * 4 * length * size);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < length; ++j) {
      std::copy_n(&elements[(i * length + j) * size], size,
                  &blocks[((i / 4 * length + j) * 4 + i % 4) * size]);
    }
  }
  return blocks;
}

/// Matrices one behind the other, columns first.
std::vector<uint8_t> turned(const std::vector<uint8_t>& elements, size_t rows, size_t columns,
                            size_t size) {
  std::vector<uint8_t> made(elements.size());
  const size_t matrix = std::max<size_t>(rows * columns * size, 1);
  for (size_t begin = 0; begin < elements.size(); begin += matrix) {
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < columns; ++j) {
        std::copy_n(&elements[begin + (i * columns + j) * size], size,
                    &made[begin + (j * rows + i) * size]);
      }
    }
  }
  return made;
}

}  // namespace

Result<std::unique_ptr<Executor>> Executor::create(Device& device, const void* data, size_t size,
                                                   const NamedDataMap* named, bool is_profiled) {
  std::unique_ptr<Executor> made(new Executor(device));
  Result<Graph> graph = read_graph(data, size, named, made->held_);
  if (!graph.ok()) {
    return graph.error();
  }
  made->graph_ = std::move(*graph);
  made->is_profiled_ = is_profiled;
  ET_CHECK_OK_OR_RETURN_ERROR(made->check_calls());
  ET_CHECK_OK_OR_RETURN_ERROR(made->plan());
  ET_CHECK_OK_OR_RETURN_ERROR(made->positions_.find(made->graph_));
  Result<std::unique_ptr<Stream>> stream = device.make_stream(is_profiled);
  if (!stream.ok()) {
    return stream.error();
  }
  made->stream_ = std::move(*stream);
  const bool has_sizes =
      std::any_of(made->graph_.inputs.begin(), made->graph_.inputs.end(),
                  [&](uint32_t id) { return made->graph_.values[id].kind == ValueKind::SymInt; });
  // With the largest shapes; sizes that the caller gives are not known before he does.
  if (!has_sizes) {
    ET_CHECK_OK_OR_RETURN_ERROR(made->record());
  }
  return made;
}

Error Executor::check_calls() const {
  for (const OperatorCall& call : graph_.calls) {
    ET_CHECK_OR_RETURN_ERROR(find_operator(call.name) != nullptr, NotSupported,
                             "Vulkan: there is no operator '%s'; lower the model with the "
                             "VulkanPartitioner of this version",
                             call.name.c_str());
  }
  return Error::Ok;
}

Error Executor::plan() {
  std::vector<size_t> sizes(graph_.num_memories, 0);
  std::vector<bool> is_shared(graph_.num_memories, false);
  is_port_.assign(graph_.values.size(), false);
  for (const std::vector<uint32_t>* ports : {&graph_.inputs, &graph_.outputs}) {
    for (const uint32_t id : *ports) {
      is_port_[id] = true;
    }
  }
  for (size_t id = 0; id < graph_.values.size(); ++id) {
    const GraphTensor& tensor = graph_.values[id].tensor;
    if (graph_.values[id].kind == ValueKind::Tensor && tensor.memory >= 0) {
      const size_t memory = static_cast<size_t>(tensor.memory);
      sizes[memory] = std::max(sizes[memory], tensor.most_bytes());
      is_shared[memory] = is_shared[memory] || is_port_[id];
    }
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    Result<std::unique_ptr<Buffer>> made = device_.make_buffer(sizes[i], is_shared[i]);
    if (!made.ok()) {
      return made.error();
    }
    memories_.push_back(std::move(*made));
  }
  for (const OperatorCall& call : graph_.calls) {
    if (call.name == kState) {
      ET_CHECK_OK_OR_RETURN_ERROR(make_state(call));
    }
  }
  return Error::Ok;
}

Error Executor::make_state(const OperatorCall& call) {
  bool fits = call.arguments.size() == 2;
  const Value none;
  const Value& first = fits ? graph_.values[call.arguments[0]] : none;
  const Value& state = fits ? graph_.values[call.arguments[1]] : none;
  const bool is_zero = first.kind == ValueKind::None;
  fits = fits && state.kind == ValueKind::Tensor && state.tensor.constant < 0 &&
         state.tensor.memory < 0 && own_.count(call.arguments[1]) == 0;
  fits = fits && (is_zero || (first.kind == ValueKind::Tensor && first.tensor.constant >= 0 &&
                              first.tensor.element() == state.tensor.element() &&
                              first.tensor.most_elements() == state.tensor.most_elements()));
  ET_CHECK_OR_RETURN_ERROR(fits, DelegateInvalidCompatibility,
                           "Vulkan: the delegate's state is damaged");
  const size_t size = state.tensor.most_bytes();
  const std::vector<uint8_t> zeros(is_zero ? size : 0);
  Result<std::unique_ptr<Buffer>> made =
      is_zero ? device_.upload(zeros.data(), zeros.size()) : packed(first.tensor, Packing::Plain);
  if (!made.ok()) {
    return made.error();
  }
  own_[call.arguments[1]] = std::move(*made);
  return Error::Ok;
}

Buffer* Executor::buffer(uint32_t value, Packing packing) {
  if (value >= graph_.values.size() || graph_.values[value].kind != ValueKind::Tensor) {
    return nullptr;
  }
  const GraphTensor& tensor = graph_.values[value].tensor;
  if (tensor.constant >= 0) {
    return constant(tensor, packing);
  }
  if (packing != Packing::Plain) {
    return nullptr;
  }
  if (tensor.memory >= 0) {
    return memories_[static_cast<size_t>(tensor.memory)].get();
  }
  std::unique_ptr<Buffer>& own = own_[value];
  if (own == nullptr) {
    Result<std::unique_ptr<Buffer>> made =
        device_.make_buffer(tensor.most_bytes(), is_port_[value]);
    if (made.ok()) {
      own = std::move(*made);
    }
  }
  return own.get();
}

Buffer* Executor::constant(const GraphTensor& tensor, Packing packing) {
  std::unique_ptr<Buffer>& kept = constants_[{tensor.constant, packing, tensor.dtype}];
  if (kept == nullptr) {
    Result<std::unique_ptr<Buffer>> made = packed(tensor, packing);
    if (made.ok()) {
      kept = std::move(*made);
    }
  }
  return kept.get();
}

Result<std::unique_ptr<Buffer>> Executor::packed(const GraphTensor& tensor, Packing packing) {
  const ConstantBytes& bytes = graph_.constants[static_cast<size_t>(tensor.constant)];
  const size_t count = static_cast<size_t>(tensor.most_elements());
  if (packing == Packing::Words) {
    return device_.upload(bytes.data, count * size_of(tensor.staging));
  }
  const size_t size = size_of(tensor.element());
  std::vector<uint8_t> elements(count * size);
  ET_CHECK_OK_OR_RETURN_ERROR(
      copy_in(bytes.data, tensor.staging, elements.data(), tensor.element(), count));
  const size_t rows = tensor.bounds.empty() ? 1 : static_cast<size_t>(tensor.bounds[0]);
  if (packing == Packing::Blocks) {
    elements = blocks_of(elements, rows, size);
  } else if (packing == Packing::Transposed) {
    elements = turned(elements, rows, static_cast<size_t>(tensor.bounds[1]), size);
  } else if (packing == Packing::Deep) {
    const size_t columns = static_cast<size_t>(tensor.bounds[1]);
    elements = turned(elements, columns, count / std::max<size_t>(rows * columns, 1), size);
  }
  return device_.upload(elements.data(), elements.size());
}

Error Executor::record() {
  is_recorded_ = false;
  positions_.begin();
  ET_CHECK_OK_OR_RETURN_ERROR(stream_->begin());
  for (const OperatorCall& made : graph_.calls) {
    Call call(graph_, made, *this, *stream_, device_);
    const Operator* const found = find_operator(made.name);
    found->record(call, found->kind);
    ET_CHECK_OK_OR_RETURN_ERROR(call.error());
  }
  ET_CHECK_OK_OR_RETURN_ERROR(stream_->end());
  // The device has its own copy of the weights.
  held_.clear();
  is_recorded_ = true;
  return Error::Ok;
}

Error Executor::take_sizes(Span<EValue*> args, bool& is_changed) {
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    Value& value = graph_.values[graph_.inputs[i]];
    if (value.kind == ValueKind::SymInt) {
      continue;
    }
    ET_CHECK_OR_RETURN_ERROR(args[i]->isTensor(), InvalidArgument, "Vulkan: input %zu is no tensor",
                             i);
    const Tensor& given = args[i]->toTensor();
    GraphTensor& tensor = value.tensor;
    ET_CHECK_OR_RETURN_ERROR(
        fits_program(tensor, given.scalar_type()) &&
            static_cast<size_t>(given.dim()) == tensor.bounds.size(),
        InvalidArgument,
        "Vulkan: input %zu has dtype %d and %zu dimensions, expected are dtype %d and %zu", i,
        int(given.scalar_type()), size_t(given.dim()), int(scalar_type_of(tensor.staging)),
        tensor.bounds.size());
    ET_CHECK_OR_RETURN_ERROR(is_row_major(given), NotSupported,
                             "Vulkan: input %zu does not lie in row-major order", i);
    for (size_t d = 0; d < tensor.bounds.size(); ++d) {
      const int64_t size = given.size(static_cast<ssize_t>(d));
      ET_CHECK_OR_RETURN_ERROR(size <= tensor.bounds[d], InvalidArgument,
                               "Vulkan: input %zu has size %d in dimension %zu, the model was "
                               "lowered for at most %d",
                               i, int(size), d, int(tensor.bounds[d]));
      is_changed = is_changed || tensor.sizes[d] != size;
      tensor.sizes[d] = size;
    }
  }
  return positions_.take(graph_, args, is_changed);
}

Error Executor::copy_inputs(Span<EValue*> args) {
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    const uint32_t id = graph_.inputs[i];
    if (graph_.values[id].kind != ValueKind::Tensor) {
      continue;
    }
    const GraphTensor& tensor = graph_.values[id].tensor;
    const void* const data = args[i]->toTensor().const_data_ptr();
    Buffer* const into = buffer(id, Packing::Plain);
    ET_CHECK_OR_RETURN_ERROR(into != nullptr && into->mapped() != nullptr, MemoryAllocationFailed,
                             "Vulkan: there is no memory for input %zu", i);
    ET_CHECK_OR_RETURN_ERROR(data != nullptr || tensor.numel() == 0, InvalidArgument,
                             "Vulkan: input %zu has no memory", i);
    ET_CHECK_OK_OR_RETURN_ERROR(copy_in(data, tensor.staging, into->mapped(), tensor.element(),
                                        static_cast<size_t>(tensor.numel())));
    ET_CHECK_OK_OR_RETURN_ERROR(into->flush());
  }
  return Error::Ok;
}

Error Executor::copy_outputs(Span<EValue*> args, const BackendExecutionContext& context) {
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    Value& value = graph_.values[graph_.outputs[i]];
    EValue& arg = *args[graph_.inputs.size() + i];
    if (value.kind == ValueKind::SymInt) {
      arg = EValue(value.integer);
      continue;
    }
    ET_CHECK_OR_RETURN_ERROR(arg.isTensor(), InvalidArgument, "Vulkan: output %zu is no tensor", i);
    Tensor& tensor = arg.toTensor();
    GraphTensor& made = value.tensor;
    ET_CHECK_OR_RETURN_ERROR(context.may_write(tensor), InvalidProgram,
                             "Vulkan: output %zu is a constant, or shows memory that is smaller",
                             i);
    ET_CHECK_OR_RETURN_ERROR(
        fits_program(made, tensor.scalar_type()) && made.rank() <= runtime::kTensorDimensionLimit &&
            is_row_major(tensor),
        InvalidArgument,
        "Vulkan: output %zu has dtype %d, the program expects dtype %d in row-major order", i,
        int(scalar_type_of(made.staging)), int(tensor.scalar_type()));
    SizesType sizes[runtime::kTensorDimensionLimit] = {};
    std::copy(made.sizes.begin(), made.sizes.end(), sizes);
    ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(tensor, {sizes, made.rank()}));
    Buffer* const from = buffer(graph_.outputs[i], Packing::Plain);
    ET_CHECK_OR_RETURN_ERROR(from != nullptr && from->mapped() != nullptr, NotSupported,
                             "Vulkan: output %zu is not made by the delegate", i);
    ET_CHECK_OR_RETURN_ERROR(tensor.mutable_data_ptr() != nullptr || made.numel() == 0,
                             InvalidArgument, "Vulkan: output %zu has no memory", i);
    ET_CHECK_OK_OR_RETURN_ERROR(from->invalidate());
    ET_CHECK_OK_OR_RETURN_ERROR(copy_out(from->mapped(), made.element(), tensor.mutable_data_ptr(),
                                         made.staging, static_cast<size_t>(made.numel())));
  }
  return Error::Ok;
}

Error Executor::report(EventTracer* tracer, uint64_t begin) {
  const Result<std::vector<Timing>> timings = stream_->timings();
  if (!timings.ok()) {
    return timings.error();
  }
  const et_tick_ratio_t ratio = runtime::pal_ticks_to_ns_multiplier();
  const auto ticks_of = [&ratio](uint64_t nanoseconds) {
    return static_cast<et_timestamp_t>(double(nanoseconds) * double(ratio.denominator) /
                                       double(ratio.numerator));
  };
  for (const Timing& timing : *timings) {
    const uint32_t attached[] = {timing.debug_handle, timing.is_behind_barrier ? 1u : 0u};
    runtime::event_tracer_log_profiling_delegate(
        tracer, timing.name.c_str(), runtime::kUnsetDelegateDebugIntId,
        begin + ticks_of(timing.begin), begin + ticks_of(timing.end), attached, sizeof(attached));
  }
  return Error::Ok;
}

Error Executor::run(Span<EValue*> args, BackendExecutionContext& context) {
  const size_t expected = graph_.inputs.size() + graph_.outputs.size();
  ET_CHECK_OR_RETURN_ERROR(args.size() == expected, InvalidArgument,
                           "Vulkan: the delegate has %zu inputs and outputs, got %zu", expected,
                           args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(args[i] != nullptr, InvalidArgument, "Vulkan: no argument %zu", i);
  }
  bool is_changed = !is_recorded_;
  const Error error = take_sizes(args, is_changed);
  is_recorded_ = is_recorded_ && !is_changed;
  ET_CHECK_OK_OR_RETURN_ERROR(error);
  if (!is_recorded_) {
    ET_CHECK_OK_OR_RETURN_ERROR(record());
  }
  ET_CHECK_OK_OR_RETURN_ERROR(positions_.write(graph_));
  ET_CHECK_OK_OR_RETURN_ERROR(copy_inputs(args));
  const et_timestamp_t begin = is_profiled_ ? runtime::pal_current_ticks() : 0;
  if (stream_->num_dispatches() > 0) {
    ET_CHECK_OK_OR_RETURN_ERROR(stream_->run());
    if (is_profiled_ && context.event_tracer() != nullptr) {
      ET_CHECK_OK_OR_RETURN_ERROR(report(context.event_tracer(), begin));
    }
  }
  return copy_outputs(args, context);
}

Error Executor::execute(Span<EValue*> args, BackendExecutionContext& context) {
  return guard_.run("Vulkan", [&] { return run(args, context); });
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
