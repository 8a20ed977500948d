#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace vulkan {

/// Memory that shaders read and write. Nothing here says which API it is of.
class Buffer {
 public:
  explicit Buffer(size_t size) : size_(size) {}
  virtual ~Buffer() = default;

  /// In bytes.
  size_t size() const { return size_; }

  /// Where the host sees it; null if it does not.
  virtual void* mapped() = 0;

  /// To be called between the host's writing and the device's reading, and the other way round.
  virtual runtime::Error flush() = 0;
  virtual runtime::Error invalidate() = 0;

 private:
  size_t size_;
};

/// What a shader is bound to. The first ones are written, the others are read.
using Buffers = std::vector<Buffer*>;

/// Numbers that a shader is given.
class Parameters {
 public:
  static constexpr size_t kCount = 32;

  Parameters& set(size_t at, int64_t value) {
    words_[at] = static_cast<int32_t>(value);
    return *this;
  }
  Parameters& set(size_t at, float value);
  /// From `at` on.
  Parameters& set(size_t at, const std::vector<int64_t>& values);
  const std::array<int32_t, kCount>& words() const { return words_; }

 private:
  std::array<int32_t, kCount> words_ = {};
};

/// One run of a shader.
struct Dispatch {
  std::string shader;
  Buffers buffers;
  size_t num_written = 1;
  Parameters parameters;
  /// Invocations of a group, by dimension; the shader's constants 0 to 2.
  std::array<uint32_t, 3> local = {64, 1, 1};
  std::array<uint32_t, 3> groups = {1, 1, 1};
  /// The shader's constants from 3 on.
  std::vector<uint32_t> constants;
  uint32_t debug_handle = 0;
};

/// A run as it was measured, in nanoseconds since the first began.
struct Timing {
  std::string name;
  uint32_t debug_handle = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  /// Whether it waited for what runs before it: there is a barrier between them.
  bool is_behind_barrier = false;
};

/// Dispatches in order, recorded once and run many times. What depends on each other is kept apart.
class Stream {
 public:
  virtual ~Stream() = default;

  /// Forgets what was recorded.
  virtual runtime::Error begin() = 0;
  virtual runtime::Error dispatch(const Dispatch& dispatch) = 0;
  virtual runtime::Error end() = 0;

  /// Runs what is recorded, and waits.
  virtual runtime::Error run() = 0;

  /// Of the last run; empty where the stream was not made for it.
  virtual runtime::Result<std::vector<Timing>> timings() = 0;

  virtual size_t num_dispatches() const = 0;
  virtual size_t num_barriers() const = 0;
};

/// Makes memory and streams.
class Device {
 public:
  virtual ~Device() = default;

  /// @param is_shared The host reads and writes it as well.
  virtual runtime::Result<std::unique_ptr<Buffer>> make_buffer(size_t size, bool is_shared) = 0;

  /// Memory with these contents.
  virtual runtime::Result<std::unique_ptr<Buffer>> upload(const void* data, size_t size) = 0;

  virtual runtime::Result<std::unique_ptr<Stream>> make_stream(bool is_timed) = 0;

  /// Groups of one dispatch, by dimension.
  virtual std::array<uint32_t, 3> most_groups() const = 0;

  /// Whether shaders can read and write elements of 16 bits.
  virtual bool has_half() const = 0;

  /// Whether shaders can multiply words of four bytes and add the products up in one instruction.
  virtual bool has_dot() const { return false; }

  /// Whether that is faster than multiplying floats.
  virtual bool has_fast_dot() const { return false; }

  /// What a validation layer has had to say so far; 0 without one.
  virtual size_t num_messages() const { return 0; }
};

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
