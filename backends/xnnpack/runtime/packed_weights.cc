#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <executorch/backends/xnnpack/runtime/packed_weights.h>
#include <executorch/backends/xnnpack/runtime/packed_weights_file.h>
#include <executorch/runtime/platform/log.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;

PackedWeights::PackedWeights() = default;

PackedWeights::PackedWeights(const std::string& path) {
  if (!path.empty()) {
    file_ = std::make_unique<PackedFile>(path);
    loaded_ = file_->load();
  }
}

PackedWeights::~PackedWeights() = default;

std::shared_ptr<const Packed> PackedWeights::find(const PackedKey& key) const {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  const auto stored = loaded_.find(key);
  if (stored != loaded_.end()) {
    return stored->second;
  }
  const auto found = live_.find(key);
  if (found == live_.end()) {
    return nullptr;
  }
  std::shared_ptr<const Packed> packed = found->second.lock();
  if (packed == nullptr) {
    live_.erase(found);
  }
  return packed;
}

void PackedWeights::discard(const PackedKey& key) {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  loaded_.erase(key);
  live_.erase(key);
}

std::shared_ptr<const Packed> PackedWeights::insert(const PackedKey& key, Packed packed) {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  const auto stored = loaded_.find(key);
  if (stored != loaded_.end()) {
    return stored->second;
  }
  std::weak_ptr<const Packed>& place = live_[key];
  std::shared_ptr<const Packed> there = place.lock();
  if (there == nullptr) {
    there = std::make_shared<const Packed>(std::move(packed));
    place = there;
    if (file_ != nullptr) {
      unsaved_.emplace_back(key, there);
    }
  }
  return there;
}

Error PackedWeights::save() {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  if (unsaved_.empty()) {
    return Error::Ok;
  }
  const Error error = file_->append(unsaved_);
  unsaved_.clear();
  return error;
}

namespace {

/// Stores by name, as long as somebody has them.
class Stores {
 public:
  std::shared_ptr<PackedWeights> get(const std::string& name, const std::string& path) {
    const std::lock_guard<runtime::Mutex> lock(mutex_);
    std::weak_ptr<PackedWeights>& place = stores_[name];
    std::shared_ptr<PackedWeights> store = place.lock();
    if (store == nullptr) {
      store = std::make_shared<PackedWeights>(path);
      forget_those_without_users();
      stores_[name] = store;
    }
    return store;
  }

 private:
  void forget_those_without_users() {
    for (auto entry = stores_.begin(); entry != stores_.end();) {
      entry = entry->second.expired() ? stores_.erase(entry) : std::next(entry);
    }
  }

  runtime::Mutex mutex_;
  std::map<std::string, std::weak_ptr<PackedWeights>> stores_;
};

}  // namespace

std::shared_ptr<PackedWeights> packed_weights_of(const std::string& path) {
  static auto* const files = new Stores();
  return files->get(path, path);
}

std::shared_ptr<PackedWeights> packed_weights_in(const std::string& scope) {
  static auto* const scopes = new Stores();
  return scopes->get(scope, "");
}

namespace {

constexpr size_t kAlignment = 128;
constexpr size_t kLargePage = size_t{2} << 20;
constexpr size_t kLargestPiece = size_t{64} << 20;

size_t round_up(size_t size, size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

}  // namespace

void* PackingMemory::allocate(size_t size, std::shared_ptr<const void>& owner) {
  if (size > SIZE_MAX / 2) {
    return nullptr;
  }
  size = round_up(std::max<size_t>(size, 1), kAlignment);
  if (piece_ == nullptr || capacity_ - used_ < size) {
    // Packing adds padding and biases, so a little more than the weights have.
    const size_t wanted = std::max(size, std::min(expected_ + expected_ / 16, kLargestPiece));
    const bool is_large = wanted >= kLargePage;
    const size_t alignment = is_large ? kLargePage : kAlignment;
    capacity_ = round_up(wanted, alignment);
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, capacity_) != 0) {
      capacity_ = used_ = 0;
      piece_.reset();
      return nullptr;
    }
#if defined(MADV_HUGEPAGE)
    if (is_large) {
      // A wish: fewer faults while packing, fewer misses of the translation buffer while running.
      (void)madvise(memory, capacity_, MADV_HUGEPAGE);
    }
#endif
    piece_ = std::shared_ptr<void>(memory, std::free);
    used_ = 0;
  }
  owner = piece_;
  void* const place = static_cast<uint8_t*>(piece_.get()) + used_;
  used_ += size;
  expected_ -= std::min(expected_, size);
  return place;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
