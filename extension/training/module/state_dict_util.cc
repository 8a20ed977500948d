#include <utility>
#include <vector>

#include <executorch/extension/training/module/state_dict_util.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace training {
namespace {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::TensorLayout;

Result<TensorPtr> load_tensor(const NamedDataMap& data_map, const char* key) {
  const Result<const TensorLayout> layout = data_map.get_tensor_layout(key);
  if (!layout.ok()) {
    return layout.error();
  }
  Result<FreeableBuffer> data = data_map.get_data(key);
  if (!data.ok()) {
    return data.error();
  }
  ET_CHECK_OR_RETURN_ERROR(data->size() >= layout->nbytes(), InvalidExternalData,
                           "The tensor %s has %zu bytes, its shape needs %zu", key, data->size(),
                           layout->nbytes());
  const Result<const void*> bytes = data->data_safe();
  if (!bytes.ok()) {
    return bytes.error();
  }
  const auto* begin = static_cast<const uint8_t*>(*bytes);
  return make_tensor_ptr({layout->sizes().begin(), layout->sizes().end()},
                         std::vector<uint8_t>(begin, begin + layout->nbytes()),
                         {layout->dim_order().begin(), layout->dim_order().end()}, {},
                         layout->scalar_type());
}

}  // namespace

Result<std::map<std::string, TensorPtr>> load_state_dict(const NamedDataMap& data_map) {
  const Result<uint32_t> count = data_map.get_num_keys();
  if (!count.ok()) {
    return count.error();
  }
  std::map<std::string, TensorPtr> tensors;
  for (uint32_t i = 0; i < *count; ++i) {
    const Result<const char*> key = data_map.get_key(i);
    if (!key.ok()) {
      return key.error();
    }
    Result<TensorPtr> tensor = load_tensor(data_map, *key);
    if (!tensor.ok()) {
      return tensor.error();
    }
    tensors.emplace(*key, std::move(*tensor));
  }
  return tensors;
}

}  // namespace training
}  // namespace extension
}  // namespace executorch
