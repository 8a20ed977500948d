/// @file
/// Runs `forward` of programs on inputs of ones, twice, and prints what comes of it: where
/// `MODEL.pte.expected` lies beside one (its first output, float32), how far it is from that.
/// `check.sh` builds it.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::extension::Module;
using executorch::extension::TensorPtr;
using executorch::runtime::EValue;

/// How far a result may be from what is expected, in parts of its largest number.
constexpr float kTolerance = 0.02F;

bool make_inputs(Module& module, std::vector<TensorPtr>& kept, std::vector<EValue>& inputs) {
  const auto meta = module.method_meta("forward");
  for (size_t i = 0; meta.ok() && i < meta->num_inputs(); ++i) {
    const auto info = meta->input_tensor_meta(i);
    if (!info.ok()) {
      return false;
    }
    kept.push_back(executorch::extension::ones({info->sizes().begin(), info->sizes().end()},
                                               info->scalar_type()));
    inputs.emplace_back(*kept.back());
  }
  return meta.ok();
}

void print(size_t index, const Tensor& tensor) {
  std::printf("  output %zu, %zd elements:", index, static_cast<ptrdiff_t>(tensor.numel()));
  const bool is_float = tensor.scalar_type() == ScalarType::Float;
  for (int i = 0; is_float && i < 8 && i < static_cast<int>(tensor.numel()); ++i) {
    std::printf(" %g", static_cast<double>(tensor.const_data_ptr<float>()[i]));
  }
  std::printf("\n");
}

/// False where the output is too far from the file, or of another size. Not a number is far.
bool compare(const std::string& path, const EValue& output) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    return true;
  }
  std::vector<float> expected(static_cast<size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(expected.data()),
            static_cast<std::streamsize>(expected.size() * sizeof(float)));
  if (!output.isTensor() || output.toTensor().scalar_type() != ScalarType::Float ||
      static_cast<size_t>(output.toTensor().numel()) != expected.size()) {
    std::printf("  the output is no tensor of %zu floats\n", expected.size());
    return false;
  }
  const float* const got = output.toTensor().const_data_ptr<float>();
  float largest = 0;
  float difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const float apart = std::fabs(got[i] - expected[i]);
    largest = std::max(largest, std::fabs(expected[i]));
    difference = std::isnan(apart) ? INFINITY : std::max(difference, apart);
  }
  std::printf("  largest difference %.1e of %g\n", static_cast<double>(difference),
              static_cast<double>(largest));
  return difference <= kTolerance * largest;
}

bool run(const std::string& path) {
  std::printf("%s\n", path.c_str());
  Module module(path);
  std::vector<TensorPtr> kept;
  std::vector<EValue> inputs;
  if (!make_inputs(module, kept, inputs)) {
    std::fprintf(stderr, "run: %s has no forward whose inputs are tensors\n", path.c_str());
    return false;
  }
  bool is_near = true;
  for (int turn = 0; turn < 2; ++turn) {
    const auto start = std::chrono::steady_clock::now();
    const auto outputs = module.forward(inputs);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (!outputs.ok()) {
      std::fprintf(stderr, "run: forward failed with %u\n", static_cast<unsigned>(outputs.error()));
      return false;
    }
    for (size_t i = 0; turn == 1 && i < outputs->size(); ++i) {
      if ((*outputs)[i].isTensor()) {
        print(i, (*outputs)[i].toTensor());
      }
    }
    std::printf("  %.2f ms%s\n", took.count(), turn == 0 ? ", loading included" : "");
    is_near = outputs->empty() || compare(path + ".expected", (*outputs)[0]);
  }
  return is_near;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: run MODEL.pte ...\n");
    return 2;
  }
  int failed = 0;
  for (int i = 1; i < argc; ++i) {
    failed += run(argv[i]) ? 0 : 1;
  }
  std::printf("%d programs, %d of them failed or too far\n", argc - 1, failed);
  return failed == 0 ? 0 : 1;
}
