/// A program of somebody else: loads a `.pte`, feeds its tensor inputs from a file, writes its
/// first output.
///
///     run_program PROGRAM.pte INPUT.bin OUTPUT.bin
///
/// INPUT holds the raw bytes of all tensor inputs one after another, any number of times; the
/// method runs once for each time. OUTPUT receives the raw bytes of the first output of each run.

#include <cstdint>
#include <cstdio>
#include <vector>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::extension::FileDataLoader;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::Method;
using executorch::runtime::MethodMeta;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::Span;
using executorch::runtime::Tag;
using executorch::runtime::TensorInfo;

namespace {

constexpr size_t kMethodPoolBytes = size_t{1} << 20;

int fail(const char* what, Error error) {
  std::fprintf(stderr, "run_program: %s: error 0x%x\n", what, static_cast<unsigned>(error));
  return 1;
}

std::vector<uint8_t> read_file(const char* path) {
  std::vector<uint8_t> bytes;
  if (std::FILE* file = std::fopen(path, "rb")) {
    uint8_t block[4096];
    for (size_t got = 0; (got = std::fread(block, 1, sizeof(block), file)) > 0;) {
      bytes.insert(bytes.end(), block, block + got);
    }
    std::fclose(file);
  }
  return bytes;
}

/// The memory that the plan of the method asks for.
struct Planned {
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<Span<uint8_t>> spans;
};

Error set_aside(const MethodMeta& meta, Planned& planned) {
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    const Result<int64_t> size = meta.memory_planned_buffer_size(i);
    if (!size.ok()) {
      return size.error();
    }
    planned.buffers.emplace_back(static_cast<size_t>(*size));
  }
  for (std::vector<uint8_t>& buffer : planned.buffers) {
    planned.spans.emplace_back(buffer.data(), buffer.size());
  }
  return Error::Ok;
}

/// Points the tensor inputs at `data` and moves it behind them; stops short when fewer than `left`
/// bytes follow.
Error set_inputs(Method& method, uint8_t*& data, size_t& left) {
  const MethodMeta meta = method.method_meta();
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    const Result<Tag> tag = meta.input_tag(i);
    if (!tag.ok() || *tag != Tag::Tensor) {
      continue;
    }
    const Result<TensorInfo> info = meta.input_tensor_meta(i);
    if (!info.ok()) {
      return info.error();
    }
    if (info->nbytes() > left) {
      return Error::InvalidArgument;
    }
    std::vector<TensorImpl::SizesType> sizes(info->sizes().begin(), info->sizes().end());
    std::vector<TensorImpl::DimOrderType> order(info->dim_order().begin(), info->dim_order().end());
    TensorImpl impl(info->scalar_type(), static_cast<ssize_t>(sizes.size()), sizes.data(), data,
                    order.data());
    const Error error = method.set_input(EValue(Tensor(&impl)), i);
    if (error != Error::Ok) {
      return error;
    }
    data += info->nbytes();
    left -= info->nbytes();
  }
  return Error::Ok;
}

int run(Method& method, std::vector<uint8_t> input, std::FILE* output) {
  uint8_t* data = input.data();
  size_t left = input.size();
  while (left > 0) {
    Error error = set_inputs(method, data, left);
    if (error != Error::Ok) {
      return fail("setting inputs", error);
    }
    error = method.execute();
    if (error != Error::Ok) {
      return fail("executing", error);
    }
    const Tensor& result = method.get_output(0).toTensor();
    std::fwrite(result.const_data_ptr(), 1, result.nbytes(), output);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: run_program PROGRAM.pte INPUT.bin OUTPUT.bin\n");
    return 2;
  }
  executorch::runtime::runtime_init();
  Result<FileDataLoader> loader = FileDataLoader::from(argv[1]);
  if (!loader.ok()) {
    return fail("opening the program", loader.error());
  }
  Result<Program> program =
      Program::load(&loader.get(), Program::Verification::InternalConsistency);
  if (!program.ok()) {
    return fail("loading the program", program.error());
  }
  const Result<MethodMeta> meta = program->method_meta("forward");
  if (!meta.ok()) {
    return fail("finding the method", meta.error());
  }
  Planned planned;
  const Error set = set_aside(*meta, planned);
  if (set != Error::Ok) {
    return fail("reading the memory plan", set);
  }
  std::vector<uint8_t> pool(kMethodPoolBytes);
  MemoryAllocator allocator(static_cast<uint32_t>(pool.size()), pool.data());
  HierarchicalAllocator memory({planned.spans.data(), planned.spans.size()});
  MemoryManager manager(&allocator, &memory);
  Result<Method> method = program->load_method("forward", &manager);
  if (!method.ok()) {
    return fail("loading the method", method.error());
  }
  std::FILE* output = std::fopen(argv[3], "wb");
  if (output == nullptr) {
    std::fprintf(stderr, "run_program: cannot write %s\n", argv[3]);
    return 1;
  }
  const int status = run(*method, read_file(argv[2]), output);
  return std::fclose(output) == 0 ? status : 1;
}
