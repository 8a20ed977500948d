/// @file
/// What each call of a method may write. Internal to the executor.
///
/// Neither a kernel nor a backend has to trust the file: before one is called the executor knows
/// that what it writes may be written, and shares no bytes with its other arguments. A kernel may
/// read its input twice and rely on what it counted the first time; one whose output is its input
/// writes past its memory, or gives a wrong result that nobody notices.
///
/// Planned memory and constants stay where they are, so calls of these are decided about once, when
/// the method is loaded. The others are decided about before each call: arguments whose memory the
/// application gives or an allocator, values that another instruction may replace.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/method_state.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/kernel/tensor_access.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Which of a call's arguments are written, as an instruction keeps it.
struct WrittenPlaces {
  /// A bit for each place; see `WrittenArguments`.
  uint32_t places;
  /// All tensors from this one on, counted over the arguments and what is in their lists.
  size_t first_tensor;

  bool contains(size_t place, size_t tensor) const {
    constexpr size_t kLast = WrittenArguments::kLastPlace;
    return tensor >= first_tensor || (places >> (place < kLast ? place : kLast) & 1u) != 0;
  }
};

/// What a kernel writes of these arguments, as a bit for each place. Where it does not say: the
/// tensors of its result, and as many arguments before it.
uint32_t written_by_kernel(WrittenArguments written, Span<EValue* const> arguments);

/// What a delegate writes: the last `num_outputs` of the tensors among its arguments.
WrittenPlaces delegate_places(size_t num_outputs, Span<EValue* const> arguments);

/// What a loaded call writes.
inline WrittenPlaces written_places(const LoadedInstruction& call) {
  const bool is_delegate =
      call.kind == InstructionKind::kDelegate || call.kind == InstructionKind::kCheckedDelegate;
  return is_delegate ? delegate_places(call.written, {call.arguments, call.num_arguments})
                     : WrittenPlaces{call.written, SIZE_MAX};
}

/// Decides about the calls of one method while it is loaded.
class CallPlan {
 public:
  /// @param access Says of each tensor what may become of it.
  explicit CallPlan(TensorAccess& access) : access_(access) {}

  /// An instruction may put a value of another kind into `value`: calls that have it are decided
  /// about each time. If it holds no tensor now, nobody knows which will get one: all calls are.
  void expect_replacement(const EValue& value);

  /// Decides as far as it is known now.
  ///
  /// @returns Whether to ask `check_call` before each call.
  /// @retval Error::InvalidProgram A tensor is written that is constant, or has bytes of another
  ///     argument; or there are so many arguments that loading would take minutes.
  Result<bool> decide(Span<EValue* const> arguments, WrittenPlaces written);

 private:
  Error count_comparisons(size_t count);

  TensorAccess& access_;
  bool has_unknown_ = false;
  size_t num_comparisons_ = 0;
};

/// Decides about a call with the tensors that are there now.
///
/// @retval Error::InvalidArgument A tensor is written that has bytes of another argument.
/// @retval Error::InvalidProgram A tensor is written that may not be.
ET_NODISCARD Error check_call(const TensorAccess& access, Span<EValue* const> arguments,
                              WrittenPlaces written);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
