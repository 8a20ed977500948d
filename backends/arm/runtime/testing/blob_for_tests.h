/// @file
/// Blobs for the Ethos-U delegate, written by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace executorch {
namespace backends {
namespace arm {

inline std::string word(uint32_t value) {
  std::string text(sizeof(value), '\0');
  for (size_t i = 0; i < sizeof(value); ++i) {
    text[i] = static_cast<char>(value >> (8 * i));
  }
  return text;
}

/// @param is_key `data` is the name of what stands beside the blob.
inline std::string block(const std::string& name, const std::string& data, bool is_key = false) {
  std::string text = name;
  text.resize(16);
  text +=
      word(static_cast<uint32_t>(data.size())) + word(is_key ? 1 : 0) + std::string(8, '\0') + data;
  text.resize(text.size() + (16 - data.size() % 16) % 16);
  return text;
}

/// An input or output: sizes, bytes of an element, offset, region.
using Row = std::vector<uint32_t>;

inline std::string rows(const std::vector<Row>& all) {
  std::string text = word(static_cast<uint32_t>(all.size()));
  for (const Row& row : all) {
    for (const uint32_t value : row) {
      text += word(value);
    }
  }
  return text;
}

/// A payload of the driver: a configuration, and commands of the NPU.
inline std::string payload(const std::vector<uint32_t>& commands) {
  std::string text = "COP1" + word(0x00100001) + word(0x1807) + word(0x10066001) + word(5) +
                     word(5) + word(5) + word(static_cast<uint32_t>(commands.size() << 16) | 2);
  for (const uint32_t command : commands) {
    text += word(command);
  }
  return text;
}

struct BlobParts {
  // The input's region is 1, then the output's address, then stop.
  std::string commands = payload({0x0001010f, 0x00004010, 0x20, 0x0001011f, 0x00000000});
  std::string weights = std::string(40, 'w');
  bool is_beside = false;  // Commands and weights are keys.
  std::string scratch = word(64);
  std::vector<Row> inputs = {{1, 1, 1, 2, 3, 4, 1, 0, 1}};
  std::vector<Row> outputs = {{1, 1, 1, 1, 1, 24, 1, 32, 1}};
};

inline std::string blob(const BlobParts& parts = {}) {
  return block("vela_bin_stream", "") + block("cmd_data", parts.commands, parts.is_beside) +
         block("weight_data", parts.weights, parts.is_beside) +
         block("scratch_size", parts.scratch) + block("inputs", rows(parts.inputs)) +
         block("outputs", rows(parts.outputs)) + block("vela_end_stream", "");
}

}  // namespace arm
}  // namespace backends
}  // namespace executorch
