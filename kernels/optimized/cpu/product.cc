#include <cstring>

#include <executorch/kernels/optimized/cpu/engine.h>
#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>

namespace torch::executor::native::optimized {
namespace {

using util::FloatProduct;

/// The widest tile of any instruction set.
constexpr size_t kMostColumns = 48;
constexpr size_t kMostRows = 8;
constexpr size_t kMostLanes = 16;
/// Inner elements of a panel that was turned round, and rows that share it: 48 and 24 KiB of each
/// thread's stack. With half of the depth, (128 x 3072) (3072 x 768) takes 1.08 times as long
/// (AVX2, one thread) and products of up to 768 inner elements 0.95 to 1.01 times; with half of the
/// rows, most take 1.05 times as long, since panels are turned round more often; with rows of a
/// panel that are as long as the tile is wide, 1.02 to 1.08 times.
constexpr size_t kDepth = 256;
constexpr size_t kBlockRows = 128;
/// Inner elements of a matrix that is read where it is, and of one that is narrower than a vector.
constexpr size_t kDirectDepth = 2048;
constexpr size_t kNarrowDepth = 64;
/// Columns behind the last vector that are cheaper as scalar products, and their inner elements.
constexpr size_t kMostRest = kMostLanes / 4;
constexpr size_t kRestDepth = 1024;
/// Multiplications below which a thread of its own does not pay.
constexpr size_t kGrain = 200000;

size_t min(size_t a, size_t b) { return a < b ? a : b; }

size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

/// True if each row has one bias.
bool has_row_bias(const FloatProduct& p) { return p.bias != nullptr && p.bias_column_stride == 0; }

/// True if each column has one bias, one beside the other.
bool has_column_bias(const FloatProduct& p) {
  return p.bias != nullptr && p.bias_row_stride == 0 && p.bias_column_stride == 1;
}

/// Writes a block of results, `acc[r * kMostColumns + j]`, after the bias was added to it if it
/// still has to be.
void write_block(const FloatProduct& p, bool add_bias, size_t m, size_t rows, size_t n,
                 size_t columns, float* acc) {
  if (add_bias && p.bias != nullptr) {
    for (size_t r = 0; r < rows; ++r) {
      const float* bias = p.bias + static_cast<ptrdiff_t>(m + r) * p.bias_row_stride +
                          static_cast<ptrdiff_t>(n) * p.bias_column_stride;
      for (size_t j = 0; j < columns; ++j) {
        acc[r * kMostColumns + j] += bias[static_cast<ptrdiff_t>(j) * p.bias_column_stride];
      }
    }
  }
  float* out = p.out + static_cast<ptrdiff_t>(m) * p.out_row_stride +
               static_cast<ptrdiff_t>(n) * p.out_column_stride;
  if (p.out_column_stride == 1) {
    for (size_t r = 0; r < rows; ++r) {
      std::memcpy(out + static_cast<ptrdiff_t>(r) * p.out_row_stride, acc + r * kMostColumns,
                  columns * sizeof(float));
    }
  } else {
    simd->transpose(acc, kMostColumns, rows, columns, out, p.out_column_stride);
  }
}

/// The right matrix is contiguous along the inner dimension: panels of it are turned round.
class TransposedProduct {
 public:
  explicit TransposedProduct(const FloatProduct& p)
      : p_(p),
        panel_columns_(simd->tile_vectors * simd->lanes),
        blocks_(divide_up(p.m, kBlockRows)) {
    for (size_t k = 0; k < kDepth; ++k) {
      offset_[k] = static_cast<int32_t>(k * kMostColumns);
    }
  }

  /// A unit is a block of rows of a panel.
  size_t units() const { return blocks_ * divide_up(p_.n, panel_columns_); }

  void run(size_t begin, size_t end) {
    packed_ = SIZE_MAX;
    for (size_t unit = begin; unit < end; ++unit) {
      run_block(unit / blocks_ * panel_columns_, unit % blocks_ * kBlockRows);
    }
  }

 private:
  void run_block(size_t n, size_t m) {
    const size_t columns = min(panel_columns_, p_.n - n);
    const size_t rows = min(kBlockRows, p_.m - m);
    const size_t vectors = divide_up(columns, simd->lanes);
    float bias[kMostRows];
    Tile tile = {};
    tile.bias = bias;
    tile.left_stride = p_.left_row_stride;
    tile.right = panel_;
    tile.offset = offset_;
    tile.out_stride = kMostColumns;
    for (size_t k = 0; k < p_.k; k += kDepth) {
      tile.depth = min(kDepth, p_.k - k);
      tile.start = k == 0 ? Tile::Start::kZero : Tile::Start::kOut;
      // With all of the inner dimension in one panel, the blocks of rows share it.
      if (packed_ != n || p_.k > kDepth) {
        if (columns < vectors * simd->lanes) {
          std::memset(panel_, 0, sizeof(panel_));
        }
        simd->transpose(p_.right + static_cast<ptrdiff_t>(n) * p_.right_column_stride + k,
                        p_.right_column_stride, columns, tile.depth, panel_, kMostColumns);
        packed_ = n;
      }
      for (size_t r = 0; r < rows; r += simd->tile_rows) {
        tile.left = p_.left + static_cast<ptrdiff_t>(m + r) * p_.left_row_stride + k;
        tile.out = acc_ + r * kMostColumns;
        const size_t height = min(simd->tile_rows, rows - r);
        if (k == 0 && has_row_bias(p_)) {
          tile.start = Tile::Start::kRowBias;
          for (size_t i = 0; i < height; ++i) {
            bias[i] = p_.bias[static_cast<ptrdiff_t>(m + r + i) * p_.bias_row_stride];
          }
        }
        simd->tile(tile, height, vectors);
      }
    }
    write_block(p_, !has_row_bias(p_), m, rows, n, columns, acc_);
  }

  const FloatProduct& p_;
  const size_t panel_columns_;
  const size_t blocks_;
  size_t packed_ = SIZE_MAX;
  int32_t offset_[kDepth];
  alignas(64) float panel_[kDepth * kMostColumns];
  alignas(64) float acc_[kBlockRows * kMostColumns];
};

/// The right matrix is contiguous along its rows: tiles read it where it is. The last columns, if
/// they are less than a vector, are calculated in a vector that reaches back into the ones before
/// them, or by scalar products if they are much less.
class DirectProduct {
 public:
  explicit DirectProduct(const FloatProduct& p)
      : p_(p), panel_columns_(simd->tile_vectors * simd->lanes) {
    // Whichever matrix stays in the cache is read again and again.
    constexpr size_t kCached = 384 * 1024 / sizeof(float);
    rows_outside_ = p.k * p.n <= kCached || p.m > p.n;
    const size_t depth = min(p_.k, kDirectDepth);
    for (size_t k = 0; k < depth; ++k) {
      offset_[k] = static_cast<int32_t>(static_cast<ptrdiff_t>(k) * p_.right_row_stride);
    }
  }

  /// The last unit of columns takes what is left, so that no two units write the same.
  size_t units() const {
    return rows_outside_ ? divide_up(p_.m, simd->tile_rows)
                         : 1 + (p_.n - 1) / panel_columns_ - (last_is_short() ? 1 : 0);
  }

  void run(size_t begin, size_t end) {
    const size_t rows = simd->tile_rows;
    for (size_t unit = begin; unit < end; ++unit) {
      if (rows_outside_) {
        run_columns(unit * rows, 0, p_.n);
        continue;
      }
      const size_t n = unit * panel_columns_;
      const size_t after = unit + 1 == units() ? p_.n : n + panel_columns_;
      for (size_t m = 0; m < p_.m; m += rows) {
        run_columns(m, n, after);
      }
    }
  }

 private:
  bool last_is_short() const { return p_.n > panel_columns_ && p_.n % panel_columns_ != 0; }

  void run_columns(size_t m, size_t n, size_t end) {
    const size_t begin = n;
    while (n < end) {
      const size_t whole = min(simd->tile_vectors, (end - n) / simd->lanes);
      if (whole > 0) {
        run_tile(m, n, whole * simd->lanes);
        n += whole * simd->lanes;
      } else if (4 * (end - n) <= simd->lanes && p_.k >= kNarrowDepth && p_.k <= kRestDepth) {
        run_rest(m, n, end - n);
        n = end;
      } else if (end - begin >= simd->lanes) {
        run_tile(m, end - simd->lanes, simd->lanes);
        n = end;
      } else {
        run_narrow(m, n, end - n);
        n = end;
      }
    }
  }

  void run_tile(size_t m, size_t n, size_t columns) {
    Tile tile = {};
    const size_t rows = min(simd->tile_rows, p_.m - m);
    const bool direct = p_.out_column_stride == 1 &&
                        (p_.bias == nullptr || has_row_bias(p_) || has_column_bias(p_));
    tile.left_stride = p_.left_row_stride;
    tile.offset = offset_;
    tile.out = direct ? p_.out + static_cast<ptrdiff_t>(m) * p_.out_row_stride + n : acc_;
    tile.out_stride = direct ? p_.out_row_stride : static_cast<ptrdiff_t>(kMostColumns);
    for (size_t k = 0; k < p_.k; k += kDirectDepth) {
      tile.depth = min(kDirectDepth, p_.k - k);
      tile.left = p_.left + static_cast<ptrdiff_t>(m) * p_.left_row_stride + k;
      tile.right = p_.right + static_cast<ptrdiff_t>(k) * p_.right_row_stride + n;
      tile.start = k > 0 ? Tile::Start::kOut : Tile::Start::kZero;
      if (k == 0 && direct && has_row_bias(p_)) {
        start_from_bias(m, rows, tile);
      } else if (k == 0 && direct && has_column_bias(p_)) {
        tile.bias = p_.bias + n;
        tile.start = Tile::Start::kColumnBias;
      }
      simd->tile(tile, rows, columns / simd->lanes);
    }
    if (!direct) {
      write_block(p_, true, m, rows, n, columns, acc_);
    }
  }

  /// The matrix is narrower than a vector: a copy of it is wider.
  void run_narrow(size_t m, size_t n, size_t columns) {
    Tile tile = {};
    const size_t rows = min(simd->tile_rows, p_.m - m);
    alignas(64) float panel[kNarrowDepth * kMostLanes];
    int32_t offset[kNarrowDepth];
    tile.left_stride = p_.left_row_stride;
    tile.right = panel;
    tile.offset = offset;
    tile.out = acc_;
    tile.out_stride = kMostColumns;
    std::memset(panel, 0, sizeof(panel));
    for (size_t k = 0; k < p_.k; k += kNarrowDepth) {
      tile.depth = min(kNarrowDepth, p_.k - k);
      tile.left = p_.left + static_cast<ptrdiff_t>(m) * p_.left_row_stride + k;
      tile.start = k > 0 ? Tile::Start::kOut : Tile::Start::kZero;
      for (size_t i = 0; i < tile.depth; ++i) {
        const float* from = p_.right + static_cast<ptrdiff_t>(k + i) * p_.right_row_stride + n;
        offset[i] = static_cast<int32_t>(i * simd->lanes);
        for (size_t j = 0; j < columns; ++j) {
          panel[i * simd->lanes + j] = from[j];
        }
      }
      simd->tile(tile, rows, 1);
    }
    write_block(p_, true, m, rows, n, columns, acc_);
  }

  /// Scalar products of some rows with the last columns, of which there is a copy that is
  /// contiguous.
  void run_rest(size_t m, size_t n, size_t columns) {
    if (!has_rest_) {
      has_rest_ = true;
      for (size_t j = 0; j < columns; ++j) {
        for (size_t k = 0; k < p_.k; ++k) {
          rest_[j][k] = p_.right[static_cast<ptrdiff_t>(k) * p_.right_row_stride + n + j];
        }
      }
    }
    const size_t rows = min(simd->tile_rows, p_.m - m);
    for (size_t j = 0; j < columns; ++j) {
      float sum[kMostRows];
      simd->dot(p_.left + static_cast<ptrdiff_t>(m) * p_.left_row_stride, p_.left_row_stride, rows,
                rest_[j], p_.k, sum);
      for (size_t r = 0; r < rows; ++r) {
        acc_[r * kMostColumns + j] = sum[r];
      }
    }
    write_block(p_, true, m, rows, n, columns, acc_);
  }

  void start_from_bias(size_t m, size_t rows, Tile& tile) {
    for (size_t r = 0; r < rows; ++r) {
      bias_[r] = p_.bias[static_cast<ptrdiff_t>(m + r) * p_.bias_row_stride];
    }
    tile.bias = bias_;
    tile.start = Tile::Start::kRowBias;
  }

  const FloatProduct& p_;
  const size_t panel_columns_;
  bool rows_outside_;
  bool has_rest_ = false;
  int32_t offset_[kDirectDepth];
  float bias_[kMostRows];
  float rest_[kMostRest][kRestDepth];
  alignas(64) float acc_[kMostRows * kMostColumns];
};

template <typename Product>
void run(const FloatProduct& p) {
  const size_t units = Product(p).units();
  const size_t grain = 1 + kGrain / (1 + p.m * p.n * p.k / units);
  util::parallel_for(units, grain, [&p](size_t begin, size_t end) { Product(p).run(begin, end); });
}

/// Rows of a large matrix that are multiplied by a vector at a time. Several share what is loaded
/// of the vector, which pays in the caches. From memory, rows that end before the processor has
/// noticed that they are read one after the other come twice as fast alone.
size_t rows_at_a_time(const FloatProduct& p) {
  constexpr size_t kShort = 768;
  constexpr size_t kCached = 512 * 1024 / sizeof(float);
  return p.k < kShort && p.m * p.k > kCached ? 1 : kMostRows;
}

/// One or a few columns, contiguous along the inner dimension on both sides: scalar products.
void multiply_vectors(const FloatProduct& p) {
  const size_t step = rows_at_a_time(p);
  const size_t blocks = divide_up(p.m, step);
  const size_t grain = 1 + kGrain / 4 / (step * p.n * p.k + 1);
  util::parallel_for(blocks, grain, [&p, step](size_t begin, size_t end) {
    for (size_t block = begin; block < end; ++block) {
      const size_t m = block * step;
      const size_t rows = min(step, p.m - m);
      for (size_t j = 0; j < p.n; ++j) {
        float acc[kMostRows];
        simd->dot(p.left + static_cast<ptrdiff_t>(m) * p.left_row_stride, p.left_row_stride, rows,
                  p.right + static_cast<ptrdiff_t>(j) * p.right_column_stride, p.k, acc);
        for (size_t r = 0; r < rows; ++r) {
          const ptrdiff_t row = static_cast<ptrdiff_t>(m + r);
          const ptrdiff_t column = static_cast<ptrdiff_t>(j);
          const float bias = p.bias == nullptr
                                 ? 0.0f
                                 : p.bias[row * p.bias_row_stride + column * p.bias_column_stride];
          p.out[row * p.out_row_stride + column * p.out_column_stride] = acc[r] + bias;
        }
      }
    }
  });
}

FloatProduct turned(const FloatProduct& p) {
  return {p.n,
          p.m,
          p.k,
          p.right,
          p.right_column_stride,
          p.right_row_stride,
          p.left,
          p.left_column_stride,
          p.left_row_stride,
          p.out,
          p.out_column_stride,
          p.out_row_stride,
          p.bias,
          p.bias_column_stride,
          p.bias_row_stride};
}

constexpr size_t kFewColumns = 4;

}  // namespace

bool multiply(const FloatProduct& given) {
  // The left matrix is the one that is contiguous along the inner dimension.
  const bool turn = given.left_column_stride != 1 && given.right_row_stride == 1;
  const FloatProduct p = turn ? turned(given) : given;
  // Offsets within a panel are 32 bits wide.
  constexpr ptrdiff_t kFarthest = INT32_MAX / static_cast<ptrdiff_t>(kDirectDepth);
  if (p.left_column_stride != 1 || (p.out_column_stride != 1 && p.out_row_stride != 1) ||
      p.k == 0) {
    return false;
  }
  if (p.right_row_stride == 1 && (p.n <= kFewColumns || p.m <= kFewColumns)) {
    multiply_vectors(p.n <= kFewColumns ? p : turned(p));
  } else if (p.right_column_stride == 1 && p.m > kFewColumns && p.right_row_stride >= 0 &&
             p.right_row_stride < kFarthest) {
    run<DirectProduct>(p);
  } else if (p.right_row_stride == 1) {
    run<TransposedProduct>(p);
  } else {
    return false;
  }
  return true;
}

}  // namespace torch::executor::native::optimized
