/// @file
/// What a loaded method consists of. Internal to the executor.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/merged_data_map.h>
#include <executorch/runtime/executor/platform_memory_allocator.h>
#include <executorch/runtime/executor/sized_arena.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/kernel/tensor_access.h>
#include <executorch/schema/program_generated.h>

namespace executorch {
namespace runtime {

class Program;

namespace internal {

enum class InstructionKind : uint8_t {
  kKernel,
  kDelegate,
  kCheckedKernel,    ///< As kKernel, but what it writes is looked at before each call.
  kCheckedDelegate,  ///< As kDelegate.
  kMove,
  kJumpIfFalse,
  kFree
};

/// A delegate whose backend has initialized it.
struct LoadedDelegate {
  BackendInterface* backend;
  DelegateHandle* handle;
  FreeableBuffer data;
};

/// An instruction with all its indices turned into pointers, so that executing it looks nothing up.
struct LoadedInstruction {
  /// Of a kernel, a bit for each place of an argument that is written; of a delegate, how many of
  /// the tensors at the end are. See `call_plan.h`.
  uint32_t written : 24;
  InstructionKind kind;
  /// Entries in `arguments`.
  uint32_t num_arguments;
  union {
    OpFunction kernel;                    ///< kKernel
    LoadedDelegate* delegate;             ///< kDelegate
    const EValue* source;                 ///< kMove: copied from; kJumpIfFalse: the condition
    executorch::aten::TensorImpl* freed;  ///< kFree
  };
  union {
    EValue** arguments;   ///< kKernel, kDelegate
    EValue* destination;  ///< kMove
    size_t target;        ///< kJumpIfFalse: at most the number of instructions in the chain
  };
};

/// A sequence of instructions.
struct LoadedChain {
  LoadedInstruction* instructions;
  size_t num_instructions;
};

/// An input or output of the method.
struct MethodIo {
  /// The value's place. A program may overwrite it: with a MoveCall, or a kernel that returns no
  /// tensor. So the next execution starts from `initial`.
  EValue* slot;
  EValue initial;
  /// Of a tensor: bytes of the largest shape it can have.
  size_t nbytes_bound;
  /// Of a tensor: whether the program provides its memory.
  bool has_memory;
  /// Of an input.
  bool is_set;
};

/// The data of an external constant, shared by all tensors with its key.
struct ExternalConstant {
  const char* key;
  uint32_t key_hash;
  FreeableBuffer data;
};

/// Everything about a loaded method. All of it lies in the method allocator's memory, and counts
/// only say how much is initialized, so that a method that failed to load can be torn down.
struct MethodState {
  const Program* program = nullptr;
  const executorch_flatbuffer::ExecutionPlan* plan = nullptr;
  EventTracer* event_tracer = nullptr;
  MemoryAllocator* temp_allocator = nullptr;
  /// Program's and caller's data together, may be null.
  const NamedDataMap* named_data = nullptr;

  /// Where the above point if the caller did not provide it.
  PlatformMemoryAllocator* own_temp_allocator = nullptr;
  MergedDataMap* merged_data = nullptr;

  Span<EValue> values;
  Span<executorch::aten::TensorImpl> tensors;
  TensorAccess tensor_access;
  /// Of the first planned buffer, if it has no memory but what the inputs' sizes need.
  SizedArena* arena = nullptr;
  Span<LoadedChain> chains;
  Span<LoadedDelegate> delegates;
  Span<ExternalConstant> external_constants;
  Span<MethodIo> inputs;
  Span<MethodIo> outputs;

  /// The instruction that `step` runs next; the end is chain `chains.size()`.
  size_t chain_index = 0;
  size_t instruction_index = 0;

  MethodState() = default;
  MethodState(const MethodState&) = delete;
  MethodState& operator=(const MethodState&) = delete;
  ~MethodState();
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
