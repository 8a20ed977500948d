/// Runs a program with one delegate of Ethos-U on many inputs, its NPU the test driver:
///
///     ethosu_run PROGRAM COMMANDS TOSA INPUTS OUTPUTS
///
/// COMMANDS says which command stream stands for the TOSA file, as the report writes it: its hash
/// of 8 bytes, the numbers of inputs and outputs of 4 bytes each, then their rows as in the blob.
/// INPUTS has the program's first input again and again, OUTPUTS gets its first output for each.

#include <cstdio>
#include <cstring>
#include <vector>

#include <executorch/backends/arm/runtime/testing/test_driver.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

namespace {

using executorch::backends::arm::TestProgram;
using executorch::extension::Module;
using executorch::runtime::Error;

constexpr size_t kRowBytes = 9 * sizeof(int32_t);
// For what the test driver calculates on the way.
constexpr size_t kMemory = size_t{256} << 20;

// A file, at a multiple of 8: a graph is read in place.
struct Bytes {
  std::vector<uint64_t> words;
  size_t size = 0;

  const uint8_t* data() const { return reinterpret_cast<const uint8_t*>(words.data()); }
};

bool read(const char* path, Bytes& bytes) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr || std::fseek(file, 0, SEEK_END) != 0) {
    std::fprintf(stderr, "%s cannot be read\n", path);
    return false;
  }
  bytes.size = static_cast<size_t>(std::ftell(file));
  bytes.words.resize(bytes.size / sizeof(uint64_t) + 1);
  std::rewind(file);
  const bool whole = std::fread(bytes.words.data(), 1, bytes.size, file) == bytes.size;
  std::fclose(file);
  return whole;
}

int fail(const char* what, Error error) {
  std::fprintf(stderr, "%s: %s\n", what, executorch::runtime::to_string(error));
  return 1;
}

bool known_program(const Bytes& commands, const Bytes& tosa, TestProgram& program) {
  uint32_t counts[2];
  constexpr size_t kHead = sizeof(program.commands_hash) + sizeof(counts);
  if (commands.size < kHead) {
    return false;
  }
  std::memcpy(&program.commands_hash, commands.data(), sizeof(program.commands_hash));
  std::memcpy(counts, commands.data() + sizeof(program.commands_hash), sizeof(counts));
  program.tosa = tosa.data();
  program.tosa_size = tosa.size;
  program.inputs = {commands.data() + kHead, counts[0]};
  program.outputs = {commands.data() + kHead + kRowBytes * counts[0], counts[1]};
  return commands.size == kHead + kRowBytes * (size_t{counts[0]} + counts[1]);
}

int run(Module& module, Bytes& inputs, std::FILE* outputs) {
  const auto meta = module.method_meta("forward");
  if (!meta.ok()) {
    return fail("loading the program", meta.error());
  }
  const auto info = meta->input_tensor_meta(0);
  if (!info.ok() || info->nbytes() == 0 || inputs.size % info->nbytes() != 0) {
    std::fprintf(stderr, "%zu bytes are no inputs of this program\n", inputs.size);
    return 1;
  }
  uint8_t* const data = reinterpret_cast<uint8_t*>(inputs.words.data());
  for (size_t at = 0; at < inputs.size; at += info->nbytes()) {
    const auto input = executorch::extension::from_blob(
        data + at, {info->sizes().begin(), info->sizes().end()}, info->scalar_type());
    const auto made = module.forward(input);
    if (!made.ok()) {
      return fail("running the program", made.error());
    }
    const auto& output = made->at(0).toTensor();
    if (std::fwrite(output.const_data_ptr(), 1, output.nbytes(), outputs) != output.nbytes()) {
      std::fprintf(stderr, "the outputs cannot be written\n");
      return 1;
    }
  }
  const size_t runs = executorch::backends::arm::test_driver_runs();
  std::printf("%zu runs of the driver\n", runs);
  return runs == inputs.size / info->nbytes() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Bytes commands;
  Bytes tosa;
  Bytes inputs;
  TestProgram program{};
  if (argc != 6 || !read(argv[2], commands) || !read(argv[3], tosa) || !read(argv[4], inputs) ||
      !known_program(commands, tosa, program)) {
    std::fprintf(stderr, "usage: ethosu_run PROGRAM COMMANDS TOSA INPUTS OUTPUTS\n");
    return 2;
  }
  std::vector<uint8_t> memory(kMemory);
  executorch::backends::arm::set_test_programs({&program, 1}, {memory.data(), memory.size()});
  std::FILE* const outputs = std::fopen(argv[5], "wb");
  if (outputs == nullptr) {
    std::fprintf(stderr, "%s cannot be written\n", argv[5]);
    return 1;
  }
  Module module(argv[1]);
  const int status = run(module, inputs, outputs);
  return std::fclose(outputs) == 0 ? status : 1;
}
