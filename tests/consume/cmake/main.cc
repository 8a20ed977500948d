/// A program of somebody else: loads a `.pte` and runs it once on a single float input, all through
/// `Module`.
///
///     run_program PROGRAM.pte INPUT.bin
///
/// INPUT holds the raw float32 elements of the input. Prints one score per line.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

using executorch::extension::from_blob;
using executorch::extension::Module;
using executorch::runtime::Error;

namespace {

int fail(const char* what, Error error) {
  std::fprintf(stderr, "run_program: %s: error 0x%x\n", what, static_cast<unsigned>(error));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: run_program PROGRAM.pte INPUT.bin\n");
    return 2;
  }
  Module module(argv[1]);
  const auto meta = module.method_meta("forward");
  if (!meta.ok()) {
    return fail("loading forward", meta.error());
  }
  const auto info = meta->input_tensor_meta(0);
  if (!info.ok()) {
    return fail("reading what forward takes", info.error());
  }
  std::ifstream file(argv[2], std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() != info->nbytes()) {
    std::fprintf(stderr, "run_program: %s has %zu bytes, forward takes %zu\n", argv[2],
                 bytes.size(), info->nbytes());
    return 1;
  }
  const auto input =
      from_blob(bytes.data(), {info->sizes().begin(), info->sizes().end()}, info->scalar_type());
  const auto outputs = module.forward(input);
  if (!outputs.ok()) {
    return fail("running forward", outputs.error());
  }
  const auto& scores = outputs->at(0).toTensor();
  for (ssize_t i = 0; i < scores.numel(); ++i) {
    std::printf("%.9g\n", static_cast<double>(scores.const_data_ptr<float>()[i]));
  }
  return 0;
}
