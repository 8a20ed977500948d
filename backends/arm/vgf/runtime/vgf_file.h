/// @file
/// Reads VGF files; `vgf.fbs` says how they are laid out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace arm {

/// A tensor of the file.
struct VgfTensor {
  int32_t format;  // Vulkan's number.
  std::vector<int64_t> shape;
  size_t bytes;
  bool is_constant;
};

/// Where a graph finds a tensor.
struct VgfBinding {
  uint32_t set;
  uint32_t binding;
  uint32_t tensor;
};

/// Bytes within the file.
struct VgfConstant {
  uint32_t id;  // What the graph calls it by.
  uint32_t tensor;
  const uint8_t* data;
};

/// A graph to be run.
struct VgfSegment {
  /// A copy, since a file need not be aligned.
  std::vector<uint32_t> spirv;
  std::string entry_point;
  uint32_t num_sets;
  std::vector<VgfBinding> bindings;
  std::vector<VgfConstant> constants;
};

/// What a file says. Constants point into it.
struct VgfFile {
  std::vector<VgfTensor> tensors;
  std::vector<VgfSegment> segments;  // In order of execution.
  std::vector<uint32_t> inputs;      // Indices of tensors.
  std::vector<uint32_t> outputs;
};

/// Bytes of an element of a tensor with one of Vulkan's formats; 0 for those that tensors here do
/// not have.
size_t vgf_element_size(int32_t format);

/// Reads and checks a file: all parts lie in it, all numbers of tensors, modules and constants are
/// those of some, all sizes can be counted.
///
/// @retval Error::DelegateInvalidCompatibility It is no such file; the log says why.
/// @retval Error::NotSupported It has what this runtime does not run: shaders, sparse constants,
///     tensors that share memory or have gaps.
runtime::Result<VgfFile> read_vgf_file(const void* data, size_t size);

}  // namespace arm
}  // namespace backends
}  // namespace executorch
