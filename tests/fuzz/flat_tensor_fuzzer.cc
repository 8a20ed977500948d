// A .ptd file: its header, its table, every key's layout and data.

#include <memory>
#include <vector>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/quiet.h>

namespace {

using executorch::extension::BufferDataLoader;
using executorch::extension::FlatTensorDataMap;
using executorch::runtime::Error;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::NamedDataMap;
using executorch::runtime::Result;
using executorch::runtime::TensorLayout;

uint64_t mix(uint64_t digest, uint64_t value) { return (digest ^ value) * 0x100000001b3u; }

uint64_t digest_of(const void* data, size_t size, uint64_t digest) {
  for (size_t i = 0; i < size; ++i) {
    digest = mix(digest, static_cast<const uint8_t*>(data)[i]);
  }
  return digest;
}

bool read_key(const NamedDataMap& map, const char* key, uint64_t* digest) {
  const Result<const TensorLayout> layout = map.get_tensor_layout(key);
  if (layout.ok()) {
    for (const int32_t size : layout->sizes()) {
      *digest = mix(*digest, static_cast<uint64_t>(size));
    }
    *digest = mix(*digest, layout->nbytes());
    if (layout->nbytes() <= 1 << 20) {
      std::vector<uint8_t> copy(layout->nbytes());
      if (map.load_data_into(key, copy.data(), copy.size()) != Error::Ok) {
        return false;
      }
    }
  }
  const Result<FreeableBuffer> data = map.get_data(key);
  if (!data.ok()) {
    return false;
  }
  *digest = digest_of(data->data(), data->size(), *digest);
  return true;
}

bool run(const uint8_t* data, size_t size, uint64_t* digest) {
  executorch::fuzz::silence_log();
  *digest = 0xcbf29ce484222325u;
  // A copy of exactly this size: one byte beyond it belongs to somebody else.
  const std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
  std::copy(data, data + size, copy.get());
  BufferDataLoader loader(copy.get(), size);
  const Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&loader);
  if (!map.ok()) {
    return false;
  }
  const uint32_t num_keys = *map->get_num_keys();
  bool ok = true;
  for (uint32_t i = 0; i < num_keys; ++i) {
    const Result<const char*> key = map->get_key(i);
    ok = key.ok() && read_key(*map, *key, digest) && ok;
  }
  ok = map->get_key(num_keys).error() == Error::InvalidArgument && ok;
  (void)map->get_data("no such key");
  (void)executorch::extension::MergedDataMap::load({&map.get()});
  return ok;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint64_t digest = 0;
  run(data, size, &digest);
  return 0;
}

extern "C" bool FuzzTargetResult(const uint8_t* data, size_t size, uint64_t* digest) {
  return run(data, size, digest);
}
