// Runs a TOSA file: tosa_run FILE (INPUT)* -- (OUTPUT)*. All files are raw bytes; outputs exist
// already, of the sizes that are written.

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <executorch/backends/arm/runtime/testing/tosa_graph.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::backends::arm::TosaBuffer;

constexpr size_t kMemory = size_t{512} << 20;

std::vector<uint64_t> read(const char* path, size_t& size) {
  std::FILE* const file = std::fopen(path, "rb");
  std::vector<uint64_t> bytes;
  if (file == nullptr) {
    size = 0;
    return bytes;
  }
  std::fseek(file, 0, SEEK_END);
  size = static_cast<size_t>(std::ftell(file));
  std::rewind(file);
  bytes.resize(size / sizeof(uint64_t) + 1);
  size = std::fread(bytes.data(), 1, size, file);
  std::fclose(file);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  executorch::runtime::runtime_init();
  std::vector<std::vector<uint64_t>> memory;
  std::vector<TosaBuffer> buffers[2];
  std::vector<const char*> outputs;
  size_t side = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") == 0) {
      side = 1;
      continue;
    }
    size_t size = 0;
    memory.push_back(read(argv[i], size));
    buffers[side].push_back({reinterpret_cast<uint8_t*>(memory.back().data()), size});
    if (side == 1) {
      outputs.push_back(argv[i]);
    }
  }
  if (buffers[0].empty()) {
    std::fprintf(stderr, "usage: tosa_run FILE (INPUT)* -- (OUTPUT)*\n");
    return 2;
  }
  const std::unique_ptr<uint8_t[]> arena(new uint8_t[kMemory]);
  executorch::runtime::MemoryAllocator allocator(kMemory, arena.get());
  const auto error = executorch::backends::arm::run_tosa(
      buffers[0][0].data, buffers[0][0].size, {buffers[0].data() + 1, buffers[0].size() - 1},
      {buffers[1].data(), buffers[1].size()}, allocator);
  if (error != executorch::runtime::Error::Ok) {
    return 1;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::FILE* const file = std::fopen(outputs[i], "wb");
    std::fwrite(buffers[1][i].data, 1, buffers[1][i].size, file);
    std::fclose(file);
  }
  return 0;
}
