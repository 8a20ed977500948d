/// Tensors that own their data, and a module whose file is not there.

#include <cstdio>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::extension::full;
using executorch::extension::make_tensor_ptr;
using executorch::extension::Module;

int main() {
  executorch::runtime::runtime_init();
  auto a = make_tensor_ptr({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
  auto b = full({2, 3}, 10.0f);
  Module module("there_is_no_such_file.pte");
  const auto result = module.forward({a, b});
  std::printf("extension: %g %s\n", a->const_data_ptr<float>()[5],
              executorch::runtime::to_string(result.error()));
  return !result.ok() && a->const_data_ptr<float>()[5] == 6 && b->numel() == 6 ? 0 : 1;
}
