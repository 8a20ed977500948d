#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/mutex.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// The weights of one operator, in the order in which its microkernel reads them.
struct Packed {
  const void* data = nullptr;
  size_t size = 0;
  /// Keeps `data` alive.
  std::shared_ptr<const void> owner;
};

/// What weights were packed, by which kind of microkernel: the name of the data together with all
/// that the packing depends on, and XNNPACK's number for the layout.
using PackedKey = std::pair<std::string, uint32_t>;

class PackedFile;

/// Packed weights that every delegate of the process may use, so that equal weights exist once.
/// They live as long as a delegate has them. Safe to use from several threads.
///
/// With a file, what was packed is also appended to it, and what is in it need not be packed again:
/// it is mapped, and read when it is first used.
class PackedWeights {
 public:
  /// Kept in memory alone.
  PackedWeights();

  /// Also kept in the file `path`, which is made if it does not exist, for its owner alone. A file
  /// that another version of XNNPACK, another processor or something else has written is replaced.
  /// When the file cannot be used, or another user could have written it, the log says why, and
  /// weights are kept in memory alone.
  explicit PackedWeights(const std::string& path);

  ~PackedWeights();
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  /// The weights called `key`, null if they are not there.
  std::shared_ptr<const Packed> find(const PackedKey& key) const;

  /// Forgets weights that turned out not to be what their name says.
  void discard(const PackedKey& key);

  /// Adds weights; if some were there already, those are returned, and the new ones go.
  std::shared_ptr<const Packed> insert(const PackedKey& key, Packed packed);

  /// Writes to the file what has been added since. Does nothing without a file.
  ///
  /// @retval Error::AccessFailed Writing failed; the file stays as it was.
  runtime::Error save();

  /// How many weights the file held when it was opened.
  size_t num_loaded() const { return loaded_.size(); }

 private:
  mutable runtime::Mutex mutex_;
  mutable std::map<PackedKey, std::weak_ptr<const Packed>> live_;
  // Out of the file: these cost address space alone, so they stay.
  std::map<PackedKey, std::shared_ptr<const Packed>> loaded_;
  std::vector<std::pair<PackedKey, std::shared_ptr<const Packed>>> unsaved_;
  std::unique_ptr<PackedFile> file_;  // null for memory alone
};

/// The store that delegates share who name the same file.
std::shared_ptr<PackedWeights> packed_weights_of(const std::string& path);

/// The store, in memory alone, that delegates of the same scope share: of one program, or of
/// programs that the application lets trust each other, since a name that one has given to weights
/// is believed by all.
std::shared_ptr<PackedWeights> packed_weights_in(const std::string& scope);

/// Memory into which weights are packed: many in one piece, which is as large as what is left of
/// the bytes that were announced, and backed by large pages if the system has them.
class PackingMemory {
 public:
  /// How many bytes of weights are to be expected; a guess, which costs nothing if it is wrong.
  void expect(size_t bytes) { expected_ = bytes; }

  /// `size` bytes with the alignment that XNNPACK wants; null if there is no memory. `owner` keeps
  /// them alive.
  void* allocate(size_t size, std::shared_ptr<const void>& owner);

 private:
  std::shared_ptr<void> piece_;
  size_t used_ = 0;
  size_t capacity_ = 0;
  size_t expected_ = 0;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
