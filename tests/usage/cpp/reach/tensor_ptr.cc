// Tensors of the extension, filled and summed by the algorithms of the standard library.
#include <executorch/extension/tensor/tensor.h>

float sum_of_tensor_ptr();

float sum_of_tensor_ptr() {
  std::vector<float> values(10);
  std::iota(values.begin(), values.end(), 1.0f);
  std::reverse(values.begin(), values.end());
  const auto tensor = executorch::extension::make_tensor_ptr({2, 5}, values);
  const float* data = tensor->const_data_ptr<float>();
  return std::accumulate(data, data + tensor->numel(), 0.0f);
}
