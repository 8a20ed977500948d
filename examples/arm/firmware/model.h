/// @file
/// What embed.py writes of a model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ethosu_example {

/// An input of the program, float32.
struct Input {
  const float* data;
  const int32_t* sizes;
  size_t rank;
};

/// A program with one delegate of Ethos-U, what the test driver has to know of it, and what should
/// come of it.
struct Model {
  const char* name;
  const char* target;
  const char* memory_mode;
  const uint8_t* program;
  size_t program_size;
  size_t scratch_size;
  size_t fast_scratch_size;
  // For the test driver: see `executorch::backends::arm::TestProgram`.
  uint64_t commands_hash;
  const uint8_t* tosa;
  size_t tosa_size;
  const uint8_t* input_rows;
  const uint8_t* output_rows;
  size_t num_outputs;
  const Input* inputs;
  size_t num_inputs;
  // Of the first output, as TOSA's reference model calculates it.
  const float* expected;
  size_t num_expected;
};

extern const Model kModel;

}  // namespace ethosu_example
