/// @file
/// Runs a program's `forward` on inputs of ones, twice, and prints what comes of it. `check.sh`
/// builds it.

#include <chrono>
#include <cstdio>
#include <vector>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

namespace {

using executorch::extension::Module;
using executorch::extension::TensorPtr;
using executorch::runtime::EValue;

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

void print(size_t index, const executorch::aten::Tensor& tensor) {
  std::printf("output %zu, %zd elements:", index, static_cast<ptrdiff_t>(tensor.numel()));
  const bool is_float = tensor.scalar_type() == executorch::aten::ScalarType::Float;
  for (int i = 0; is_float && i < 8 && i < static_cast<int>(tensor.numel()); ++i) {
    std::printf(" %g", static_cast<double>(tensor.const_data_ptr<float>()[i]));
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: run MODEL.pte\n");
    return 2;
  }
  Module module(argv[1]);
  std::vector<TensorPtr> kept;
  std::vector<EValue> inputs;
  if (!make_inputs(module, kept, inputs)) {
    std::fprintf(stderr, "run: %s has no forward whose inputs are tensors\n", argv[1]);
    return 1;
  }
  for (int turn = 0; turn < 2; ++turn) {
    const auto start = std::chrono::steady_clock::now();
    const auto outputs = module.forward(inputs);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (!outputs.ok()) {
      std::fprintf(stderr, "run: forward failed with %u\n", static_cast<unsigned>(outputs.error()));
      return 1;
    }
    for (size_t i = 0; i < outputs->size(); ++i) {
      if ((*outputs)[i].isTensor()) {
        print(i, (*outputs)[i].toTensor());
      }
    }
    std::printf("%.2f ms%s\n", took.count(), turn == 0 ? ", loading included" : "");
  }
  return 0;
}
