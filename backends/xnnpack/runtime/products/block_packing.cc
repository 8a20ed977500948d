#include <algorithm>
#include <cstring>

#include <pthreadpool.h>

#include <executorch/backends/xnnpack/runtime/products/block_packing.h>
#include <executorch/extension/threadpool/threadpool.h>

namespace executorch {
namespace backends {
namespace xnnpack {

namespace {

// Sixteen weights of a column, which lie in eight bytes, go to eight bytes: those of the first half
// to the low halves of the bytes, the others to the high ones.
constexpr size_t kRun = 16;
constexpr size_t kRunBytes = kRun / 2;
// Weights are stored plus 8, and packed as signed numbers.
constexpr uint64_t kSigns = 0x8888888888888888u;
constexpr uint64_t kLow = 0x0F0F0F0F0F0F0F0Fu;

struct Weights {
  size_t columns;
  size_t depth;
  size_t nr;
  size_t block;
  const uint8_t* data;
  const uint16_t* scales;
  uint8_t* packed;
  size_t extra_bytes_block;
  size_t extra_bytes_columns;
  int32_t zero_point;

  size_t blocks() const { return depth / block; }
  /// Bytes of the columns that are packed together.
  size_t panel_bytes() const {
    return nr * (sizeof(float) + depth / 2) + blocks() * extra_bytes_block + extra_bytes_columns;
  }
};

float float_of(uint16_t bfloat16) {
  const uint32_t bits = uint32_t{bfloat16} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The eight halves of `word`, each in a byte of its own.
uint64_t spread(uint32_t word) {
  uint64_t wide = word;
  wide = (wide | wide << 16) & 0x0000FFFF0000FFFFu;
  wide = (wide | wide << 8) & 0x00FF00FF00FF00FFu;
  return (wide | wide << 4) & kLow;
}

/// The sum of sixteen weights, as the numbers that they stand for.
int32_t sum_of(uint64_t run) {
  const uint64_t pairs = (run & kLow) + (run >> 4 & kLow);
  return int32_t(pairs * 0x0101010101010101u >> 56) - int32_t(kRun) * 8;
}

/// Packs a column into its place in the panel; `sum` is where the panel has the column's sum.
void pack_column(const Weights& weights, size_t column, uint8_t* packed, float* sum) {
  const uint8_t* from = weights.data + column * weights.depth / 2;
  const uint16_t* scale = weights.scales + column * weights.blocks();
  float total = *sum;
  for (size_t block = 0; block < weights.blocks(); ++block) {
    const float factor = float_of(scale[block]);
    for (size_t k = 0; k < weights.block; k += kRun) {
      uint64_t run;
      std::memcpy(&run, from, sizeof(run));
      from += sizeof(run);
      const uint64_t pairs = (spread(uint32_t(run)) | spread(uint32_t(run >> 32)) << 4) ^ kSigns;
      std::memcpy(packed, &pairs, sizeof(pairs));
      packed += weights.nr * kRunBytes;
      total -= float(sum_of(run)) * float(weights.zero_point) * factor;
    }
    packed += weights.extra_bytes_block;
  }
  *sum = total;
}

void pack_panel(void* context, size_t index) {
  const Weights& weights = *static_cast<const Weights*>(context);
  uint8_t* const panel = weights.packed + index * weights.panel_bytes();
  const size_t first = index * weights.nr;
  const size_t count = std::min(weights.nr, weights.columns - first);
  for (size_t i = 0; i < count; ++i) {
    float sum;
    std::memcpy(&sum, panel + i * sizeof(float), sizeof(sum));
    pack_column(weights, first + i, panel + weights.nr * sizeof(float) + i * kRunBytes, &sum);
    std::memcpy(panel + i * sizeof(float), &sum, sizeof(sum));
  }
}

bool is_little_endian() {
  const uint16_t one = 1;
  uint8_t first;
  std::memcpy(&first, &one, sizeof(first));
  return first == 1;
}

}  // namespace

void pack_blocks(size_t groups, size_t columns, size_t depth, size_t nr, size_t kr, size_t sr,
                 size_t block, const uint8_t* weights, const float* bias, const uint16_t* scales,
                 void* packed, size_t extra_bytes_block, size_t extra_bytes_columns,
                 const void* params) {
  const bool is_known = groups == 1 && kr == kRunBytes && sr == 1 && block % kRun == 0 &&
                        block != 0 && depth % block == 0 && is_little_endian();
  if (!is_known) {
    xnn_reference_block_packing(groups, columns, depth, nr, kr, sr, block, weights, bias, scales,
                                packed, extra_bytes_block, extra_bytes_columns, params);
    return;
  }
  // The first member of XNNPACK's parameters.
  int8_t zero_point;
  std::memcpy(&zero_point, params, sizeof(zero_point));
  Weights all = {columns,
                 depth,
                 nr,
                 block,
                 weights,
                 scales,
                 static_cast<uint8_t*>(packed),
                 extra_bytes_block,
                 extra_bytes_columns,
                 zero_point};
  pthreadpool_parallelize_1d(extension::threadpool::get_pthreadpool(), pack_panel, &all,
                             (columns + nr - 1) / nr, /*flags=*/0);
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
