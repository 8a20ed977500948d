// The run-time half of the documented demonstration backend, BackendWithCompilerDemo. Linking this
// file registers it. Its compiler (ahead of time, in Python) writes text,
//
//   2version:0#op:demo::aten.mm.default, numel:4,
//   dtype:torch.float32<debug_handle>1#op:demo::aten.add.Tensor, ...#
//
// that is, how many operators follow, the version of the format, and one entry for each operator.
// An entry names no operands: the first operator takes the first inputs, every later one the result
// before it and the next input.

#include <cstdint>
#include <cstring>
#include <limits>
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
};

struct DemoProgram {
  size_t size;
  DemoInstruction* instructions;
};

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

Error read_instruction(Reader& reader, DemoInstruction& instruction) {
  reader.skip("op:");
  const std::string_view name = reader.until(',');
  reader.skip(", numel:");
  instruction.numel = reader.number();
  reader.skip(", dtype:torch.float32<debug_handle>");
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

Error multiply_matrices(const Tensor& a, const float* a_data, const Tensor& b, Tensor& out) {
  if (a.dim() != 2 || b.dim() != 2 || out.dim() != 2 || a.size(1) != b.size(0) ||
      out.size(0) != a.size(0) || out.size(1) != b.size(1)) {
    ET_LOG(Error, "The demo delegate cannot multiply matrices of these shapes");
    return Error::InvalidArgument;
  }
  const float* const b_data = b.const_data_ptr<float>();
  float* const out_data = out.mutable_data_ptr<float>();
  const auto inner = static_cast<size_t>(a.size(1));
  const auto columns = static_cast<size_t>(b.size(1));
  for (size_t i = 0; i < static_cast<size_t>(a.size(0)); ++i) {
    for (size_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (size_t k = 0; k < inner; ++k) {
        sum += a_data[i * inner + k] * b_data[k * columns + j];
      }
      out_data[i * columns + j] = sum;
    }
  }
  return Error::Ok;
}

/// What execute() got: inputs, then one output, which also holds the results in between.
struct Operands {
  Span<EValue*> args;
  size_t next = 0;
  Tensor take() {
    // Runs out for `x + x`, which has one input: the last one stands for all that are missing.
    const size_t last = args.size() - 2;
    return args[next <= last ? next++ : last]->toTensor();
  }
};

Error run_instruction(const DemoInstruction& instruction, bool first, Operands& operands,
                      Tensor& out) {
  const Tensor lhs = first ? operands.take() : out;
  const bool unary = instruction.op == DemoOp::kSin;
  const Tensor rhs = unary ? lhs : operands.take();
  if (instruction.op == DemoOp::kMm) {
    if (!first) {
      ET_LOG(Error, "The demo backend multiplies matrices only as its first operator");
      return Error::NotSupported;
    }
    return multiply_matrices(lhs, lhs.const_data_ptr<float>(), rhs, out);
  }
  if (lhs.numel() != out.numel() || rhs.numel() != out.numel()) {
    ET_LOG(Error, "The demo backend works on tensors of equal size, found %zd and %zd elements",
           static_cast<ssize_t>(lhs.numel()), static_cast<ssize_t>(rhs.numel()));
    return Error::InvalidArgument;
  }
  const float* const a = lhs.const_data_ptr<float>();
  const float* const b = rhs.const_data_ptr<float>();
  float* const result = out.mutable_data_ptr<float>();
  for (ssize_t i = 0; i < out.numel(); ++i) {
    result[i] = elementwise(instruction.op, a[i], b[i]);
  }
  return Error::Ok;
}

/// The shape of the output: that of the first input, or of the product for matrices.
Error resize_output(const DemoProgram& program, Span<EValue*> args, Tensor& out) {
  const Tensor first = args[0]->toTensor();
  if (program.instructions[0].op != DemoOp::kMm || args.size() < 3) {
    return resize_tensor(out, first.sizes());
  }
  const Tensor second = args[1]->toTensor();
  if (first.dim() != 2 || second.dim() != 2) {
    return Error::InvalidArgument;
  }
  const executorch::aten::SizesType sizes[] = {first.sizes()[0], second.sizes()[1]};
  return resize_tensor(out, {sizes, 2});
}

class BackendWithCompiler final : public BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> /*compile_specs*/) const override {
    Reader reader({static_cast<const char*>(processed->data()), processed->size()});
    const size_t count = reader.number();
    reader.skip("version:");
    const size_t version = reader.number();
    // Every entry takes far more bytes than one, so a count of nonsense does not take memory of
    // nonsense.
    if (!reader.skip("#") || version != 0 || count == 0 || count > reader.left()) {
      ET_LOG(Error, "The bytes are no demo delegate of version 0");
      return Error::DelegateInvalidCompatibility;
    }
    MemoryAllocator* const allocator = context.get_runtime_allocator();
    auto* const program = allocator->allocateInstance<DemoProgram>();
    auto* const instructions = allocator->allocateList<DemoInstruction>(count);
    if (program == nullptr || instructions == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    for (size_t i = 0; i < count; ++i) {
      const Error error = read_instruction(reader, instructions[i]);
      if (error != Error::Ok) {
        return error;
      }
    }
    *program = {count, instructions};
    processed->Free();
    return static_cast<DelegateHandle*>(program);
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    const auto& program = *static_cast<const DemoProgram*>(handle);
    if (args.size() < 2) {
      ET_LOG(Error, "A demo delegate takes inputs and one output, found %zu values", args.size());
      return Error::InvalidArgument;
    }
    for (size_t i = 0; i < args.size(); ++i) {
      if (!args[i]->isTensor() || args[i]->toTensor().scalar_type() != ScalarType::Float) {
        ET_LOG(Error, "Value %zu of a demo delegate is not a float tensor", i);
        return Error::InvalidArgument;
      }
    }
    Tensor out = args[args.size() - 1]->toTensor();
    Error error = resize_output(program, args, out);
    Operands operands{args};
    for (size_t i = 0; i < program.size && error == Error::Ok; ++i) {
      const DemoInstruction& instruction = program.instructions[i];
      const EventTracerEntry entry = event_tracer_start_profiling_delegate(
          context.event_tracer(), /*name=*/nullptr,
          static_cast<DelegateDebugIntId>(instruction.debug_handle));
      error = run_instruction(instruction, i == 0, operands, out);
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
