#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace executorch {
namespace backends {
namespace vulkan {

/// SPIR-V that was compiled and validated when this library was built.
struct Shader {
  const char* name;
  const uint32_t* code;
  /// In bytes.
  size_t size;
  /// A character for each buffer: '.' where it is bound as storage, else the format of its texels:
  /// one or four floats of 32 (f, F) or 16 bits (h, H), an int (i), one or four uints (u, U).
  const char* formats;
};

/// A shader by the name of its file and variant, such as "unary_float", and "unary_float_texel" for
/// what reads texel buffers; null if there is none.
const Shader* find_shader(const std::string& name);

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
