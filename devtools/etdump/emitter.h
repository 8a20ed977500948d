/// @file
/// Emitter: writes a flatbuffer back to front into memory of a fixed size or that grows, without
/// a library and without exceptions.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/span.h>

namespace executorch {
namespace etdump {
namespace internal {

/// A flatbuffer in the making.
///
/// What refers to something has to come before it in memory, so that the referred is written first
/// and the buffer grows downwards from its end. Meanwhile the start of the buffer holds a list of
/// marks: what later becomes elements of vectors.
///
/// Writing never fails halfway: when memory runs out, ok() turns false, and from then on writes do
/// nothing and return kNone. Room for closing what was marked is kept at all times.
class Emitter {
 public:
  /// An object in the buffer: its distance from the buffer's end. kNone is no object.
  using Ref = uint32_t;
  static constexpr Ref kNone = 0;

  /// Into `buffer`, which the caller keeps; or into memory of its own that grows if it is empty.
  explicit Emitter(runtime::Span<uint8_t> buffer);
  ~Emitter();
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  /// Drops everything that was written.
  void clear();

  /// Whether there was room for everything since clear().
  bool ok() const { return !out_of_room_; }

  /// Whether the memory is the caller's.
  bool is_static() const { return fixed_; }

  /// While closing, the room that was kept may be used, whatever was dropped before.
  void set_closing(bool closing) { closing_ = closing; }

  /// Makes sure that the next writes of at most `size` bytes in all find room, or none does.
  bool reserve(size_t size);

  /// A zero-terminated string. One that was written lately is used again.
  Ref write_string(const char* text);
  Ref write_bytes(const void* data, size_t size);
  Ref write_longs(const int64_t* values, size_t count);
  Ref write_vector(const Ref* refs, size_t count);

  /// One table. Fields that are not set do not cost anything.
  class Table {
   public:
    void set_bool(uint16_t slot, bool value) { add(slot, 1, value ? 1 : 0, false); }
    void set_byte(uint16_t slot, int8_t value) {
      add(slot, 1, static_cast<uint64_t>(static_cast<uint8_t>(value)), false);
    }
    void set_int(uint16_t slot, int32_t value) {
      add(slot, 4, static_cast<uint64_t>(static_cast<uint32_t>(value)), false);
    }
    void set_long(uint16_t slot, uint64_t value) { add(slot, 8, value, false); }
    void set_double(uint16_t slot, double value);
    void set_ref(uint16_t slot, Ref value) {
      if (value != kNone) {
        add(slot, 4, value, true);
      }
    }

   private:
    friend class Emitter;
    static constexpr size_t kMaxFields = 8;
    struct Field {
      uint64_t value;
      uint16_t slot;
      uint8_t size;
      bool is_ref;
    };
    void add(uint16_t slot, uint8_t size, uint64_t value, bool is_ref);
    Field fields_[kMaxFields] = {};
    size_t count_ = 0;
  };
  Ref write_table(const Table& table);

  /// Remembers an object for a vector to come; `kind` is 0 to 3. False when memory ran out.
  bool mark(Ref ref, unsigned kind);

  /// Makes a vector of the objects marked with `kind` since mark number `first`, in order.
  Ref close_vector(size_t first, unsigned kind);
  size_t mark_count() const { return mark_count_; }
  void drop_marks(size_t first) { mark_count_ = first < mark_count_ ? first : mark_count_; }

  /// Everything as one buffer with a length prefix; empty if there was never room for that. The
  /// memory stays the emitter's.
  runtime::Span<uint8_t> finish(Ref root, const char* identifier);

 private:
  static constexpr size_t kReserve = 256;  // For closing vectors and the root.
  static constexpr size_t kCached = 16;

  bool has_room(size_t size, size_t kept) const;
  bool grow(size_t size);
  bool make_room(size_t size);
  uint8_t* at(Ref ref) const { return end_ - ref; }
  uint32_t load_mark(size_t index) const;
  void align(size_t alignment, size_t upcoming);
  void push(const void* data, size_t size);
  void push_u32(uint32_t value) { push(&value, sizeof(value)); }
  Ref vtable(const uint16_t* entries, size_t count);

  uint8_t* begin_ = nullptr;
  uint8_t* end_ = nullptr;
  size_t used_ = 0;  // Bytes at the end.
  size_t mark_count_ = 0;
  bool fixed_;
  bool out_of_room_ = false;
  bool closing_ = false;
  Ref strings_[kCached] = {};
  size_t next_string_ = 0;
  Ref vtables_[kCached] = {};
  size_t next_vtable_ = 0;
};

}  // namespace internal
}  // namespace etdump
}  // namespace executorch
