#include <algorithm>
#include <cinttypes>
#include <cstring>

#include <executorch/backends/vulkan/runtime/graph/positions.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vulkan {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::Result;
using runtime::Span;

namespace {

constexpr const char* kItem = "et_vk.select_as_symint.default";

bool is_kind(const Graph& graph, uint32_t value, ValueKind kind) {
  return value < graph.values.size() && graph.values[value].kind == kind;
}

int64_t item_of(const Tensor& tensor, size_t index) {
  return tensor.scalar_type() == ScalarType::Long ? tensor.const_data_ptr<int64_t>()[index]
                                                  : tensor.const_data_ptr<int32_t>()[index];
}

}  // namespace

Error Positions::find(const Graph& graph) {
  kinds_.assign(graph.values.size(), Kind());
  for (const uint32_t input : graph.inputs) {
    kinds_[input].is_given = is_kind(graph, input, ValueKind::SymInt);
  }
  for (const OperatorCall& call : graph.calls) {
    if (call.name != kItem) {
      continue;
    }
    const std::vector<uint32_t>& args = call.arguments;
    const auto input = args.empty() ? graph.inputs.end()
                                    : std::find(graph.inputs.begin(), graph.inputs.end(), args[0]);
    bool fits = args.size() == 4 && input != graph.inputs.end() &&
                is_kind(graph, args[0], ValueKind::Tensor) &&
                is_kind(graph, args[2], ValueKind::Int) &&
                is_kind(graph, args[3], ValueKind::SymInt) && !kinds_[args[3]].is_given;
    const DType type = fits ? graph.values[args[0]].tensor.staging : DType::Float;
    fits = fits && (type == DType::Int64 || type == DType::Int32) &&
           graph.values[args[2]].integer >= 0;
    ET_CHECK_OR_RETURN_ERROR(fits, DelegateInvalidCompatibility,
                             "Vulkan: %s reads what is no integer of an input", kItem);
    kinds_[args[3]].is_given = true;
    items_.push_back({args[3], static_cast<size_t>(input - graph.inputs.begin()),
                      graph.values[args[2]].integer});
  }
  return Error::Ok;
}

void Positions::begin() {
  for (Kind& kind : kinds_) {
    kind.is_fixed = false;
    kind.most = INT64_MAX;
  }
}

Error Positions::take(Graph& graph, Span<EValue*> args, bool& is_changed) {
  const auto set = [&](uint32_t id, int64_t value) {
    is_changed = is_changed || (kinds_[id].is_fixed && graph.values[id].integer != value);
    graph.values[id].integer = value;
  };
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (is_kind(graph, graph.inputs[i], ValueKind::SymInt)) {
      ET_CHECK_OR_RETURN_ERROR(args[i]->isInt(), InvalidArgument, "Vulkan: input %zu is no integer",
                               i);
      set(graph.inputs[i], args[i]->toInt());
    }
  }
  for (const Item& item : items_) {
    const Tensor& given = args[item.input]->toTensor();
    ET_CHECK_OR_RETURN_ERROR(
        item.index < static_cast<int64_t>(given.numel()) && given.const_data_ptr() != nullptr,
        InvalidArgument, "Vulkan: input %zu has %zu elements, element %" PRId64 " is read",
        item.input, size_t(given.numel()), item.index);
    set(item.value, item_of(given, static_cast<size_t>(item.index)));
  }
  return Error::Ok;
}

Error Positions::write(const Graph& graph) {
  for (const auto& [id, buffer] : buffers_) {
    const int64_t value = graph.values[id].integer;
    if (kinds_[id].most == INT64_MAX) {
      continue;
    }
    ET_CHECK_OR_RETURN_ERROR(value >= 0 && value <= kinds_[id].most, InvalidArgument,
                             "Vulkan: position %" PRId64
                             " of a run with these sizes; the model has room up to %" PRId64,
                             value, kinds_[id].most);
    const int32_t narrow = static_cast<int32_t>(value);
    std::memcpy(buffer->mapped(), &narrow, sizeof(narrow));
    ET_CHECK_OK_OR_RETURN_ERROR(buffer->flush());
  }
  return Error::Ok;
}

Buffer* Positions::live(uint32_t value, int64_t most) {
  if (value >= kinds_.size() || !kinds_[value].is_given) {
    return nullptr;
  }
  std::unique_ptr<Buffer>& buffer = buffers_[value];
  if (buffer == nullptr) {
    Result<std::unique_ptr<Buffer>> made = device_.make_buffer(sizeof(int32_t), true);
    if (!made.ok() || (*made)->mapped() == nullptr) {
      buffers_.erase(value);
      return nullptr;
    }
    buffer = std::move(*made);
  }
  kinds_[value].most = std::min({kinds_[value].most, most, int64_t(INT32_MAX)});
  return buffer.get();
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
