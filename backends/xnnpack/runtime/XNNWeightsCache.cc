#include <cinttypes>
#include <cstdio>

#include <executorch/backends/xnnpack/runtime/XNNWeightsCache.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace delegate {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

constexpr size_t kNotFound = SIZE_MAX;

XNNWeightsCache& self(void* context) { return *static_cast<XNNWeightsCache*>(context); }

/// XNNPACK calls it an offset; it only ever hands it back.
size_t offset_of(const Packed& packed) { return reinterpret_cast<size_t>(packed.data); }

}  // namespace

XNNWeightsCache::XNNWeightsCache(std::shared_ptr<PackedWeights> store)
    : provider_{this,
                &XNNWeightsCache::look_up,
                &XNNWeightsCache::reserve_space,
                &XNNWeightsCache::look_up_or_insert,
                &XNNWeightsCache::is_finalized,
                &XNNWeightsCache::offset_to_addr,
                &XNNWeightsCache::delete_cache},
      store_(std::move(store)) {}

Error XNNWeightsCache::initialize_for_runtime(runtime::MemoryAllocator* runtime_allocator,
                                              const runtime::NamedDataMap* named_data_map) {
  (void)runtime_allocator;
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  named_ = named_data_map;
  is_finalized_ = false;
  // Left over when a runtime could not be made.
  unpacked_.clear();
  names_.clear();
  packed_names_.clear();
  reserved_.clear();
  used_.clear();
  return Error::Ok;
}

Result<const uint8_t*> XNNWeightsCache::load_unpacked_data(const std::string& name) {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  ET_CHECK_OR_RETURN_ERROR(named_ != nullptr && !is_finalized_, InvalidState,
                           "XNNPACK: the weights cache has no data to load '%s' from",
                           name.c_str());
  const auto there = unpacked_.find(name);
  if (there != unpacked_.end()) {
    return static_cast<const uint8_t*>(there->second.data());
  }
  Result<FreeableBuffer> data = named_->get_data(name);
  if (!data.ok()) {
    ET_LOG(Error, "XNNPACK: no data for the weight '%s'", name.c_str());
    return data.error();
  }
  const auto* bytes = static_cast<const uint8_t*>(data->data());
  unpacked_.emplace(name, std::move(data.get()));
  names_[bytes] = name;
  return bytes;
}

void XNNWeightsCache::name_packed(const void* kernel, const void* bias, const std::string& name,
                                  size_t least_size) {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  const auto added = packed_names_.emplace(std::make_pair(kernel, bias), Name{name, least_size});
  if (!added.second && added.first->second.text != name) {
    added.first->second.text.clear();
  }
}

Result<std::vector<std::string>> XNNWeightsCache::finalize_for_runtime() {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  is_finalized_ = true;
  named_ = nullptr;
  unpacked_.clear();
  names_.clear();
  packed_names_.clear();
  reserved_.clear();
  // Without the file the weights are as good, and the log has the reason.
  (void)store_->save();
  return std::move(used_);
}

Error XNNWeightsCache::delete_packed_data(const std::vector<std::string>& names) {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  for (const std::string& name : names) {
    auto found = held_.lower_bound(PackedKey(name, 0));
    ET_CHECK_OR_RETURN_ERROR(found != held_.end() && found->first.first == name, InvalidArgument,
                             "XNNPACK: no packed weights '%s' in this cache", name.c_str());
    if (--found->second.uses == 0) {
      held_.erase(found);
    }
  }
  return Error::Ok;
}

size_t XNNWeightsCache::get_num_unpacked_data() const {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  return unpacked_.size();
}

std::vector<std::string> XNNWeightsCache::get_unpacked_data_names() const {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const auto& entry : unpacked_) {
    names.push_back(entry.first);
  }
  return names;
}

size_t XNNWeightsCache::get_num_packed_data() const {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  return held_.size();
}

std::vector<std::string> XNNWeightsCache::get_packed_data_names() const {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const auto& entry : held_) {
    names.push_back(entry.first.first);
  }
  return names;
}

bool XNNWeightsCache::find_name(const xnn_weights_cache_look_up_key& key, Name& name) const {
  const auto packed = packed_names_.find({key.kernel, key.bias});
  if (packed != packed_names_.end()) {
    name = packed->second;
    return !name.text.empty();
  }
  const auto kernel = names_.find(key.kernel);
  const auto bias = names_.find(key.bias);
  if (kernel == names_.end() || (key.bias != nullptr && bias == names_.end())) {
    return false;
  }
  name.text = kernel->second;
  if (key.bias != nullptr) {
    name.text += bias->second;
  }
  return true;
}

size_t XNNWeightsCache::use(const PackedKey& key, std::shared_ptr<const Packed> packed) {
  const size_t offset = offset_of(*packed);
  Held& held = held_[key];
  held.packed = std::move(packed);
  ++held.uses;
  used_.push_back(key.first);
  return offset;
}

size_t XNNWeightsCache::look_up(void* context, const xnn_weights_cache_look_up_key* key) {
  XNNWeightsCache& cache = self(context);
  const std::lock_guard<runtime::Mutex> lock(cache.mutex_);
  Name name;
  if (!cache.find_name(*key, name)) {
    return kNotFound;
  }
  const PackedKey packed_key(name.text, key->seed);
  std::shared_ptr<const Packed> packed = cache.store_->find(packed_key);
  if (packed == nullptr) {
    return kNotFound;
  }
  if (packed->size < name.least_size) {
    ET_LOG(Error, "XNNPACK: packed weights of %zu bytes cannot hold %zu; they are packed again",
           packed->size, name.least_size);
    cache.store_->discard(packed_key);
    return kNotFound;
  }
  ++cache.num_found_;
  return cache.use(packed_key, std::move(packed));
}

void* XNNWeightsCache::reserve_space(void* context, size_t size) {
  XNNWeightsCache& cache = self(context);
  const std::lock_guard<runtime::Mutex> lock(cache.mutex_);
  std::shared_ptr<const void> owner;
  void* const data = cache.memory_.allocate(size, owner);
  if (data != nullptr) {
    cache.reserved_[data] = std::move(owner);
  }
  return data;
}

size_t XNNWeightsCache::look_up_or_insert(void* context, const xnn_weights_cache_look_up_key* key,
                                          void* data, size_t size) {
  if (data == nullptr) {
    return look_up(context, key);
  }
  XNNWeightsCache& cache = self(context);
  const std::lock_guard<runtime::Mutex> lock(cache.mutex_);
  const auto reserved = cache.reserved_.find(data);
  if (reserved == cache.reserved_.end()) {
    return kNotFound;
  }
  Packed packed = {data, size, std::move(reserved->second)};
  cache.reserved_.erase(reserved);
  ++cache.num_inserted_;
  Name name;
  if (!cache.find_name(*key, name)) {
    cache.nameless_.push_back(std::make_shared<const Packed>(std::move(packed)));
    return offset_of(*cache.nameless_.back());
  }
  const PackedKey packed_key(name.text, key->seed);
  return cache.use(packed_key, cache.store_->insert(packed_key, std::move(packed)));
}

bool XNNWeightsCache::is_finalized(void* context) {
  XNNWeightsCache& cache = self(context);
  const std::lock_guard<runtime::Mutex> lock(cache.mutex_);
  return cache.is_finalized_;
}

void* XNNWeightsCache::offset_to_addr(void* context, size_t offset) {
  (void)context;
  return reinterpret_cast<void*>(offset);
}

xnn_status XNNWeightsCache::delete_cache(void* context) {
  // Not XNNPACK's to delete.
  (void)context;
  return xnn_status_success;
}

}  // namespace delegate
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
