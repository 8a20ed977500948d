/**
 * @file
 * Calls registered kernels on behalf of another process, so that Python tests can compare any
 * kernel with eager PyTorch, under any sanitizer, without bindings.
 *
 * Reads requests from standard input and writes replies to standard output until the input ends.
 * All numbers are little-endian. A request is a u32 with its length, then:
 *
 *     string name; u32 repeat; u32 temp_bytes; u32 argument count; arguments...
 *
 * An argument is a u8 tag and its value:
 *
 *     'n'                                              none
 *     'i' i64 | 'd' f64 | 'b' u8 | 's' string
 *     'I' u32 n, i64[n] | 'D' u32 n, f64[n] | 'B' u32 n, u8[n]
 *     't' tensor                                       an input
 *     'o' tensor                                       an output, sent back
 *     'T' u32 n, (u8 tag, tensor)[n]                   a list; tag 't', 'o' or, for an absent one,
 * 'n' 'O' u32 n, (u8 tag, tensor)[n]                   a list of optional tensors
 *
 * with string = u32 length and bytes, and tensor = u8 dtype, u8 rank, u8 dynamism, i32 sizes[rank],
 * u8 dim_order[rank], i32 upper bounds[rank], u64 bytes of data, data (missing bytes are filled
 * with 0x5a).
 *
 * A reply is a u32 with its length, then u32 error, u64 least processor time of a call in
 * nanoseconds (this thread's), u64 least duration of one in nanoseconds, u32 number of outputs, and
 * for each one u8 rank, i32 sizes[rank], u64 bytes of data, data. Error 0xffffffff means that no
 * kernel was found.
 */

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <list>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::ArrayRef;
using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::BoxedEvalueList;
using executorch::runtime::EValue;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::Span;
using executorch::runtime::TensorMeta;
using executorch::runtime::TensorShapeDynamism;

constexpr uint32_t kNoKernel = 0xffffffff;

/// Reads values off a request; a request that is too short ends the process.
class Reader {
 public:
  explicit Reader(const std::vector<char>& bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  template <typename T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  const char* take(size_t n) {
    if (static_cast<size_t>(end_ - at_) < n) {
      std::fprintf(stderr, "op_driver: truncated request\n");
      std::exit(2);
    }
    const char* start = at_;
    at_ += n;
    return start;
  }
  std::string string() {
    const uint32_t n = get<uint32_t>();
    return std::string(take(n), n);
  }
  template <typename T>
  std::vector<T> array(size_t n) {
    std::vector<T> values(n);
    if (n > 0) {
      std::memcpy(values.data(), take(n * sizeof(T)), n * sizeof(T));
    }
    return values;
  }

 private:
  const char* at_;
  const char* end_;
};

class Writer {
 public:
  template <typename T>
  void put(T value) {
    append(&value, sizeof(value));
  }
  void append(const void* data, size_t n) {
    if (n > 0) {
      bytes_.insert(bytes_.end(), static_cast<const char*>(data),
                    static_cast<const char*>(data) + n);
    }
  }
  void send() const {
    const uint32_t size = static_cast<uint32_t>(bytes_.size());
    std::fwrite(&size, sizeof(size), 1, stdout);
    std::fwrite(bytes_.data(), 1, bytes_.size(), stdout);
    std::fflush(stdout);
  }

 private:
  std::vector<char> bytes_;
};

/// A tensor with everything it points at. Its memory has exactly the bytes it needs, for the
/// sanitizers' sake.
struct OwnedTensor {
  std::vector<SizesType> sizes;
  std::vector<DimOrderType> dim_order;
  std::vector<StridesType> strides;
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(char* memory) const { ::operator delete(memory, kAlignment); }
  };
  std::unique_ptr<char, Free> data;
  std::unique_ptr<TensorImpl> impl;
  ScalarType dtype = ScalarType::Undefined;

  explicit OwnedTensor(Reader& reader) {
    dtype = static_cast<ScalarType>(reader.get<uint8_t>());
    const size_t rank = reader.get<uint8_t>();
    const auto dynamism = static_cast<TensorShapeDynamism>(reader.get<uint8_t>());
    sizes = reader.array<SizesType>(rank);
    dim_order = reader.array<DimOrderType>(rank);
    const std::vector<SizesType> bounds = reader.array<SizesType>(rank);
    const size_t sent = reader.get<uint64_t>();
    const char* bytes = reader.take(sent);
    strides.resize(rank);
    StridesType stride = 1;
    for (size_t k = rank; k-- > 0;) {
      strides[dim_order[k]] = stride;
      stride *= bounds[dim_order[k]] == 0 ? 1 : bounds[dim_order[k]];
    }
    size_t capacity = executorch::runtime::elementSize(dtype);
    for (const SizesType bound : bounds) {
      capacity *= static_cast<size_t>(bound);
    }
    // At least one byte, since a kernel may be handed an empty tensor but not one without memory.
    // Aligned as PyTorch's tensors are, so that speeds compare.
    data.reset(static_cast<char*>(::operator new(capacity == 0 ? 1 : capacity, kAlignment)));
    std::memset(data.get(), 0x5a, capacity);
    if (sent > 0) {
      std::memcpy(data.get(), bytes, sent < capacity ? sent : capacity);
    }
    // The capacity comes from the bounds; then the tensor is brought to its present sizes.
    std::vector<SizesType> present = sizes;
    sizes = bounds;
    impl = std::make_unique<TensorImpl>(dtype, static_cast<ssize_t>(rank), sizes.data(), data.get(),
                                        dim_order.data(), strides.data(), dynamism);
    if (present != bounds) {
      Tensor t(impl.get());
      if (executorch::runtime::resize_tensor(t, {present.data(), present.size()}) !=
          executorch::runtime::Error::Ok) {
        std::fprintf(stderr, "op_driver: a tensor's sizes exceed its bounds\n");
        std::exit(2);
      }
    }
  }

  void write(Writer& writer) const {
    Tensor t(impl.get());
    writer.put(static_cast<uint8_t>(t.dim()));
    for (const SizesType size : t.sizes()) {
      writer.put(size);
    }
    writer.put(static_cast<uint64_t>(t.nbytes()));
    writer.append(t.const_data_ptr(), t.nbytes());
  }
};

/// The arguments of a call; everything that EValues point at lives here.
class Arguments {
 public:
  void read(Reader& reader, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      values_.push_back(read_value(reader));
    }
  }

  std::vector<EValue>& values() { return values_; }
  const std::vector<OwnedTensor*>& outputs() const { return outputs_; }
  std::vector<TensorMeta> metas() const {
    std::vector<TensorMeta> metas;
    for (const EValue& value : values_) {
      if (value.isTensor()) {
        const Tensor t = value.toTensor();
        metas.emplace_back(t.scalar_type(),
                           Span<DimOrderType>(const_cast<DimOrderType*>(t.dim_order().data()),
                                              t.dim_order().size()));
      }
    }
    return metas;
  }

 private:
  Tensor read_tensor(Reader& reader, char tag) {
    tensors_.emplace_back(reader);
    if (tag == 'o') {
      outputs_.push_back(&tensors_.back());
    }
    return Tensor(tensors_.back().impl.get());
  }

  EValue read_value(Reader& reader) {
    const char tag = reader.get<char>();
    switch (tag) {
      case 'i':
        return EValue(reader.get<int64_t>());
      case 'd':
        return EValue(reader.get<double>());
      case 'b':
        return EValue(reader.get<uint8_t>() != 0);
      case 's': {
        strings_.push_back(reader.string());
        const std::string& s = strings_.back();
        chars_.emplace_back(s.data(), s.size());
        return EValue(&chars_.back());
      }
      case 'I':
        return read_ints(reader);
      case 'D': {
        const uint32_t n = reader.get<uint32_t>();
        doubles_.push_back(reader.array<double>(n));
        double_refs_.emplace_back(doubles_.back().data(), n);
        return EValue(&double_refs_.back());
      }
      case 'B': {
        const uint32_t n = reader.get<uint32_t>();
        bools_.emplace_back(new bool[n + 1]);
        std::memcpy(bools_.back().get(), reader.take(n), n);
        bool_refs_.emplace_back(bools_.back().get(), n);
        return EValue(&bool_refs_.back());
      }
      case 't':
      case 'o':
        return EValue(read_tensor(reader, tag));
      case 'T':
        return read_tensors(reader);
      case 'O':
        return read_optional_tensors(reader);
      default:
        return EValue();
    }
  }

  EValue read_ints(Reader& reader) {
    const uint32_t n = reader.get<uint32_t>();
    std::vector<EValue*> pointers;
    for (const int64_t value : reader.array<int64_t>(n)) {
      elements_.emplace_back(value);
      pointers.push_back(&elements_.back());
    }
    pointers_.push_back(pointers);
    int_storage_.emplace_back(n + 1);
    int_lists_.emplace_back(pointers_.back().data(), int_storage_.back().data(),
                            static_cast<int>(n));
    return EValue(&int_lists_.back());
  }

  EValue read_tensors(Reader& reader) {
    const uint32_t n = reader.get<uint32_t>();
    std::vector<EValue*> pointers;
    for (uint32_t i = 0; i < n; ++i) {
      const char tag = reader.get<char>();
      elements_.emplace_back(read_tensor(reader, tag));
      pointers.push_back(&elements_.back());
    }
    pointers_.push_back(pointers);
    tensor_storage_.emplace_back(static_cast<Tensor*>(std::malloc((n + 1) * sizeof(Tensor))),
                                 &std::free);
    tensor_lists_.emplace_back(pointers_.back().data(), tensor_storage_.back().get(),
                               static_cast<int>(n));
    return EValue(&tensor_lists_.back());
  }

  EValue read_optional_tensors(Reader& reader) {
    const uint32_t n = reader.get<uint32_t>();
    std::vector<EValue*> pointers;
    for (uint32_t i = 0; i < n; ++i) {
      const char tag = reader.get<char>();
      if (tag == 'n') {
        elements_.emplace_back();
      } else {
        elements_.emplace_back(read_tensor(reader, tag));
      }
      pointers.push_back(&elements_.back());
    }
    pointers_.push_back(pointers);
    optional_storage_.emplace_back(n + 1);
    optional_lists_.emplace_back(pointers_.back().data(), optional_storage_.back().data(),
                                 static_cast<int>(n));
    return EValue(&optional_lists_.back());
  }

  std::vector<EValue> values_;
  std::vector<OwnedTensor*> outputs_;
  // Lists, because their elements never move.
  std::list<OwnedTensor> tensors_;
  std::list<EValue> elements_;
  std::list<std::string> strings_;
  std::list<ArrayRef<char>> chars_;
  std::list<std::vector<double>> doubles_;
  std::list<ArrayRef<double>> double_refs_;
  std::list<std::unique_ptr<bool[]>> bools_;
  std::list<ArrayRef<bool>> bool_refs_;
  std::list<std::vector<EValue*>> pointers_;
  std::list<std::vector<int64_t>> int_storage_;
  std::list<BoxedEvalueList<int64_t>> int_lists_;
  std::list<std::unique_ptr<Tensor, decltype(&std::free)>> tensor_storage_;
  std::list<BoxedEvalueList<Tensor>> tensor_lists_;
  std::list<std::vector<std::optional<Tensor>>> optional_storage_;
  std::list<BoxedEvalueList<std::optional<Tensor>>> optional_lists_;
};

/// By CLOCK_THREAD_CPUTIME_ID processor time of this thread: other processes do not count.
uint64_t nanoseconds(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void serve(const std::vector<char>& request) {
  Reader reader(request);
  const std::string name = reader.string();
  const uint32_t repeat = reader.get<uint32_t>();
  std::vector<uint8_t> temp(reader.get<uint32_t>());
  const uint32_t count = reader.get<uint32_t>();
  Arguments arguments;
  arguments.read(reader, count);

  std::vector<EValue*> stack;
  for (EValue& value : arguments.values()) {
    stack.push_back(&value);
  }
  EValue result;
  stack.push_back(&result);
  const std::vector<TensorMeta> metas = arguments.metas();
  const auto kernel = executorch::runtime::get_op_function_from_registry(
      name.c_str(), Span<const TensorMeta>(metas.data(), metas.size()));
  uint32_t error = kNoKernel;
  uint64_t least = UINT64_MAX;
  uint64_t shortest = UINT64_MAX;
  if (kernel.ok()) {
    for (uint32_t i = 0; i < repeat; ++i) {
      MemoryAllocator allocator(static_cast<uint32_t>(temp.size()), temp.data());
      KernelRuntimeContext context(nullptr, temp.empty() ? nullptr : &allocator);
      const uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
      const uint64_t start = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
      (*kernel)(context, Span<EValue*>(stack.data(), stack.size()));
      least = std::min(least, nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start);
      shortest = std::min(shortest, nanoseconds(CLOCK_MONOTONIC) - begin);
      error = static_cast<uint32_t>(context.failure_state());
    }
  }
  Writer reply;
  reply.put(error);
  reply.put(least);
  reply.put(shortest);
  reply.put(static_cast<uint32_t>(arguments.outputs().size()));
  for (const OwnedTensor* output : arguments.outputs()) {
    output->write(reply);
  }
  reply.send();
}

}  // namespace

int main() {
  executorch::runtime::runtime_init();
  uint32_t size = 0;
  while (std::fread(&size, sizeof(size), 1, stdin) == 1) {
    std::vector<char> request(size);
    if (std::fread(request.data(), 1, size, stdin) != size) {
      return 2;
    }
    serve(request);
  }
  return 0;
}
