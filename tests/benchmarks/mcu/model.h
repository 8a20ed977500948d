/// @file
/// What embed.py writes of a model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mcu {

/// A program, an input and what should come of it.
struct Model {
  const char* name;
  const uint8_t* program;
  size_t program_size;
  uint8_t* planned;  // memory for what the planner asked for
  size_t planned_size;
  const float* input;
  const int32_t* sizes;
  size_t rank;
  const float* expected;
  size_t outputs;
  float tolerance;
  uint32_t macs;
};

extern const Model kModel;

}  // namespace mcu

/// A board whose first memory is too small names another.
#if defined(MCU_PLANNED_AT)
#define MCU_PLANNED_MEMORY(name, size) \
  static uint8_t* const name = reinterpret_cast<uint8_t*>(MCU_PLANNED_AT)
#else
#define MCU_PLANNED_MEMORY(name, size) alignas(16) static uint8_t name[size]
#endif
