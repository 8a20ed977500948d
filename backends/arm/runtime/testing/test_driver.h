/// @file
/// A driver of the documented interface without an NPU: it knows command streams by their hash and
/// runs the TOSA graph that Vela compiled each from. Inputs, outputs and memory are where a real
/// one has them, so that a whole firmware can be tested under an emulator.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/backends/arm/runtime/vela_blob.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace arm {

/// A command stream that the driver knows.
struct TestProgram {
  uint64_t commands_hash;  // `hash_of` its payload.
  const uint8_t* tosa;     // The file that Vela was given, at a multiple of 8.
  size_t tosa_size;
  /// Where the blob says that inputs and outputs lie: its two lists, without their counts.
  VelaIos inputs;
  VelaIos outputs;
};

/// FNV-1a of 64 bits.
uint64_t hash_of(const void* data, size_t size);

/// What the driver has from now on.
///
/// @param memory For the tensors of one graph, all of them.
void set_test_programs(runtime::Span<const TestProgram> programs, runtime::Span<uint8_t> memory);

/// How many command streams have run without an error.
uint32_t test_driver_runs();

/// A clock, for firmware that wants to know what the driver took: ticks now, and from one to
/// another.
struct TestClock {
  uint32_t (*now)(void);
  uint32_t (*between)(uint32_t, uint32_t);
};

/// From now on each run is timed with it.
void set_test_clock(const TestClock& clock);

/// What the runs since `set_test_programs` took together, by that clock: in place of an NPU's time.
uint32_t test_driver_ticks();

/// Whether an NPU is reserved and not given back.
bool test_driver_is_reserved();

}  // namespace arm
}  // namespace backends
}  // namespace executorch
