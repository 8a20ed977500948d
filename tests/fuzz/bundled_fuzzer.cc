// A bundled program: its program, its inputs given to the method, its expected outputs compared.

#include <memory>
#include <vector>

#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/tests/fuzz/digest.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/quiet.h>

namespace {

namespace bundled = executorch::bundled_program;
using executorch::extension::BufferDataLoader;
using executorch::fuzz::Digest;
using executorch::runtime::Error;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::Method;
using executorch::runtime::MethodMeta;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::Span;
using executorch::runtime::testing::PteFile;

constexpr size_t kMethodBytes = 64 * 1024;
constexpr int64_t kMostPlanned = 1 << 20;
constexpr size_t kMostCases = 4;

bool run_cases(Method& method, const void* bundle, Digest& digest) {
  bool ok = true;
  for (size_t i = 0; i < kMostCases; ++i) {
    if (bundled::load_bundled_input(method, bundle, i) != Error::Ok) {
      return ok && i > 0;
    }
    ok = method.execute() == Error::Ok && ok;
    const Error verified = bundled::verify_method_outputs(method, bundle, i);
    const bundled::ErrorStats stats = bundled::compute_method_output_error_stats(method, bundle, i);
    digest.add(static_cast<uint64_t>(verified));
    digest.add(&stats, sizeof(stats.status));
    // The corpus has the right outputs; that others are noticed is what a damaged file shows.
    ok = verified == Error::Ok && ok;
  }
  return ok;
}

bool run_method(const Program& program, const char* name, const void* bundle, Digest& digest) {
  const Result<MethodMeta> meta = program.method_meta(name);
  if (!meta.ok()) {
    return false;
  }
  std::vector<std::unique_ptr<uint8_t[]>> buffers;
  std::vector<Span<uint8_t>> spans;
  for (size_t i = 0; i < meta->num_memory_planned_buffers(); ++i) {
    const Result<int64_t> size = meta->memory_planned_buffer_size(i);
    if (!size.ok() || *size > kMostPlanned) {
      return false;
    }
    buffers.emplace_back(new uint8_t[static_cast<size_t>(*size)]());
    spans.emplace_back(buffers.back().get(), static_cast<size_t>(*size));
  }
  HierarchicalAllocator planned({spans.data(), spans.size()});
  const std::unique_ptr<uint8_t[]> memory(new uint8_t[kMethodBytes]);
  MemoryAllocator allocator(kMethodBytes, memory.get());
  MemoryManager manager(&allocator, &planned);
  Result<Method> method = program.load_method(name, &manager);
  return method.ok() && run_cases(*method, bundle, digest);
}

bool run(const uint8_t* data, size_t size, Digest& digest) {
  // Aligned as a bundle wants to be, and not a byte longer than it is.
  const PteFile file(data, size);
  const void* program_data = nullptr;
  size_t program_size = 0;
  (void)bundled::is_bundled_program(file.data(), size);
  if (bundled::get_program_data(file.data(), size, &program_data, &program_size) != Error::Ok) {
    return false;
  }
  if (!bundled::is_bundled_program(file.data(), size)) {
    return false;
  }
  BufferDataLoader loader(program_data, program_size);
  const Result<Program> program =
      Program::load(&loader, Program::Verification::InternalConsistency);
  if (!program.ok() || program->num_methods() == 0) {
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i < program->num_methods() && i < kMostCases; ++i) {
    const Result<const char*> name = program->get_method_name(i);
    ok = name.ok() && run_method(*program, *name, file.data(), digest) && ok;
  }
  return ok;
}

}  // namespace

extern "C" bool FuzzTargetResult(const uint8_t* data, size_t size, uint64_t* result) {
  executorch::fuzz::silence_log();
  Digest digest;
  const bool ok = run(data, size, digest);
  *result = digest.value;
  return ok;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint64_t digest = 0;
  (void)FuzzTargetResult(data, size, &digest);
  return 0;
}
