#include <cinttypes>
#include <cstring>

#include <flatbuffers/verifier.h>

#include <executorch/backends/vulkan/runtime/graph/blob.h>
#include <executorch/backends/vulkan/serialization/schema_generated.h>
#include <executorch/runtime/backend/graph_blob.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vulkan {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::GraphBlob;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;

namespace {

constexpr uint64_t kNamed = UINT64_MAX;

/// A shader counts elements and bytes with 32 bits.
constexpr int64_t kMostElements = INT32_MAX / 4;
constexpr size_t kMostDimensions = 8;

Error damaged(const char* what) {
  ET_LOG(Error, "Vulkan: the delegate's graph is damaged: %s", what);
  return Error::DelegateInvalidCompatibility;
}

template <typename From>
std::vector<int64_t> integers_of(const From* items) {
  return items == nullptr ? std::vector<int64_t>()
                          : std::vector<int64_t>(items->begin(), items->end());
}

bool is_known(vkgraph::VkDataType type) {
  return type >= vkgraph::VkDataType::BOOL && type <= vkgraph::VkDataType::INT64;
}

Error read_tensor(const vkgraph::VkTensor* from, size_t num_constants, Graph& graph,
                  GraphTensor& tensor) {
  if (from == nullptr || !is_known(from->datatype())) {
    return damaged("a tensor of no known type");
  }
  tensor.dtype = static_cast<DType>(from->datatype());
  tensor.staging = is_known(from->staging_datatype()) ? static_cast<DType>(from->staging_datatype())
                                                      : tensor.dtype;
  tensor.bounds = integers_of(from->dims());
  tensor.sizes = tensor.bounds;
  if (tensor.bounds.size() > kMostDimensions) {
    return damaged("a tensor of more than 8 dimensions");
  }
  int64_t elements = 1;
  for (const int64_t size : tensor.bounds) {
    // Without zeros, so that no order of factors overflows.
    if (size > kMostElements / elements) {
      return damaged("a tensor of more than 2^29 elements");
    }
    elements *= size > 1 ? size : 1;
  }
  tensor.constant = from->constant_id() < 0 ? -1 : from->constant_id();
  if (tensor.constant >= 0 && static_cast<size_t>(tensor.constant) >= num_constants) {
    return damaged("a constant that is not there");
  }
  tensor.memory = tensor.constant >= 0 || from->mem_obj_id() < 0 ? -1 : from->mem_obj_id();
  const size_t memories = static_cast<size_t>(tensor.memory + 1);
  graph.num_memories = memories > graph.num_memories ? memories : graph.num_memories;
  return Error::Ok;
}

Error read_value(const vkgraph::VkValue* from, size_t num_constants, Graph& graph, Value& value) {
  if (from == nullptr || from->value() == nullptr) {
    return damaged("a value that is not there");
  }
  switch (from->value_type()) {
    case vkgraph::GraphTypes::Int:
      value.kind = ValueKind::Int;
      value.integer = from->value_as_Int()->int_val();
      return Error::Ok;
    case vkgraph::GraphTypes::SymInt:
      value.kind = ValueKind::SymInt;
      value.integer = from->value_as_SymInt()->value();
      return Error::Ok;
    case vkgraph::GraphTypes::Bool:
      value.kind = ValueKind::Bool;
      value.integer = from->value_as_Bool()->bool_val() ? 1 : 0;
      return Error::Ok;
    case vkgraph::GraphTypes::Double:
      value.kind = ValueKind::Double;
      value.number = from->value_as_Double()->double_val();
      return Error::Ok;
    case vkgraph::GraphTypes::VkTensor:
      value.kind = ValueKind::Tensor;
      return read_tensor(from->value_as_VkTensor(), num_constants, graph, value.tensor);
    case vkgraph::GraphTypes::IntList:
      value.kind = ValueKind::Ints;
      value.integers = integers_of(from->value_as_IntList()->items());
      return Error::Ok;
    case vkgraph::GraphTypes::BoolList:
      value.kind = ValueKind::Bools;
      value.integers = integers_of(from->value_as_BoolList()->items());
      return Error::Ok;
    case vkgraph::GraphTypes::ValueList:
      value.kind = ValueKind::Values;
      value.integers = integers_of(from->value_as_ValueList()->items());
      return Error::Ok;
    case vkgraph::GraphTypes::DoubleList: {
      value.kind = ValueKind::Doubles;
      const auto* items = from->value_as_DoubleList()->items();
      value.numbers = items == nullptr ? std::vector<double>()
                                       : std::vector<double>(items->begin(), items->end());
      return Error::Ok;
    }
    case vkgraph::GraphTypes::String: {
      value.kind = ValueKind::Text;
      const auto* text = from->value_as_String()->string_val();
      value.text = text == nullptr ? "" : text->str();
      return Error::Ok;
    }
    default:
      value.kind = ValueKind::None;
      return Error::Ok;
  }
}

Error read_values(const vkgraph::VkGraph& from, Graph& graph) {
  const size_t num_constants = from.constants() == nullptr ? 0 : from.constants()->size();
  if (from.values() == nullptr) {
    return damaged("no values");
  }
  graph.values.resize(from.values()->size());
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const auto* value = from.values()->Get(static_cast<uint32_t>(i));
    ET_CHECK_OK_OR_RETURN_ERROR(read_value(value, num_constants, graph, graph.values[i]));
  }
  if (graph.num_memories > graph.values.size()) {
    return damaged("more memories than values");
  }
  for (const Value& list : graph.values) {
    for (const int64_t item :
         list.kind == ValueKind::Values ? list.integers : std::vector<int64_t>()) {
      if (item < 0 || static_cast<uint64_t>(item) >= graph.values.size() ||
          graph.values[static_cast<size_t>(item)].kind == ValueKind::Values) {
        return damaged("a list of what is no value");
      }
    }
  }
  return Error::Ok;
}

Error read_calls(const vkgraph::VkGraph& from, Graph& graph) {
  for (const vkgraph::OperatorCall* call : *from.chain()) {
    if (call == nullptr || call->name() == nullptr || call->args() == nullptr) {
      return damaged("a call without name or arguments");
    }
    graph.calls.push_back({call->name()->str(), call->node_id(), {}});
    for (const int32_t argument : *call->args()) {
      if (argument < 0 || static_cast<size_t>(argument) >= graph.values.size()) {
        return damaged("an argument that is not there");
      }
      graph.calls.back().arguments.push_back(static_cast<uint32_t>(argument));
    }
  }
  return Error::Ok;
}

Error read_ports(const flatbuffers::Vector<uint32_t>* from, const Graph& graph, bool is_input,
                 std::vector<uint32_t>& ports) {
  if (from == nullptr) {
    return Error::Ok;
  }
  for (const uint32_t id : *from) {
    if (id >= graph.values.size() || (graph.values[id].kind != ValueKind::Tensor &&
                                      graph.values[id].kind != ValueKind::SymInt)) {
      return damaged("an input or output that is no tensor and no size");
    }
    if (is_input && graph.values[id].tensor.constant >= 0) {
      return damaged("an input that is a constant");
    }
    ports.push_back(id);
  }
  return Error::Ok;
}

Error read_constants(const vkgraph::VkGraph& from, Span<const uint8_t> inside,
                     const NamedDataMap* named, std::vector<FreeableBuffer>& held, Graph& graph) {
  if (from.constants() == nullptr) {
    return Error::Ok;
  }
  for (const vkgraph::VkBytes* bytes : *from.constants()) {
    if (bytes == nullptr) {
      return damaged("a constant without bytes");
    }
    if (bytes->offset() != kNamed || bytes->named_key() == nullptr) {
      const auto found = GraphBlob::part_of(inside, bytes->offset(), bytes->length());
      if (!found.ok()) {
        return damaged("a constant outside of the blob");
      }
      graph.constants.push_back({found->data(), found->size()});
      continue;
    }
    const char* const key = bytes->named_key()->c_str();
    ET_CHECK_OR_RETURN_ERROR(named != nullptr, InvalidExternalData,
                             "Vulkan: the weight '%s' is not in the program, and there is no other "
                             "data; load the .ptd file that belongs to it",
                             key);
    Result<FreeableBuffer> data = named->get_data(key);
    if (!data.ok()) {
      ET_LOG(Error, "Vulkan: no data for the weight '%s'", key);
      return data.error();
    }
    held.push_back(std::move(data.get()));
    graph.constants.push_back({held.back().data(), held.back().size()});
  }
  return Error::Ok;
}

Error check_constant_sizes(const Graph& graph) {
  for (const Value& value : graph.values) {
    if (value.kind != ValueKind::Tensor || value.tensor.constant < 0) {
      continue;
    }
    const size_t expected =
        static_cast<size_t>(value.tensor.most_elements()) * size_of(value.tensor.staging);
    const size_t size = graph.constants[static_cast<size_t>(value.tensor.constant)].size;
    ET_CHECK_OR_RETURN_ERROR(size >= expected, DelegateInvalidCompatibility,
                             "Vulkan: constant %" PRId32 " has %zu bytes, its tensor needs %zu",
                             value.tensor.constant, size, expected);
  }
  return Error::Ok;
}

}  // namespace

Result<Graph> read_graph(const void* data, size_t size, const NamedDataMap* named,
                         std::vector<FreeableBuffer>& held) {
  const Result<GraphBlob> parts =
      GraphBlob::parse({static_cast<const uint8_t*>(data), size}, "VH00");
  ET_CHECK_OR_RETURN_ERROR(parts.error() != Error::NotFound, DelegateInvalidCompatibility,
                           "Vulkan: the delegate's %zu bytes do not begin as a graph does; lower "
                           "the model with this version's VulkanPartitioner",
                           size);
  ET_CHECK_OR_RETURN_ERROR(parts.ok(), DelegateInvalidCompatibility,
                           "Vulkan: the delegate's blob of %zu bytes is cut off", size);
  ConstantBytes flatbuffer = {parts->flatbuffer.data(), parts->flatbuffer.size()};
  std::vector<uint64_t> copy;
  // Where it lies is what a header says, or a file around it.
  if (reinterpret_cast<uintptr_t>(flatbuffer.data) % alignof(uint64_t) != 0) {
    copy.resize(flatbuffer.size / sizeof(uint64_t) + 1);
    std::memcpy(copy.data(), flatbuffer.data, flatbuffer.size);
    flatbuffer.data = copy.data();
  }
  const uint8_t* const root = static_cast<const uint8_t*>(flatbuffer.data);
  flatbuffers::Verifier verifier(root, flatbuffer.size);
  ET_CHECK_OR_RETURN_ERROR(flatbuffer.size >= 8 && flatbuffers::BufferHasIdentifier(root, "VK00") &&
                               verifier.VerifyBuffer<vkgraph::VkGraph>(nullptr),
                           DelegateInvalidCompatibility,
                           "Vulkan: the delegate's graph is damaged, or of an unknown version");
  const vkgraph::VkGraph& from = *flatbuffers::GetRoot<vkgraph::VkGraph>(root);
  Graph graph;
  ET_CHECK_OK_OR_RETURN_ERROR(read_values(from, graph));
  if (from.chain() != nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(read_calls(from, graph));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(read_ports(from.input_ids(), graph, true, graph.inputs));
  ET_CHECK_OK_OR_RETURN_ERROR(read_ports(from.output_ids(), graph, false, graph.outputs));
  ET_CHECK_OK_OR_RETURN_ERROR(read_constants(from, parts->constants, named, held, graph));
  ET_CHECK_OK_OR_RETURN_ERROR(check_constant_sizes(graph));
  return graph;
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
