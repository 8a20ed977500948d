#include <algorithm>
#include <cmath>

#include <executorch/backends/vulkan/runtime/graph/call.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vulkan {

using runtime::Error;

namespace {

const GraphTensor& nothing() {
  static const GraphTensor empty = [] {
    GraphTensor made;
    made.bounds = made.sizes = {0};
    return made;
  }();
  return empty;
}

bool is_integer(const Value& value) {
  return value.kind == ValueKind::Int || value.kind == ValueKind::SymInt ||
         value.kind == ValueKind::Bool;
}

}  // namespace

Call::Call(Graph& graph, const OperatorCall& call, Memory& memory, Stream& stream,
           const Device& device)
    : graph_(graph), call_(call), memory_(memory), stream_(stream), device_(device) {}

bool Call::expect(bool fact, const char* what) {
  if (!fact && ok()) {
    ET_LOG(Error, "Vulkan: %s: %s", call_.name.c_str(), what);
    error_ = Error::NotSupported;
  }
  return fact && ok();
}

Value& Call::argument(size_t i) {
  static Value none;
  if (i < call_.arguments.size()) {
    return graph_.values[call_.arguments[i]];
  }
  (void)expect(false, "it has too few arguments");
  return none;
}

bool Call::is_none(size_t i) const {
  return i >= call_.arguments.size() || graph_.values[call_.arguments[i]].kind == ValueKind::None;
}

bool Call::is_tensor(size_t i) const {
  return i < call_.arguments.size() && graph_.values[call_.arguments[i]].kind == ValueKind::Tensor;
}

const GraphTensor& Call::tensor_of(uint32_t value) {
  const bool is_there =
      value < graph_.values.size() && graph_.values[value].kind == ValueKind::Tensor;
  return expect(is_there, "an argument is no tensor") ? graph_.values[value].tensor : nothing();
}

const GraphTensor& Call::tensor(size_t i) {
  return expect(i < call_.arguments.size(), "it has too few arguments")
             ? tensor_of(call_.arguments[i])
             : nothing();
}

uint32_t Call::output_id(size_t i, size_t nth) {
  if (!expect(i < call_.arguments.size(), "it has too few arguments")) {
    return UINT32_MAX;
  }
  const Value& value = graph_.values[call_.arguments[i]];
  if (value.kind != ValueKind::Values) {
    return nth == 0 ? call_.arguments[i] : UINT32_MAX;
  }
  return nth < value.integers.size() ? static_cast<uint32_t>(value.integers[nth]) : UINT32_MAX;
}

const GraphTensor& Call::output(size_t i, size_t nth) { return tensor_of(output_id(i, nth)); }

bool Call::has_tensor(size_t i, size_t nth) {
  const uint32_t id = output_id(i, nth);
  return id < graph_.values.size() && graph_.values[id].kind == ValueKind::Tensor;
}

bool Call::is_read(size_t i, size_t nth) {
  const uint32_t id = output_id(i, nth);
  if (!has_tensor(i, nth)) {
    return false;
  }
  const auto has = [&](uint32_t value) {
    const Value& held = graph_.values[value];
    const auto& items = held.integers;
    return value == id || (held.kind == ValueKind::Values &&
                           std::find(items.begin(), items.end(), id) != items.end());
  };
  const auto reads = [&](const OperatorCall& call) {
    return !call.arguments.empty() &&
           std::any_of(call.arguments.begin(), call.arguments.end() - 1, has);
  };
  return std::any_of(graph_.outputs.begin(), graph_.outputs.end(), has) ||
         std::any_of(graph_.calls.begin(), graph_.calls.end(), reads);
}

int64_t Call::integer_of(uint32_t id, const char* otherwise) {
  const Value& value = graph_.values[id];
  if (value.kind == ValueKind::SymInt) {
    memory_.fix(id);
  }
  return expect(is_integer(value), otherwise) ? value.integer : 0;
}

Live Call::live(size_t i, int64_t most) {
  Live made;
  if (argument(i).kind == ValueKind::SymInt && ok()) {
    made.buffer = memory_.live(call_.arguments[i], most);
  }
  if (made.buffer == nullptr) {
    made.fixed = integer(i);
    (void)expect(made.fixed >= 0 && made.fixed <= most, "its position is out of range");
  }
  return made;
}

bool Call::is_same(size_t i, size_t j) const {
  return i < call_.arguments.size() && j < call_.arguments.size() &&
         call_.arguments[i] == call_.arguments[j];
}

int64_t Call::integer(size_t i) {
  const Value& value = argument(i);
  if (value.kind == ValueKind::Double && value.number == std::floor(value.number) &&
      std::fabs(value.number) < 9e15) {
    return static_cast<int64_t>(value.number);
  }
  return i < call_.arguments.size() ? integer_of(call_.arguments[i], "an argument is no integer")
                                    : 0;
}

double Call::number(size_t i) {
  const Value& value = argument(i);
  if (value.kind == ValueKind::Double) {
    return value.number;
  }
  return i < call_.arguments.size()
             ? static_cast<double>(integer_of(call_.arguments[i], "an argument is no number"))
             : 0;
}

std::vector<int64_t> Call::integers(size_t i) {
  const Value& value = argument(i);
  if (value.kind == ValueKind::Ints || value.kind == ValueKind::Bools) {
    return value.integers;
  }
  if (is_integer(value)) {
    return {integer(i)};
  }
  std::vector<int64_t> result;
  if (expect(value.kind == ValueKind::Values || value.kind == ValueKind::None,
             "an argument is no list of integers")) {
    for (const int64_t item : value.integers) {
      result.push_back(integer_of(static_cast<uint32_t>(item), "an item of a list is no integer"));
    }
  }
  return result;
}

std::vector<double> Call::numbers(size_t i) {
  const Value& value = argument(i);
  if (value.kind == ValueKind::Doubles || value.kind == ValueKind::None) {
    return value.numbers;
  }
  const std::vector<int64_t> whole = integers(i);
  return std::vector<double>(whole.begin(), whole.end());
}

std::string Call::text(size_t i) {
  const Value& value = argument(i);
  return expect(value.kind == ValueKind::Text, "an argument is no text") ? value.text : "";
}

std::vector<uint32_t> Call::list(size_t i) {
  const Value& value = argument(i);
  std::vector<uint32_t> result;
  if (expect(value.kind == ValueKind::Values, "an argument is no list")) {
    for (const int64_t item : value.integers) {
      result.push_back(static_cast<uint32_t>(item));
    }
  }
  return result;
}

void Call::set_integer(size_t i, int64_t value) {
  Value& target = argument(i);
  if (expect(target.kind == ValueKind::SymInt, "its result is no size")) {
    target.integer = value;
  }
}

void Call::resize(size_t i, const std::vector<int64_t>& sizes, size_t nth) {
  const uint32_t id = output_id(i, nth);
  const GraphTensor& tensor = tensor_of(id);
  if (!ok()) {
    return;
  }
  int64_t elements = 1;
  for (const int64_t size : sizes) {
    if (!expect(size >= 0 && size <= INT32_MAX, "a size of its result is out of range")) {
      return;
    }
    // Bounded in each step: what memory is made for has less than 2^31 elements.
    elements *= size;
    if (!expect(elements <= INT32_MAX, "its result has too many elements")) {
      return;
    }
  }
  const bool fits = sizes.size() == tensor.bounds.size() && elements <= tensor.most_elements() &&
                    tensor.constant < 0;
  if (expect(fits, "its result has another rank or is larger than what was planned")) {
    graph_.values[id].tensor.sizes = sizes;
  }
}

Buffer* Call::found(Buffer* buffer) {
  (void)expect(buffer != nullptr, "there is no memory for a tensor");
  return buffer;
}

Buffer* Call::memory_of(uint32_t value, Packing packing) {
  const bool is_byte = tensor_of(value).element() == Element::Byte && packing != Packing::Words;
  (void)expect(takes_bytes_ || !is_byte, "it has no form for int8");
  return ok() ? found(memory_.buffer(value, packing)) : nullptr;
}

Buffer* Call::in(size_t i, Packing packing) {
  (void)tensor(i);
  return ok() ? memory_of(call_.arguments[i], packing) : nullptr;
}

Buffer* Call::out(size_t i, size_t nth) {
  const GraphTensor& made = output(i, nth);
  if (!expect(made.constant < 0, "its result is a constant")) {
    return nullptr;
  }
  return memory_of(output_id(i, nth), Packing::Plain);
}

bool Call::is_constant(size_t i) { return tensor(i).constant >= 0; }

bool Call::is_alias(size_t input, size_t output) {
  const GraphTensor& from = tensor(input);
  const GraphTensor& to = this->output(output);
  return from.memory >= 0 && from.memory == to.memory && from.element() == to.element();
}

void Call::dispatch(Dispatch made) {
  const std::array<uint32_t, 3> most = device_.most_groups();
  for (size_t i = 0; i < 3; ++i) {
    (void)expect(made.groups[i] <= most[i], "a tensor is larger than what this device dispatches");
  }
  const bool is_half = made.shader.find("half") != std::string::npos;
  (void)expect(!is_half || device_.has_half(),
               "this device has no storage of 16-bit floats; lower the model without force_fp16");
  for (Buffer* const buffer : made.buffers) {
    (void)expect(buffer != nullptr, "there is no memory for a tensor");
  }
  if (!ok()) {
    return;
  }
  made.num_written = num_written_;
  made.debug_handle = call_.debug_handle;
  error_ = stream_.dispatch(made);
}

void Call::dispatch_elements(const std::string& shader, Buffers buffers, Parameters parameters,
                             int64_t count, std::vector<uint32_t> constants) {
  if (count <= 0) {
    return;
  }
  const int64_t groups = (count + 63) / 64;
  const int64_t most = device_.most_groups()[0];
  const int64_t width = groups < most ? groups : most;
  Dispatch made;
  made.shader = shader;
  made.buffers = std::move(buffers);
  made.parameters = parameters;
  made.groups = {static_cast<uint32_t>(width), static_cast<uint32_t>((groups + width - 1) / width),
                 1};
  made.constants = std::move(constants);
  dispatch(std::move(made));
}

void Call::dispatch_grid(const std::string& shader, Buffers buffers, Parameters parameters,
                         int64_t count, int64_t rows, int64_t planes,
                         std::vector<uint32_t> constants) {
  if (count <= 0 || rows <= 0 || planes <= 0) {
    return;
  }
  Dispatch made;
  made.shader = shader;
  made.buffers = std::move(buffers);
  made.parameters = parameters;
  while (made.local[0] > 8 && count <= made.local[0] / 2) {
    made.local[0] /= 2;
  }
  made.groups = {static_cast<uint32_t>((count + made.local[0] - 1) / made.local[0]),
                 static_cast<uint32_t>(rows), static_cast<uint32_t>(planes)};
  made.constants = std::move(constants);
  dispatch(std::move(made));
}

void Call::dispatch_lines(const std::string& shader, Buffers buffers, Parameters parameters,
                          int64_t lines, int64_t length, std::vector<uint32_t> constants) {
  if (lines <= 0) {
    return;
  }
  const uint32_t lanes = length >= 64 ? 64 : 1;
  const int64_t groups = (lines + 64 / lanes - 1) / (64 / lanes);
  const int64_t most = device_.most_groups()[0];
  const int64_t width = groups < most ? groups : most;
  Dispatch made;
  made.shader = shader;
  made.buffers = std::move(buffers);
  made.parameters = parameters;
  made.local = {lanes, 64 / lanes, 1};
  made.groups = {static_cast<uint32_t>(width), static_cast<uint32_t>((groups + width - 1) / width),
                 1};
  made.constants = std::move(constants);
  dispatch(std::move(made));
}

std::string shader_for(const char* name, const GraphTensor& tensor) {
  return std::string(name) + "_" + name_of(tensor.element());
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
