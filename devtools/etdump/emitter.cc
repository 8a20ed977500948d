#include <cstdlib>
#include <cstring>

#include <executorch/devtools/etdump/emitter.h>
#include <executorch/devtools/etdump/utils.h>

namespace executorch {
namespace etdump {
namespace internal {

static_assert(sizeof(size_t) >= sizeof(uint32_t), "sizes of a buffer fit into size_t");

namespace {

constexpr size_t kAlignment = 8;  // The largest of any field.
constexpr size_t kFirstSize = 4096;
constexpr size_t kLargestSize = size_t{1} << 30;  // A mark has 30 bits for its object.

}  // namespace

Emitter::Emitter(runtime::Span<uint8_t> buffer) : fixed_(!buffer.empty()) {
  if (!fixed_) {
    return;
  }
  // The end is what alignment counts from, the start is where the marks are.
  uint8_t* const begin = align_pointer(buffer.data(), kAlignment);
  const uint8_t* const end = buffer.data() + buffer.size();
  if (begin < end) {
    size_t size = static_cast<size_t>(end - begin);
    size = size < kLargestSize ? size : kLargestSize;
    begin_ = begin;
    end_ = begin + size / kAlignment * kAlignment;
  }
}

Emitter::~Emitter() {
  if (!fixed_) {
    std::free(begin_);
  }
}

void Emitter::clear() {
  used_ = 0;
  mark_count_ = 0;
  out_of_room_ = false;
  closing_ = false;
  for (size_t i = 0; i < kCached; ++i) {
    strings_[i] = kNone;
    vtables_[i] = kNone;
  }
  next_string_ = 0;
  next_vtable_ = 0;
}

bool Emitter::has_room(size_t size, size_t kept) const {
  // A mark takes four bytes now, and four more in the vector that it will be in.
  const size_t taken = used_ + kept + mark_count_ * 8;
  const size_t capacity = static_cast<size_t>(end_ - begin_);
  return taken <= capacity && size <= capacity - taken;
}

bool Emitter::grow(size_t size) {
  const size_t capacity = static_cast<size_t>(end_ - begin_);
  size_t wanted = capacity == 0 ? kFirstSize : capacity * 2;
  while (wanted <= kLargestSize && wanted - capacity < size + kReserve) {
    wanted *= 2;
  }
  if (size > kLargestSize || wanted > kLargestSize) {
    return false;
  }
  auto* const bigger = static_cast<uint8_t*>(std::malloc(wanted));
  if (bigger == nullptr) {
    return false;
  }
  if (begin_ != nullptr) {
    std::memcpy(bigger, begin_, mark_count_ * sizeof(uint32_t));
    std::memcpy(bigger + wanted - used_, end_ - used_, used_);
    std::free(begin_);
  }
  begin_ = bigger;
  end_ = bigger + wanted;
  return true;
}

bool Emitter::make_room(size_t size) {
  const size_t kept = closing_ ? 0 : kReserve;
  if (has_room(size, kept)) {
    return true;
  }
  return !fixed_ && size <= kLargestSize && grow(size);
}

bool Emitter::reserve(size_t size) {
  if (out_of_room_ && !closing_) {
    return false;
  }
  if (make_room(size)) {
    return true;
  }
  out_of_room_ = true;
  return false;
}

void Emitter::align(size_t alignment, size_t upcoming) {
  static constexpr uint8_t kZeros[kAlignment] = {};
  const size_t rest = (used_ + upcoming) % alignment;
  if (rest != 0) {
    push(kZeros, alignment - rest);
  }
}

void Emitter::push(const void* data, size_t size) {
  used_ += size;
  if (size > 0) {
    std::memcpy(end_ - used_, data, size);
  }
}

Emitter::Ref Emitter::write_bytes(const void* data, size_t size) {
  if (size > kLargestSize || !reserve(size + 2 * kAlignment)) {
    return kNone;
  }
  align(sizeof(uint32_t), size);
  push(data, size);
  push_u32(static_cast<uint32_t>(size));
  return static_cast<Ref>(used_);
}

Emitter::Ref Emitter::write_string(const char* text) {
  if (text == nullptr) {
    return kNone;
  }
  const size_t size = std::strlen(text);
  for (const Ref known : strings_) {
    if (known != kNone &&
        std::strcmp(reinterpret_cast<const char*>(at(known)) + sizeof(uint32_t), text) == 0) {
      return known;
    }
  }
  if (size >= kLargestSize || !reserve(size + 2 * kAlignment)) {
    return kNone;
  }
  // With the terminator, which does not count.
  align(sizeof(uint32_t), size + 1);
  push(text, size + 1);
  push_u32(static_cast<uint32_t>(size));
  const Ref ref = static_cast<Ref>(used_);
  strings_[next_string_++ % kCached] = ref;
  return ref;
}

Emitter::Ref Emitter::write_longs(const int64_t* values, size_t count) {
  const size_t size = count * sizeof(int64_t);
  if (!reserve(size + 2 * kAlignment)) {
    return kNone;
  }
  align(sizeof(int64_t), size);
  push(values, size);
  push_u32(static_cast<uint32_t>(count));
  return static_cast<Ref>(used_);
}

Emitter::Ref Emitter::write_vector(const Ref* refs, size_t count) {
  if (!reserve(count * sizeof(uint32_t) + 2 * kAlignment)) {
    return kNone;
  }
  align(sizeof(uint32_t), 0);
  for (size_t i = count; i-- > 0;) {
    push_u32(static_cast<uint32_t>(used_ + sizeof(uint32_t)) - refs[i]);
  }
  push_u32(static_cast<uint32_t>(count));
  return static_cast<Ref>(used_);
}

void Emitter::Table::set_double(uint16_t slot, double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  add(slot, 8, bits, false);
}

void Emitter::Table::add(uint16_t slot, uint8_t size, uint64_t value, bool is_ref) {
  if (count_ < kMaxFields) {
    fields_[count_++] = {value, slot, size, is_ref};
  }
}

Emitter::Ref Emitter::vtable(const uint16_t* entries, size_t count) {
  const size_t size = count * sizeof(uint16_t);
  for (const Ref known : vtables_) {
    // The first entry is the size, so that a longer one differs at once.
    if (known != kNone && known >= size && std::memcmp(at(known), entries, size) == 0) {
      return known;
    }
  }
  push(entries, size);
  const Ref ref = static_cast<Ref>(used_);
  vtables_[next_vtable_++ % kCached] = ref;
  return ref;
}

Emitter::Ref Emitter::write_table(const Table& table) {
  // Vtable, fields with what aligns them, offset.
  if (!reserve(sizeof(uint16_t) * (2 + Table::kMaxFields) + table.count_ * 8 + 4 * kAlignment)) {
    return kNone;
  }
  align(sizeof(uint32_t), 0);
  const size_t table_end = used_;
  Ref positions[Table::kMaxFields] = {};
  size_t slots = 0;
  for (const uint8_t size : {uint8_t{8}, uint8_t{4}, uint8_t{1}}) {
    for (size_t i = 0; i < table.count_; ++i) {
      const Table::Field& field = table.fields_[i];
      if (field.size != size) {
        continue;
      }
      align(size, size);
      uint64_t value = field.value;
      if (field.is_ref) {
        value = used_ + sizeof(uint32_t) - value;
      }
      push(&value, size);  // Little-endian, like everything the runtime runs on.
      positions[field.slot] = static_cast<Ref>(used_);
      slots = field.slot >= slots ? field.slot + size_t{1} : slots;
    }
  }
  align(sizeof(int32_t), sizeof(int32_t));
  push_u32(0);
  const Ref ref = static_cast<Ref>(used_);
  uint16_t entries[2 + Table::kMaxFields] = {};
  entries[0] = static_cast<uint16_t>((2 + slots) * sizeof(uint16_t));
  entries[1] = static_cast<uint16_t>(ref - table_end);
  for (size_t i = 0; i < slots; ++i) {
    entries[2 + i] =
        positions[i] == kNone ? uint16_t{0} : static_cast<uint16_t>(ref - positions[i]);
  }
  const Ref layout = vtable(entries, 2 + slots);
  const auto offset = static_cast<int32_t>(layout) - static_cast<int32_t>(ref);
  std::memcpy(at(ref), &offset, sizeof(offset));
  return ref;
}

bool Emitter::mark(Ref ref, unsigned kind) {
  if (ref == kNone || !reserve(2 * sizeof(uint32_t))) {
    return false;
  }
  const uint32_t value = ref | (kind << 30);
  std::memcpy(begin_ + mark_count_ * sizeof(value), &value, sizeof(value));
  ++mark_count_;
  return true;
}

uint32_t Emitter::load_mark(size_t index) const {
  uint32_t value;
  std::memcpy(&value, begin_ + index * sizeof(value), sizeof(value));
  return value;
}

Emitter::Ref Emitter::close_vector(size_t first, unsigned kind) {
  // From here on, the room that was kept is there to be used.
  align(sizeof(uint32_t), 0);
  uint32_t count = 0;
  for (size_t i = mark_count_; i-- > first;) {
    const uint32_t mark = load_mark(i);
    if (mark >> 30 == kind) {
      push_u32(static_cast<uint32_t>(used_ + sizeof(uint32_t)) - (mark & ((1u << 30) - 1)));
      ++count;
    }
  }
  push_u32(count);
  return static_cast<Ref>(used_);
}

runtime::Span<uint8_t> Emitter::finish(Ref root, const char* identifier) {
  constexpr size_t kHead = 3 * sizeof(uint32_t);
  if (root == kNone) {
    return {};
  }
  align(kAlignment, kHead);
  push(identifier, sizeof(uint32_t));
  push_u32(static_cast<uint32_t>(used_ + sizeof(uint32_t)) - root);
  push_u32(static_cast<uint32_t>(used_));
  return {end_ - used_, used_};
}

}  // namespace internal
}  // namespace etdump
}  // namespace executorch
