#include <cinttypes>
#include <cstring>
#include <limits>
#include <new>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/executor/method_state.h>
#include <executorch/runtime/executor/sized_arena.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {

using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;

namespace {

/// Numbers that a function of sizes may have on its stack at a time.
constexpr size_t kMaxDepth = 16;

/// Bytes of a block that no memory has.
constexpr int64_t kTooMuch = int64_t{1} << 48;

size_t aligned(size_t size, size_t alignment) { return (size + alignment - 1) & ~(alignment - 1); }

int64_t divided(int64_t left, int64_t right) {
  return left / right - (left % right != 0 && (left < 0) != (right < 0) ? 1 : 0);
}

}  // namespace

/// Goes through the text from left to right.
class SizedArena::Reader {
 public:
  explicit Reader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool accept(char wanted) {
    const bool found = at_ != end_ && *at_ == wanted;
    at_ += found ? 1 : 0;
    return found;
  }

  bool is_digit() const { return at_ != end_ && *at_ >= '0' && *at_ <= '9'; }

  /// A number of at most `limit`; false if there is none.
  bool number(uint64_t limit, uint64_t* value) {
    *value = 0;
    const bool found = is_digit();
    while (is_digit() && *value <= limit) {
      *value = *value * 10 + static_cast<uint64_t>(*at_++ - '0');
    }
    return found && *value <= limit;
  }

  /// A number that leaves room to count with.
  template <typename T>
  bool number(T* value) {
    constexpr uint64_t kMost = std::numeric_limits<T>::max() / 2;
    uint64_t wide = 0;
    const bool found = number(kMost < kTooMuch ? kMost : uint64_t{kTooMuch}, &wide);
    *value = static_cast<T>(wide);
    return found;
  }

  /// Bytes as a function of sizes, up to the '@' behind it; false if it is none, or too much.
  bool bytes(Span<const Size> sizes, size_t* value) {
    int64_t stack[kMaxDepth];
    size_t depth = 0;
    while (!accept('@')) {
      const bool is_size = accept('$');
      uint64_t pushed = 0;
      if (is_size || is_digit()) {
        if (!number(static_cast<uint64_t>(kTooMuch), &pushed) || depth == kMaxDepth) {
          return false;
        }
        if (is_size && pushed >= sizes.size()) {
          return false;
        }
        stack[depth++] = is_size ? static_cast<int64_t>(sizes[static_cast<size_t>(pushed)].planned)
                                 : static_cast<int64_t>(pushed);
        accept(',');
      } else if (depth < 2 || at_ == end_ ||
                 !apply(*at_++, stack[depth - 2], stack[depth - 1], &stack[depth - 2])) {
        return false;
      } else {
        --depth;
      }
    }
    if (depth != 1 || stack[0] > kTooMuch) {
      return false;
    }
    *value = stack[0] < 0 ? 0 : static_cast<size_t>(stack[0]);
    return static_cast<uint64_t>(*value) == static_cast<uint64_t>(stack[0] < 0 ? 0 : stack[0]);
  }

  std::string_view rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }

 private:
  static bool apply(char operation, int64_t left, int64_t right, int64_t* result) {
    switch (operation) {
      case '+':
        return !__builtin_add_overflow(left, right, result);
      case '-':
        return !__builtin_sub_overflow(left, right, result);
      case '*':
        return !__builtin_mul_overflow(left, right, result);
      case '/':
        *result = right > 0 ? divided(left, right) : 0;
        return right > 0;
      case '<':
        *result = left < right ? left : right;
        return true;
      case '>':
        *result = left > right ? left : right;
        return true;
      default:
        return false;
    }
  }

  const char* at_;
  const char* end_;
};

Result<SizedArena*> SizedArena::load(std::string_view text, size_t num_tensors,
                                     MemoryAllocator* method_allocator,
                                     MemoryAllocator* dynamic_allocator) {
  SizedArena* arena = method_allocator->allocateInstance<SizedArena>();
  ET_CHECK_OR_RETURN_ERROR(arena != nullptr, MemoryAllocationFailed,
                           "The method allocator has no room for a planned buffer's layout");
  new (arena) SizedArena();
  arena->dynamic_allocator_ = dynamic_allocator;
  const Error error = arena->read(text, num_tensors, method_allocator);
  ET_CHECK_OK_OR_RETURN_ERROR(error, "Could not read the layout of a planned buffer");
  if (arena->fixed_ != 0) {
    arena->front_ = static_cast<uint8_t*>(
        dynamic_allocator->allocate(arena->fixed_ + arena->slack_, arena->alignment_));
    ET_CHECK_OR_RETURN_ERROR(arena->front_ != nullptr, MemoryAllocationFailed,
                             "The dynamic allocator has no %zu bytes for the method's state",
                             arena->fixed_);
  }
  return arena;
}

Error SizedArena::read(std::string_view text, size_t num_tensors,
                       MemoryAllocator* method_allocator) {
  Reader reader(text);
  uint32_t num_sizes = 0;
  uint32_t num_blocks = 0;
  const bool is_header = reader.number(&fixed_) && reader.accept(' ') && reader.number(&slack_) &&
                         reader.accept(' ') && reader.number(&alignment_) && reader.accept(' ') &&
                         reader.number(&num_sizes) && reader.accept(' ') &&
                         reader.number(&num_blocks);
  // Each has a character of the text at least.
  if (!is_header || num_sizes > text.size() || num_blocks > text.size() || alignment_ == 0 ||
      (alignment_ & (alignment_ - 1)) != 0 || alignment_ > 4096) {
    return Error::InvalidProgram;
  }
  Size* sizes = method_allocator->allocateList<Size>(num_sizes + size_t{1});
  Block* blocks = method_allocator->allocateList<Block>(num_blocks + size_t{1});
  blocks_of_tensors_ = method_allocator->allocateList<uint32_t>(num_tensors + 1);
  if (sizes == nullptr || blocks == nullptr || blocks_of_tensors_ == nullptr) {
    return Error::MemoryAllocationFailed;
  }
  std::memset(blocks_of_tensors_, 0, num_tensors * sizeof(uint32_t));
  for (uint32_t i = 0; i < num_sizes; ++i) {
    sizes[i].planned = 0;
    if (!reader.accept(' ') || !reader.number(&sizes[i].input) || !reader.accept('.') ||
        !reader.number(&sizes[i].dim) || !reader.accept('.') || !reader.number(&sizes[i].bound)) {
      return Error::InvalidProgram;
    }
  }
  sizes_ = {sizes, num_sizes};
  blocks_text_ = reader.rest();
  for (uint32_t i = 0; i < num_blocks; ++i) {
    new (&blocks[i]) Block{DynamicMemory(dynamic_allocator_, nullptr, 0), 0, 0};
    size_t nbytes = 0;
    if (!reader.accept(' ') || !reader.bytes(sizes_, &nbytes)) {
      return Error::InvalidProgram;
    }
    while (!reader.accept(':')) {
      uint32_t below = 0;
      if (!reader.number(&below) || below >= i) {
        return Error::InvalidProgram;
      }
      reader.accept(',');
    }
    ET_CHECK_OK_OR_RETURN_ERROR(read_tensors(reader, num_tensors, i));
  }
  blocks_ = {blocks, num_blocks};
  return reader.rest().empty() ? Error::Ok : Error::InvalidProgram;
}

Error SizedArena::read_tensors(Reader& reader, size_t num_tensors, uint32_t block) {
  while (!reader.accept(';')) {
    uint32_t tensor = 0;
    if (!reader.number(&tensor) || tensor >= num_tensors || blocks_of_tensors_[tensor] != 0) {
      return Error::InvalidProgram;
    }
    blocks_of_tensors_[tensor] = block + 1;
    reader.accept(',');
  }
  return Error::Ok;
}

Error SizedArena::prepare(Span<const MethodIo> inputs, Span<TensorImpl> tensors) {
  bool has_room = is_laid_out_;
  for (const Size& size : sizes_) {
    const bool is_tensor =
        size.input < inputs.size() && inputs[size.input].initial.isTensor() &&
        size.dim < static_cast<size_t>(inputs[size.input].initial.payload.as_tensor.dim());
    ET_CHECK_OR_RETURN_ERROR(is_tensor, InvalidProgram,
                             "A planned buffer depends on dimension %" PRIu32 " of input %" PRIu32
                             ", which the method has not",
                             size.dim, size.input);
    const Tensor& input = inputs[size.input].initial.payload.as_tensor;
    has_room = has_room && static_cast<uint32_t>(input.size(size.dim)) <= size.planned;
  }
  if (has_room) {
    return Error::Ok;
  }
  uint8_t* start = nullptr;
  size_t total = 0;
  // With room to grow; if there is not so much, with none.
  for (const bool generous : {true, false}) {
    for (Size& size : sizes_) {
      const auto wanted = static_cast<uint32_t>(
          inputs[size.input].initial.payload.as_tensor.size(static_cast<ssize_t>(size.dim)));
      const uint32_t half_more = size.planned + size.planned / 2;
      if (!generous) {
        size.planned = wanted;
      } else if (wanted > size.planned) {
        size.planned = wanted > half_more                          ? wanted
                       : size.bound != 0 && half_more > size.bound ? size.bound
                                                                   : half_more;
      }
    }
    ET_CHECK_OK_OR_RETURN_ERROR(lay_out(&total));
    start = total <= capacity_
                ? start_
                : static_cast<uint8_t*>(dynamic_allocator_->allocate(total + slack_, alignment_));
    if (start != nullptr || total == 0) {
      break;
    }
  }
  is_laid_out_ = start != nullptr || total == 0;
  ET_CHECK_OR_RETURN_ERROR(
      is_laid_out_, MemoryAllocationFailed,
      "The inputs' sizes need %zu bytes of planned memory, which the dynamic "
      "allocator has not: give it more, or the whole planned buffer its memory",
      total);
  start_ = start;
  capacity_ = total > capacity_ ? total : capacity_;
  return place(start, tensors);
}

// The offset of a block is where the last of those ends that it lies behind.
Error SizedArena::lay_out(size_t* total) {
  Reader reader(blocks_text_);
  *total = 0;
  for (Block& block : blocks_) {
    reader.accept(' ');
    block.offset = 0;
    bool fits = reader.bytes(sizes_, &block.nbytes);
    while (!reader.accept(':')) {
      uint32_t below = 0;
      reader.number(&below);
      const size_t end = blocks_[below].offset + aligned(blocks_[below].nbytes, alignment_);
      block.offset = end > block.offset ? end : block.offset;
      reader.accept(',');
    }
    while (!reader.accept(';')) {
      uint32_t tensor = 0;
      reader.number(&tensor);
      reader.accept(',');
    }
    const size_t most = std::numeric_limits<size_t>::max() / 4;
    fits = fits && block.nbytes <= most && block.offset <= most;
    ET_CHECK_OR_RETURN_ERROR(fits, MemoryAllocationFailed,
                             "The inputs' sizes need more planned memory than can be counted");
    const size_t end = block.offset + aligned(block.nbytes, alignment_);
    *total = end > *total ? end : *total;
  }
  return Error::Ok;
}

Error SizedArena::place(uint8_t* start, Span<TensorImpl> tensors) {
  for (Block& block : blocks_) {
    block.memory.use(start + block.offset, block.nbytes);
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    const uint32_t number = blocks_of_tensors_[i];
    if (number == 0) {
      continue;
    }
    const Block& block = blocks_[number - 1];
    TensorImpl& tensor = tensors[i];
    tensor.set_data(start + block.offset);
    if (tensor.nbytes() <= block.nbytes) {
      continue;
    }
    ET_CHECK_OR_RETURN_ERROR(DynamicMemory::of(tensor) != nullptr, InvalidProgram,
                             "A tensor of %zu bytes lies in a block of %zu", tensor.nbytes(),
                             block.nbytes);
    // What it held is not there any more.
    const SizesType empty[kTensorDimensionLimit] = {};
    ET_CHECK_OK_OR_RETURN_ERROR(
        resize_tensor(Tensor(&tensor), {empty, static_cast<size_t>(tensor.dim())}));
  }
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
