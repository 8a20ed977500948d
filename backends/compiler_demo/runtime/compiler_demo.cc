// The run-time half of the documented demonstration backend, BackendWithCompilerDemo. Linking this
// file registers it. Its compiler (ahead of time, in Python) writes text,
//
//   2version:0#op:demo::aten.mm.default, numel:4,
//   dtype:torch.float32<debug_handle>1#op:demo::aten.add.Tensor, ...#
//
// that is, how many operators follow, the version of the format, and one entry for each operator.
// An entry of version 0 names no operands: the first operator takes the first inputs, every later
// one the result before it and the next input. An entry of version 1 has <from>0,1<to>2 before the
// debug handle: numbers of values, which are the delegate's inputs, its outputs, and results in
// between, in this order.

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;

enum class DemoOp : uint8_t { kSin, kAdd, kSub, kMul, kDiv, kMm };

struct DemoInstruction {
  DemoOp op;
  size_t numel;
  DebugHandle debug_handle;
  // Numbers of values; in version 0 not known before there are arguments.
  size_t from[2];
  size_t to;
};

struct DemoProgram {
  size_t version;
  size_t size;
  DemoInstruction* instructions;
  // One more than the highest number of a value.
  size_t values;
  // What `max_value` of the compile specs says; 0 without it.
  size_t max_value;
};

/// The greatest `max_value` that runs. Like the published demonstration, the limit is there so that
/// a program can show how a backend refuses to run.
constexpr size_t kMaxValue = 4;
constexpr char kMaxValueKey[] = "max_value";

constexpr struct {
  const char* name;
  DemoOp op;
} kOps[] = {
    {"demo::aten.sin.default", DemoOp::kSin}, {"demo::aten.add.Tensor", DemoOp::kAdd},
    {"demo::aten.sub.Tensor", DemoOp::kSub},  {"demo::aten.mul.Tensor", DemoOp::kMul},
    {"demo::aten.div.Tensor", DemoOp::kDiv},  {"demo::aten.mm.default", DemoOp::kMm},
};

/// Reads text from left to right; once something is not as expected, nothing is any more.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool skip(std::string_view expected) {
    ok_ = ok_ && text_.substr(0, expected.size()) == expected;
    if (ok_) {
      text_.remove_prefix(expected.size());
    }
    return ok_;
  }

  /// At least one digit, up to 2^32 - 1.
  size_t number() {
    uint64_t value = 0;
    size_t digits = 0;
    while (digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9' && digits < 10) {
      value = value * 10 + static_cast<uint64_t>(text_[digits++] - '0');
    }
    ok_ = ok_ && digits > 0 && value <= std::numeric_limits<uint32_t>::max();
    text_.remove_prefix(digits);
    return static_cast<size_t>(value);
  }

  /// Everything up to a character.
  std::string_view until(char end) {
    const size_t length = text_.find(end);
    ok_ = ok_ && length != std::string_view::npos;
    const std::string_view found = ok_ ? text_.substr(0, length) : std::string_view();
    text_.remove_prefix(found.size());
    return found;
  }

  bool ok() const { return ok_; }
  size_t left() const { return text_.size(); }

 private:
  std::string_view text_;
  bool ok_ = true;
};

Error read_instruction(Reader& reader, size_t version, DemoInstruction& instruction) {
  reader.skip("op:");
  const std::string_view name = reader.until(',');
  reader.skip(", numel:");
  instruction.numel = reader.number();
  reader.skip(", dtype:torch.float32");
  if (version == 1) {
    reader.skip("<from>");
    instruction.from[0] = reader.number();
    reader.skip(",");
    instruction.from[1] = reader.number();
    reader.skip("<to>");
    instruction.to = reader.number();
  }
  reader.skip("<debug_handle>");
  instruction.debug_handle = static_cast<DebugHandle>(reader.number());
  if (!reader.skip("#")) {
    ET_LOG(Error, "The demo delegate is damaged %zu bytes before its end", reader.left());
    return Error::DelegateInvalidCompatibility;
  }
  for (const auto& known : kOps) {
    if (name == known.name) {
      instruction.op = known.op;
      return Error::Ok;
    }
  }
  ET_LOG(Error, "The demo backend has no operator %.*s", static_cast<int>(name.size()),
         name.data());
  return Error::DelegateInvalidCompatibility;
}

/// The Taylor polynomial of the sine of degree 3, so that a result shows whether the demo backend
/// made it.
float demo_sin(float x) { return x - x * x * x / 6; }

float elementwise(DemoOp op, float a, float b) {
  switch (op) {
    case DemoOp::kAdd:
      return a + b;
    case DemoOp::kSub:
      return a - b;
    case DemoOp::kMul:
      return a * b;
    case DemoOp::kDiv:
      return a / b;
    default:
      return demo_sin(a);
  }
}

/// A value while the delegate runs: elements, the tensor that they belong to if they are an
/// argument, and rows and columns if they are a matrix.
struct DemoValue {
  float* data = nullptr;
  size_t numel = 0;
  const Tensor* tensor = nullptr;
  bool is_matrix = false;
  size_t rows = 0;
  size_t columns = 0;
};

DemoValue value_of(const Tensor& tensor) {
  DemoValue value{tensor.mutable_data_ptr<float>(), static_cast<size_t>(tensor.numel()), &tensor};
  value.is_matrix = tensor.dim() == 2;
  if (value.is_matrix) {
    value.rows = static_cast<size_t>(tensor.size(0));
    value.columns = static_cast<size_t>(tensor.size(1));
  }
  return value;
}

Error multiply_matrices(const DemoValue& a, const DemoValue& b, DemoValue& out) {
  if (a.data == out.data || b.data == out.data) {
    ET_LOG(Error, "The demo backend cannot multiply matrices in place");
    return Error::NotSupported;
  }
  if (!a.is_matrix || !b.is_matrix || a.columns != b.rows || out.numel != a.rows * b.columns) {
    ET_LOG(Error, "The demo delegate cannot multiply matrices of these shapes");
    return Error::InvalidArgument;
  }
  for (size_t i = 0; i < a.rows; ++i) {
    for (size_t j = 0; j < b.columns; ++j) {
      float sum = 0;
      for (size_t k = 0; k < a.columns; ++k) {
        sum += a.data[i * a.columns + k] * b.data[k * b.columns + j];
      }
      out.data[i * b.columns + j] = sum;
    }
  }
  out.is_matrix = true;
  out.rows = a.rows;
  out.columns = b.columns;
  return Error::Ok;
}

Error compute(DemoOp op, const DemoValue& a, const DemoValue& b, DemoValue& out) {
  if (op == DemoOp::kMm) {
    return multiply_matrices(a, b, out);
  }
  // A tensor of one element goes with any other; it does not lie where the result goes.
  const bool one_a = a.numel == 1 && a.data != out.data;
  const bool one_b = b.numel == 1 && b.data != out.data;
  if ((a.numel != out.numel && !one_a) || (b.numel != out.numel && !one_b)) {
    ET_LOG(Error,
           "The demo backend works on tensors of equal size or one element, found %zu and %zu for "
           "%zu",
           a.numel, b.numel, out.numel);
    return Error::InvalidArgument;
  }
  for (size_t i = 0; i < out.numel; ++i) {
    out.data[i] = elementwise(op, a.data[one_a ? 0 : i], b.data[one_b ? 0 : i]);
  }
  const DemoValue& shape = a.numel == out.numel ? a : b;
  out.is_matrix = shape.is_matrix;
  out.rows = shape.rows;
  out.columns = shape.columns;
  return Error::Ok;
}

/// Where version 0 has its operands: after the first operator, the result before is the output.
class Chain {
 public:
  /// Of inputs and one output, which also holds the results in between.
  explicit Chain(size_t args) : output_(args - 1) {}

  void number(DemoInstruction& instruction) {
    instruction.from[0] = started_ ? output_ : take();
    instruction.from[1] = instruction.op == DemoOp::kSin ? instruction.from[0] : take();
    instruction.to = output_;
    started_ = true;
  }

 private:
  // Runs out for `x + x`, which has one input: the last one stands for all that are missing.
  size_t take() { return next_ < output_ ? next_++ : output_ - 1; }

  size_t output_;
  size_t next_ = 0;
  bool started_ = false;
};

/// What a run works with: the arguments, and memory for results in between that is handed out once.
struct Run {
  BackendExecutionContext& context;
  DemoValue* values;
  size_t size;

  Error execute(const DemoInstruction& instruction) {
    if (instruction.from[0] >= size || instruction.from[1] >= size || instruction.to >= size) {
      ET_LOG(Error, "The demo delegate has %zu values and names another", size);
      return Error::DelegateInvalidCompatibility;
    }
    DemoValue& out = values[instruction.to];
    // A file may name a constant, or what shows the memory of a smaller tensor.
    if (out.tensor != nullptr && !context.may_write(*out.tensor)) {
      ET_LOG(Error, "A demo delegate must not write its argument %zu", instruction.to);
      return Error::InvalidProgram;
    }
    // What ran when it was compiled is the most that it takes: inputs may have been of other sizes.
    if (out.numel > instruction.numel) {
      ET_LOG(Error, "A demo delegate for %zu elements at most was called with %zu",
             instruction.numel, out.numel);
      return Error::InvalidArgument;
    }
    if (out.data == nullptr && instruction.numel > 0) {
      out.numel = instruction.numel;
      out.data = static_cast<float*>(context.allocate(instruction.numel * sizeof(float)));
      if (out.data == nullptr) {
        return Error::MemoryAllocationFailed;
      }
    }
    return compute(instruction.op, values[instruction.from[0]], values[instruction.from[1]], out);
  }
};

/// The shape of the only output of version 0: that of the first input, or of the product for
/// matrices. Programs of version 1 are of static shapes.
Error resize_output(const DemoProgram& program, const Tensor* tensors, size_t size) {
  Tensor out = tensors[size - 1];
  if (program.instructions[0].op != DemoOp::kMm || size < 3) {
    return resize_tensor(out, tensors[0].sizes());
  }
  if (tensors[0].dim() != 2 || tensors[1].dim() != 2) {
    return Error::InvalidArgument;
  }
  const executorch::aten::SizesType sizes[] = {tensors[0].sizes()[0], tensors[1].sizes()[1]};
  return resize_tensor(out, {sizes, 2});
}

/// The number of values: what the highest operand says, and the arguments at least.
size_t count_values(const DemoInstruction* instructions, size_t size) {
  size_t count = 0;
  for (size_t i = 0; i < size; ++i) {
    for (const size_t number :
         {instructions[i].from[0], instructions[i].from[1], instructions[i].to}) {
      count = number < count ? count : number + 1;
    }
  }
  return count;
}

/// The compile spec `max_value`, one byte; 0 if it is absent.
size_t max_value_of(ArrayRef<CompileSpec> specs) {
  for (const CompileSpec& spec : specs) {
    if (std::strcmp(spec.key, kMaxValueKey) == 0 && spec.value.nbytes == 1) {
      return *static_cast<const uint8_t*>(spec.value.buffer);
    }
  }
  return 0;
}

class BackendWithCompiler final : public BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> compile_specs) const override {
    Reader reader({static_cast<const char*>(processed->data()), processed->size()});
    const size_t count = reader.number();
    reader.skip("version:");
    const size_t version = reader.number();
    // Every entry takes far more bytes than one, so a count of nonsense does not take memory of
    // nonsense.
    if (!reader.skip("#") || version > 1 || count == 0 || count > reader.left()) {
      ET_LOG(Error, "The bytes are no demo delegate of version 0 or 1");
      return Error::DelegateInvalidCompatibility;
    }
    const size_t bytes = reader.left();
    MemoryAllocator* const allocator = context.get_runtime_allocator();
    auto* const program = allocator->allocateInstance<DemoProgram>();
    auto* const instructions = allocator->allocateList<DemoInstruction>(count);
    if (program == nullptr || instructions == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    for (size_t i = 0; i < count; ++i) {
      instructions[i] = {};
      const Error error = read_instruction(reader, version, instructions[i]);
      if (error != Error::Ok) {
        return error;
      }
    }
    *program = {version, count, instructions, count_values(instructions, count),
                max_value_of(compile_specs)};
    // Each value takes bytes of the text as well.
    if (program->values > bytes) {
      return Error::DelegateInvalidCompatibility;
    }
    processed->Free();
    return static_cast<DelegateHandle*>(program);
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    const auto& program = *static_cast<const DemoProgram*>(handle);
    if (program.max_value > kMaxValue) {
      ET_LOG(Error,
             "The demo backend runs delegates whose max_value is %zu at most, this one says %zu",
             kMaxValue, program.max_value);
      return Error::InvalidArgument;
    }
    if (args.size() < 2) {
      ET_LOG(Error, "A demo delegate takes inputs and outputs, found %zu values", args.size());
      return Error::InvalidArgument;
    }
    const size_t size = program.values > args.size() ? program.values : args.size();
    auto* const values =
        static_cast<DemoValue*>(context.allocate(size * sizeof(DemoValue), alignof(DemoValue)));
    auto* const tensors =
        static_cast<Tensor*>(context.allocate(args.size() * sizeof(Tensor), alignof(Tensor)));
    if (values == nullptr || tensors == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    Error error = Error::Ok;
    for (size_t i = 0; i < args.size(); ++i) {
      if (!args[i]->isTensor() || args[i]->toTensor().scalar_type() != ScalarType::Float) {
        ET_LOG(Error, "Value %zu of a demo delegate is not a float tensor", i);
        return Error::InvalidArgument;
      }
      new (&tensors[i]) Tensor(args[i]->toTensor());
    }
    if (program.version == 0) {
      error = resize_output(program, tensors, args.size());
    }
    for (size_t i = 0; i < size; ++i) {
      new (&values[i]) DemoValue();
      if (i < args.size()) {
        values[i] = value_of(tensors[i]);
      }
    }
    Run run{context, values, size};
    Chain chain(args.size());
    for (size_t i = 0; i < program.size && error == Error::Ok; ++i) {
      DemoInstruction instruction = program.instructions[i];
      if (program.version == 0) {
        chain.number(instruction);
      }
      const EventTracerEntry entry = event_tracer_start_profiling_delegate(
          context.event_tracer(), /*name=*/nullptr,
          static_cast<DelegateDebugIntId>(instruction.debug_handle));
      error = run.execute(instruction);
      event_tracer_end_profiling_delegate(context.event_tracer(), entry);
    }
    return error;
  }
};

BackendWithCompiler backend;
[[maybe_unused]] const Error registered = register_backend({"BackendWithCompilerDemo", &backend});

}  // namespace
}  // namespace runtime
}  // namespace executorch
