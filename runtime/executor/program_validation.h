#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/compiler.h>

// Only names, so that the flatbuffer headers stay out of this one.
namespace executorch_flatbuffer {
struct ExecutionPlan;
struct Program;
struct Tensor;
}  // namespace executorch_flatbuffer

namespace executorch {
namespace runtime {

/// Checks a serialized tensor by itself: known dtype, rank within the limit, no negative size, a
/// dim order that is a permutation, no overflow of elements, bytes or strides.
///
/// The tensor must lie in a buffer that the flatbuffers verifier has accepted.
///
/// @retval Error::InvalidProgram Something is wrong; the log says what.
/// @retval Error::NotSupported A layout, storage offset or device that this runtime does not have.
ET_NODISCARD Error validate_tensor(const executorch_flatbuffer::Tensor* tensor);

/// Checks every method of a program with `internal::validate_plan`.
ET_NODISCARD Error validate_program(const executorch_flatbuffer::Program* program);

namespace internal {

/// Checks that all the references within a method make sense: value indices, operator and delegate
/// indices, jump targets, the types of list elements, the place of every tensor in planned memory
/// or in a segment.
///
/// Loading a method relies on this and does not look again. What it cannot see are the sizes of the
/// caller's buffers, the kernels and backends that are there, and external data.
///
/// @retval Error::InvalidProgram Something is wrong; the log says what.
/// @retval Error::NotSupported Something that this runtime does not have.
ET_NODISCARD Error validate_plan(const executorch_flatbuffer::Program* program,
                                 const executorch_flatbuffer::ExecutionPlan* plan);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
