#include <cstring>

#include <executorch/backends/arm/runtime/testing/tosa_call.h>
#include <executorch/backends/arm/runtime/testing/tosa_graph.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace arm {

using runtime::Error;
using runtime::MemoryAllocator;
using runtime::Span;

namespace tosa_test {
namespace {

using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

bool type_of(tosa::DType type, Type& out) {
  switch (type) {
    case tosa::DType_BOOL:
      out = Type::kBool;
      return true;
    case tosa::DType_INT8:
      out = Type::kInt8;
      return true;
    case tosa::DType_INT16:
      out = Type::kInt16;
      return true;
    case tosa::DType_INT32:
      out = Type::kInt32;
      return true;
    case tosa::DType_INT48:
      out = Type::kInt48;
      return true;
    default:
      return false;
  }
}

Operator find_operator(tosa::Op op) {
  for (const auto find : {find_layer, find_elementwise, find_mover}) {
    if (const Operator found = find(op); found != nullptr) {
      return found;
    }
  }
  return nullptr;
}

// In a file, where elements have no padding.
constexpr size_t kInt48Bytes = 6;

int64_t read_int48(const uint8_t* bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < kInt48Bytes; ++i) {
    number |= uint64_t{bytes[i]} << (8 * i);
  }
  // The sign is bit 47.
  return static_cast<int64_t>(number << 16) >> 16;
}

// A block of a file while it runs.
class Run {
 public:
  Run(const tosa::TosaBasicBlock& block, MemoryAllocator& memory)
      : block_(block), memory_(memory) {}

  Error prepare() {
    ET_CHECK_OR_RETURN_ERROR(block_.tensors() != nullptr && block_.operators() != nullptr &&
                                 block_.inputs() != nullptr && block_.outputs() != nullptr,
                             InvalidProgram, "TOSA: the block is empty");
    values_ = memory_.allocateList<Value>(block_.tensors()->size());
    ET_CHECK_OR_RETURN_ERROR(values_ != nullptr, MemoryAllocationFailed,
                             "TOSA: no memory for %u tensors",
                             static_cast<unsigned>(block_.tensors()->size()));
    for (uint32_t i = 0; i < block_.tensors()->size(); ++i) {
      ET_CHECK_OK_OR_RETURN_ERROR(make(*block_.tensors()->Get(i), values_[i]));
    }
    return Error::Ok;
  }

  Error copy(const Names& names, Span<const TosaBuffer> buffers, bool to_graph) {
    ET_CHECK_OR_RETURN_ERROR(names.size() == buffers.size(), InvalidArgument,
                             "TOSA: the graph has %u inputs or outputs, not %zu",
                             static_cast<unsigned>(names.size()), buffers.size());
    for (uint32_t i = 0; i < names.size(); ++i) {
      Value value;
      ET_CHECK_OK_OR_RETURN_ERROR(find(*names.Get(i), value));
      const size_t bytes = value.elements * element_size(value.type);
      ET_CHECK_OR_RETURN_ERROR(bytes == buffers[i].size, InvalidArgument,
                               "TOSA: %s has %zu bytes, not %zu", names.Get(i)->c_str(), bytes,
                               buffers[i].size);
      std::memcpy(to_graph ? value.data : buffers[i].data, to_graph ? buffers[i].data : value.data,
                  bytes);
    }
    return Error::Ok;
  }

  Error run() {
    for (const tosa::TosaOperator* op : *block_.operators()) {
      if (op->op() == tosa::Op_CONST || op->op() == tosa::Op_CONST_SHAPE) {
        continue;
      }
      const Operator function = find_operator(op->op());
      ET_CHECK_OR_RETURN_ERROR(function != nullptr, NotSupported, "TOSA: no %s here",
                               tosa::EnumNameOp(op->op()));
      Call call;
      ET_CHECK_OK_OR_RETURN_ERROR(bind(*op, call));
      const Error error = function(call);
      ET_CHECK_OR_RETURN_ERROR(error == Error::Ok, NotSupported,
                               "TOSA: %s is not calculated in this form",
                               tosa::EnumNameOp(op->op()));
    }
    return Error::Ok;
  }

 private:
  Error make(const tosa::TosaTensor& tensor, Value& value) {
    value = Value();
    ET_CHECK_OR_RETURN_ERROR(type_of(tensor.type(), value.type), NotSupported,
                             "TOSA: no tensors of the type %s here",
                             tosa::EnumNameDType(tensor.type()));
    value.elements = 1;
    value.rank = tensor.shape() == nullptr ? 0 : tensor.shape()->size();
    ET_CHECK_OR_RETURN_ERROR(value.rank <= kMostRank, NotSupported, "TOSA: %zu dimensions",
                             value.rank);
    for (size_t i = 0; i < value.rank; ++i) {
      value.sizes[i] = tensor.shape()->Get(static_cast<uint32_t>(i));
      value.elements *= static_cast<size_t>(value.sizes[i]);
    }
    const bool is_constant = tensor.data() != nullptr && tensor.data()->size() > 0;
    const size_t in_file =
        value.elements * (value.type == Type::kInt48 ? kInt48Bytes : element_size(value.type));
    ET_CHECK_OR_RETURN_ERROR(!is_constant || tensor.data()->size() >= in_file, InvalidProgram,
                             "TOSA: the constant %s is too short", tensor.name()->c_str());
    if (is_constant && value.type != Type::kInt48) {
      value.data = const_cast<uint8_t*>(tensor.data()->data());
      return Error::Ok;
    }
    const size_t bytes = value.elements * element_size(value.type);
    value.data = static_cast<uint8_t*>(memory_.allocate(bytes, alignof(int64_t)));
    ET_CHECK_OR_RETURN_ERROR(value.data != nullptr, MemoryAllocationFailed,
                             "TOSA: no memory for %zu bytes", bytes);
    for (size_t i = 0; is_constant && i < value.elements; ++i) {
      store(value, i, read_int48(tensor.data()->data() + i * kInt48Bytes));
    }
    return Error::Ok;
  }

  Error find(const flatbuffers::String& name, Value& value) {
    for (uint32_t i = 0; i < block_.tensors()->size(); ++i) {
      if (name.size() == block_.tensors()->Get(i)->name()->size() &&
          std::strcmp(block_.tensors()->Get(i)->name()->c_str(), name.c_str()) == 0) {
        value = values_[i];
        return Error::Ok;
      }
    }
    ET_LOG(Error, "TOSA: there is no tensor %s", name.c_str());
    return Error::InvalidProgram;
  }

  // A tensor, or a shape as a tensor of as many numbers.
  Error find_input(const flatbuffers::String& name, Value& value) {
    if (block_.shapes() != nullptr) {
      for (const tosa::TosaShape* shape : *block_.shapes()) {
        if (std::strcmp(shape->name()->c_str(), name.c_str()) == 0 && shape->data() != nullptr) {
          value = Value();
          value.type = Type::kInt48;
          value.rank = 1;
          value.elements = shape->data()->size() / sizeof(int64_t);
          value.sizes[0] = static_cast<int32_t>(value.elements);
          value.data = const_cast<uint8_t*>(shape->data()->data());
          return Error::Ok;
        }
      }
    }
    return find(name, value);
  }

  Error bind(const tosa::TosaOperator& op, Call& call) {
    const bool fits = op.outputs() != nullptr && op.outputs()->size() == 1 &&
                      op.inputs() != nullptr && op.inputs()->size() <= kMostInputs;
    ET_CHECK_OR_RETURN_ERROR(fits, NotSupported, "TOSA: an operator with too many inputs");
    call.op = &op;
    call.num_inputs = op.inputs()->size();
    for (uint32_t i = 0; i < op.inputs()->size(); ++i) {
      ET_CHECK_OK_OR_RETURN_ERROR(find_input(*op.inputs()->Get(i), call.inputs[i]));
    }
    return find(*op.outputs()->Get(0), call.output);
  }

  const tosa::TosaBasicBlock& block_;
  MemoryAllocator& memory_;
  Value* values_ = nullptr;
};

}  // namespace

size_t element_size(Type type) {
  constexpr size_t kSizes[] = {1, 1, 2, 4, 8};
  return kSizes[static_cast<size_t>(type)];
}

int64_t lowest(Type type) {
  constexpr int64_t kLowest[] = {0, INT8_MIN, INT16_MIN, INT32_MIN, -(int64_t{1} << 47)};
  return kLowest[static_cast<size_t>(type)];
}

int64_t highest(Type type) {
  constexpr int64_t kHighest[] = {1, INT8_MAX, INT16_MAX, INT32_MAX, (int64_t{1} << 47) - 1};
  return kHighest[static_cast<size_t>(type)];
}

}  // namespace tosa_test

Error run_tosa(const void* file, size_t size, Span<const TosaBuffer> inputs,
               Span<const TosaBuffer> outputs, MemoryAllocator& memory) {
  flatbuffers::Verifier verifier(static_cast<const uint8_t*>(file), size);
  ET_CHECK_OR_RETURN_ERROR(size >= 8 && tosa::VerifyTosaGraphBuffer(verifier), InvalidProgram,
                           "TOSA: what is said to be a file is none");
  const tosa::TosaGraph& graph = *tosa::GetTosaGraph(file);
  const bool is_one = graph.regions() != nullptr && graph.regions()->size() == 1 &&
                      graph.regions()->Get(0)->blocks() != nullptr &&
                      graph.regions()->Get(0)->blocks()->size() == 1;
  ET_CHECK_OR_RETURN_ERROR(is_one, NotSupported, "TOSA: graphs of one block only");
  const tosa::TosaBasicBlock& block = *graph.regions()->Get(0)->blocks()->Get(0);
  tosa_test::Run run(block, memory);
  ET_CHECK_OK_OR_RETURN_ERROR(run.prepare());
  ET_CHECK_OK_OR_RETURN_ERROR(run.copy(*block.inputs(), inputs, true));
  ET_CHECK_OK_OR_RETURN_ERROR(run.run());
  return run.copy(*block.outputs(), outputs, false);
}

}  // namespace arm
}  // namespace backends
}  // namespace executorch
