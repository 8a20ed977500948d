#pragma once

#include <cstdint>

namespace executorch {
namespace backends {
namespace xnnpack {

/// What `_tile_loadconfig` takes: rows and their bytes for each of the tiles.
struct alignas(64) TileConfig {
  uint8_t palette;
  uint8_t start_row;
  uint8_t reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
