/// @file
/// SizedArena: planned memory that is as large as the sizes of the inputs need. Internal to the
/// executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/dynamic_memory.h>
#include <executorch/runtime/core/portable_type/tensor_impl.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {
namespace internal {

struct MethodIo;

/// The first planned buffer of a method to which the application gave no memory.
///
/// A plan is made for the largest sizes. Some programs say besides how many bytes each block of it
/// has for other sizes, and which blocks it must lie behind, in a text that emitter/arena_text.py
/// describes. Before an execution whose inputs have outgrown what was there, the blocks are laid
/// out anew in memory from an allocator. State is at the front and stays; blocks keep no values
/// from one execution to the next.
class SizedArena final {
 public:
  /// Reads the text and allocates the front.
  ///
  /// @param text What follows `kArenaPrefix` in a value of the method; stays in use.
  /// @param num_tensors Tensors of the method.
  /// @param method_allocator For what is known of blocks, as long as the method lives.
  /// @param dynamic_allocator For the tensors' bytes. What it gave stays in use as long as the
  ///     method lives.
  ///
  /// @retval Error::InvalidProgram         The text is not of that form.
  /// @retval Error::MemoryAllocationFailed An allocator has not so much.
  static Result<SizedArena*> load(std::string_view text, size_t num_tensors,
                                  MemoryAllocator* method_allocator,
                                  MemoryAllocator* dynamic_allocator);

  /// The memory of the block that a tensor lies in; null for tensors in none.
  DynamicMemory* block_of(size_t tensor) {
    return blocks_of_tensors_[tensor] == 0 ? nullptr
                                           : &blocks_[blocks_of_tensors_[tensor] - 1].memory;
  }

  /// Address of bytes at the front; null for others.
  void* fixed_address(uint64_t offset, size_t nbytes) const {
    return nbytes <= fixed_ && offset <= fixed_ - nbytes ? front_ + offset : nullptr;
  }

  MemoryAllocator* dynamic_allocator() const { return dynamic_allocator_; }

  /// Lays out the blocks for the sizes that the inputs have, unless there is room for them. Sizes
  /// that grow step by step are met with half as much again, up to their bounds.
  ///
  /// @param tensors All tensors of the method.
  ///
  /// @retval Error::InvalidProgram         The text does not fit the method.
  /// @retval Error::MemoryAllocationFailed The allocator has not so much; the next
  ///     execution tries again.
  Error prepare(Span<const MethodIo> inputs, Span<etensor::TensorImpl> tensors);

 private:
  struct Size {
    uint32_t input;
    uint32_t dim;
    uint32_t bound;  // 0 for none.
    uint32_t planned;
  };
  struct Block {
    DynamicMemory memory;
    size_t offset;
    size_t nbytes;
  };
  class Reader;

  SizedArena() = default;
  Error read(std::string_view text, size_t num_tensors, MemoryAllocator* method_allocator);
  Error read_tensors(Reader& reader, size_t num_tensors, uint32_t block);
  Error lay_out(size_t* total);
  Error place(uint8_t* start, Span<etensor::TensorImpl> tensors);

  MemoryAllocator* dynamic_allocator_ = nullptr;
  std::string_view blocks_text_;
  size_t alignment_ = 1;
  size_t slack_ = 0;
  size_t fixed_ = 0;
  uint8_t* front_ = nullptr;
  Span<Size> sizes_;
  Span<Block> blocks_;
  uint32_t* blocks_of_tensors_ = nullptr;  // Number of the block and 1; 0 for tensors in none.
  uint8_t* start_ = nullptr;
  size_t capacity_ = 0;
  bool is_laid_out_ = false;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
