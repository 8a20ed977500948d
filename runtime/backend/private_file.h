#pragma once

#include <cstddef>

namespace executorch {
namespace runtime {

/// A file of which a backend believes what it cannot check: weights that are packed, pipelines that
/// are compiled. So it counts only where no other user can have put it there.
class PrivateFile final {
 public:
  /// Opens it, for this user alone where it is made; never through a link. `get()` is negative, and
  /// `errno` says why, if it cannot be.
  ///
  /// @param path Lives as long as this.
  /// @param flags Of open(2).
  PrivateFile(const char* path, int flags);
  ~PrivateFile();
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  /// The descriptor, which is closed with this.
  int get() const { return fd_; }

  /// What lets others write the file, or put another in its place; null if nothing does. Its
  /// directory may be one that all write, if only owners replace files there, as in /tmp.
  const char* why_not_private() const;

  /// Reads up to `size` bytes from `offset` on.
  ///
  /// @returns How many, which is fewer at the end of the file and after a failure.
  size_t read_at(size_t offset, void* data, size_t size) const;

  /// Writes all of it, and moves `offset` behind what was written.
  ///
  /// @returns False, and `errno` says why, if it cannot be.
  bool write_at(size_t& offset, const void* data, size_t size) const;

 private:
  const char* const path_;
  const int fd_;
};

}  // namespace runtime
}  // namespace executorch
