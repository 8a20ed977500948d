#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <xnnpack.h>

#include <executorch/backends/xnnpack/runtime/packed_weights.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/mutex.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace delegate {

/// Lets XNNPACK find weights that were packed before, by the names of the data they come from.
///
/// Use: `initialize_for_runtime`, then `load_unpacked_data` for what the graph refers to by name,
/// then `xnn_create_runtime_v4` with `get()`, then `finalize_for_runtime`. It has to outlive the
/// runtimes that were made with it. One cache may serve several runtimes, one after another;
/// several caches, each with one runtime, may share a store of packed weights at the same time.
class XNNWeightsCache {
 public:
  /// With a store of its own.
  XNNWeightsCache() : XNNWeightsCache(std::make_shared<PackedWeights>()) {}
  explicit XNNWeightsCache(std::shared_ptr<PackedWeights> store);

  XNNWeightsCache(const XNNWeightsCache&) = delete;
  XNNWeightsCache& operator=(const XNNWeightsCache&) = delete;

  /// From now on, weights can be added.
  ///
  /// @param runtime_allocator Not used: packed weights outlive a method when another one has them.
  /// @param named_data_map Where `load_unpacked_data` looks; may be null, has to live until
  ///     `finalize_for_runtime`.
  runtime::Error initialize_for_runtime(runtime::MemoryAllocator* runtime_allocator,
                                        const runtime::NamedDataMap* named_data_map);

  /// Data as the file has it. XNNPACK gets this pointer, and what it makes of it will be known by
  /// the name.
  ///
  /// @retval Error::InvalidState Not after `initialize_for_runtime`, or without data.
  /// @retval Error::NotFound There is no data of that name.
  runtime::Result<const uint8_t*> load_unpacked_data(const std::string& name);

  /// What is packed from `kernel` and `bias` (null if there is none) goes by `name`, which has to
  /// say everything that the packing depends on. If they got another name before, they have none:
  /// such weights are packed, but never shared. Packed weights of that name with fewer than
  /// `least_size` bytes are not used.
  void name_packed(const void* kernel, const void* bias, const std::string& name,
                   size_t least_size = 0);

  /// Frees what was loaded, writes to the store's file, and lets the weights be used.
  ///
  /// @return Names of the packed weights that were used since `initialize_for_runtime`.
  runtime::Result<std::vector<std::string>> finalize_for_runtime();

  /// Gives back what `finalize_for_runtime` returned, when the runtime is gone. Weights go when all
  /// have given them back.
  ///
  /// @retval Error::InvalidArgument One of the names is not known.
  runtime::Error delete_packed_data(const std::vector<std::string>& names);

  size_t get_num_unpacked_data() const;
  std::vector<std::string> get_unpacked_data_names() const;
  size_t get_num_packed_data() const;
  std::vector<std::string> get_packed_data_names() const;

  /// How many bytes of weights are going to be packed, so that they lie in one piece.
  void expect(size_t bytes) { memory_.expect(bytes); }

  /// How many of the weights were found, and how many had to be packed.
  size_t num_found() const { return num_found_; }
  size_t num_inserted() const { return num_inserted_; }

  /// What `xnn_create_runtime_v4` takes.
  xnn_weights_cache_t get() { return &provider_; }

 private:
  struct Name {
    /// Empty stands for two.
    std::string text;
    size_t least_size = 0;
  };
  struct Held {
    std::shared_ptr<const Packed> packed;
    size_t uses = 0;
  };

  static size_t look_up(void* context, const xnn_weights_cache_look_up_key* key);
  static void* reserve_space(void* context, size_t size);
  static size_t look_up_or_insert(void* context, const xnn_weights_cache_look_up_key* key,
                                  void* data, size_t size);
  static bool is_finalized(void* context);
  static void* offset_to_addr(void* context, size_t offset);
  static xnn_status delete_cache(void* context);

  bool find_name(const xnn_weights_cache_look_up_key& key, Name& name) const;
  size_t use(const PackedKey& key, std::shared_ptr<const Packed> packed);

  xnn_weights_cache_provider provider_;
  std::shared_ptr<PackedWeights> store_;
  mutable runtime::Mutex mutex_;
  const runtime::NamedDataMap* named_ = nullptr;
  bool is_finalized_ = true;
  PackingMemory memory_;

  std::map<std::string, runtime::FreeableBuffer> unpacked_;
  std::unordered_map<const void*, std::string> names_;
  std::map<std::pair<const void*, const void*>, Name> packed_names_;

  std::unordered_map<const void*, std::shared_ptr<const void>> reserved_;
  std::map<PackedKey, Held> held_;
  std::vector<std::shared_ptr<const Packed>> nameless_;
  std::vector<std::string> used_;
  size_t num_found_ = 0;
  size_t num_inserted_ = 0;
};

}  // namespace delegate
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
