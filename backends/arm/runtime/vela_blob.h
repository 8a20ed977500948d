/// @file
/// The blob of the Ethos-U delegate: what Vela made of a graph. `backends/arm/ethosu/vela.py`,
/// which writes it, says how it is laid out.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace arm {

/// The regions of memory that a command stream speaks of.
enum Region : uint32_t { kWeights = 0, kScratch = 1, kFastScratch = 2, kRegions = 3 };

constexpr size_t kVelaDimensions = 6;

/// Where an input or output lies.
struct VelaIo {
  uint32_t shape[kVelaDimensions];  // Ones in front.
  uint32_t element_size;            // In bytes: 1, 2, 4 or 8.
  uint32_t offset;                  // Into the region.
  uint32_t region;                  // kScratch or kFastScratch.
  uint32_t elements;                // The product of the shape.

  size_t bytes() const { return size_t{elements} * element_size; }
};

/// Some inputs or outputs, within the blob.
struct VelaIos {
  const uint8_t* rows;
  size_t size;

  /// One of them; `read_vela_blob` has looked at all.
  VelaIo operator[](size_t index) const;
};

/// A view of a blob: pointers into it, and into what stands beside it.
struct VelaBlob {
  const uint8_t* commands;
  size_t commands_size;
  const uint8_t* weights;
  size_t weights_size;
  size_t scratch_size;
  /// Bytes of fast scratch that inputs and outputs reach to; commands may reach further.
  size_t fast_scratch_used;
  VelaIos inputs;
  VelaIos outputs;
};

/// What stands beside a blob, under keys of the program's named data.
struct VelaExternal {
  static constexpr size_t kMost = 5;
  /// Where such data is found; null if there is none.
  const runtime::NamedDataMap* data = nullptr;
  /// What was found, which the blob's pointers lead into.
  runtime::FreeableBuffer buffers[kMost];
  size_t size = 0;
};

/// Reads and checks a blob: every block lies in it or beside it, every input and output lies in the
/// scratch buffer or, whose size the file does not have, in fast scratch.
///
/// @retval Error::DelegateInvalidCompatibility It is no such blob; the log says where.
/// @retval Error::InvalidExternalData A block stands beside it, and there is no named data.
/// @retval Error::NotFound The named data does not have it.
runtime::Result<VelaBlob> read_vela_blob(const void* data, size_t size, VelaExternal& external);

}  // namespace arm
}  // namespace backends
}  // namespace executorch
