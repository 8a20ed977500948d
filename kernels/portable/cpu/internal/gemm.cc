#include <cstring>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/gemm.h>

namespace torch::executor::native::util {
namespace {

/// A register's worth of elements; the compilers in use split it where the machine's are narrower.
template <typename C>
struct Simd {
  typedef C Vector __attribute__((vector_size(GemmTile<C>::kVectorBytes)));
  static constexpr size_t kLanes = GemmTile<C>::kVectorBytes / sizeof(C);

  static Vector load(const C* from) {
    Vector v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  }
  static void store(Vector v, C* to) { std::memcpy(to, &v, sizeof(v)); }
};

/// The compute type that the loops of element type C belong to.
template <typename C>
constexpr Compute kComputeOf = std::is_same_v<C, float>    ? Compute::kFloat
                               : std::is_same_v<C, double> ? Compute::kDouble
                                                           : Compute::kInt64;

template <typename C>
C scalar_as(const ScalarValue& value) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(value.as<int64_t>());
  } else {
    return value.as<C>();
  }
}

/// acc[r][:] += sum over k of a[r][k] * panel[k][:] for kRows rows and kTileColumns columns, kept
/// in registers.
template <typename C>
void multiply_tile(const C* const* a, const C* panel, size_t depth, C* acc) {
  using Tile = GemmTile<C>;
  using V = Simd<C>;
  constexpr size_t kLanes = V::kLanes;
  constexpr size_t kColumns = Tile::kColumns;
  static_assert(Tile::kRows == 4 && Tile::kTileColumns == 2 * kLanes, "written out below");
  const C* a0 = a[0];
  const C* a1 = a[1];
  const C* a2 = a[2];
  const C* a3 = a[3];
  typename V::Vector c[8];
  for (size_t i = 0; i < 8; ++i) {
    c[i] = V::load(acc + i / 2 * kColumns + i % 2 * kLanes);
  }
  for (size_t k = 0; k < depth; ++k) {
    const typename V::Vector b0 = V::load(panel + k * kColumns);
    const typename V::Vector b1 = V::load(panel + k * kColumns + kLanes);
    c[0] += a0[k] * b0;
    c[1] += a0[k] * b1;
    c[2] += a1[k] * b0;
    c[3] += a1[k] * b1;
    c[4] += a2[k] * b0;
    c[5] += a2[k] * b1;
    c[6] += a3[k] * b0;
    c[7] += a3[k] * b1;
  }
  for (size_t i = 0; i < 8; ++i) {
    V::store(c[i], acc + i / 2 * kColumns + i % 2 * kLanes);
  }
}

/// Scales results, adds the bias and writes them in the output's dtype.
template <typename C>
class GemmWriter {
 public:
  using Tile = GemmTile<C>;

  explicit GemmWriter(const GemmOut& out) : out_(out) {}

  /// Writes results, `acc[r * acc_row + c * acc_column]`, of a block to the output.
  void store_block(size_t m, size_t rows, size_t n, size_t columns, C* acc, size_t acc_row,
                   size_t acc_column) {
    constexpr Compute c = kComputeOf<C>;
    const ptrdiff_t out_size = static_cast<ptrdiff_t>(executorch::runtime::elementSize(out_.dtype));
    // Lines run along the output's memory.
    const bool by_column = out_.column_stride != 1 && out_.row_stride == 1;
    const size_t lines = by_column ? columns : rows;
    const size_t length = by_column ? rows : columns;
    const size_t acc_line = by_column ? acc_column : acc_row;
    const size_t acc_step = by_column ? acc_row : acc_column;
    const ptrdiff_t line_stride = by_column ? out_.column_stride : out_.row_stride;
    const ptrdiff_t step = by_column ? out_.row_stride : out_.column_stride;
    char* base = static_cast<char*>(out_.data) + (static_cast<ptrdiff_t>(m) * out_.row_stride +
                                                  static_cast<ptrdiff_t>(n) * out_.column_stride) *
                                                     out_size;
    if (step == 1 && out_.dtype == native_dtype(c) && !out_.scaled && has_row_bias()) {
      return store_direct(m, rows, columns, by_column, acc, acc_row, acc_column,
                          reinterpret_cast<C*>(base), line_stride);
    }
    C line[kLineMax];
    for (size_t i = 0; i < lines; ++i) {
      for (size_t j = 0; j < length; ++j) {
        line[j] = acc[i * acc_line + j * acc_step];
      }
      if (out_.bias != nullptr || out_.scaled) {
        add_bias(by_column ? m : m + i, by_column ? n + i : n, by_column, length, line);
      }
      char* target = base + static_cast<ptrdiff_t>(i) * line_stride * out_size;
      if (step == 1 && out_.dtype == native_dtype(c)) {
        std::memcpy(target, line, length * sizeof(C));
      } else {
        store(c, out_.dtype, line, length, target, step);
      }
    }
  }

 private:
  /// True if each row has one bias, or none.
  bool has_row_bias() const {
    return out_.bias == nullptr ||
           (out_.bias_column_stride == 0 && out_.bias_dtype == native_dtype(kComputeOf<C>));
  }

  /// Writes a block whose lines are contiguous in the output, without a buffer.
  void store_direct(size_t m, size_t rows, size_t columns, bool by_column, const C* acc,
                    size_t acc_row, size_t acc_column, C* to, ptrdiff_t line_stride) {
    const auto bias = [&](size_t r) {
      return out_.bias == nullptr
                 ? C(0)
                 : static_cast<const C*>(
                       out_.bias)[static_cast<ptrdiff_t>(m + r) * out_.bias_row_stride];
    };
    if (!by_column && acc_column == 1) {
      for (size_t r = 0; r < rows; ++r) {
        const C add = bias(r);
        const C* from = acc + r * acc_row;
        C* line = to + static_cast<ptrdiff_t>(r) * line_stride;
        for (size_t j = 0; j < columns; ++j) {
          line[j] = from[j] + add;
        }
      }
      return;
    }
    // Small squares, so that neither side leaves the cache.
    constexpr size_t kSquare = 8;
    const ptrdiff_t row_step = by_column ? 1 : line_stride;
    const ptrdiff_t column_step = by_column ? line_stride : 1;
    for (size_t r0 = 0; r0 < rows; r0 += kSquare) {
      const size_t r1 = r0 + kSquare < rows ? r0 + kSquare : rows;
      for (size_t j = 0; j < columns; ++j) {
        for (size_t r = r0; r < r1; ++r) {
          to[static_cast<ptrdiff_t>(r) * row_step + static_cast<ptrdiff_t>(j) * column_step] =
              acc[r * acc_row + j * acc_column] + bias(r);
        }
      }
    }
  }

  static constexpr size_t kLineMax =
      Tile::kBlockRows > Tile::kColumns ? Tile::kBlockRows : Tile::kColumns;

  /// line = alpha * line + beta * bias, for a line that starts at row m and column n.
  void add_bias(size_t m, size_t n, bool by_column, size_t length, C* line) {
    const C alpha = scalar_as<C>(out_.alpha);
    const C beta = scalar_as<C>(out_.beta);
    if (out_.scaled) {
      for (size_t j = 0; j < length; ++j) {
        line[j] *= alpha;
      }
    }
    // As in eager, a beta of 0 hides NaN in the bias.
    if (out_.bias == nullptr || beta == C(0)) {
      return;
    }
    C bias[kLineMax];
    const ptrdiff_t offset = static_cast<ptrdiff_t>(m) * out_.bias_row_stride +
                             static_cast<ptrdiff_t>(n) * out_.bias_column_stride;
    const ptrdiff_t size =
        static_cast<ptrdiff_t>(executorch::runtime::elementSize(out_.bias_dtype));
    load(kComputeOf<C>, out_.bias_dtype, static_cast<const char*>(out_.bias) + offset * size,
         by_column ? out_.bias_row_stride : out_.bias_column_stride, length, bias);
    for (size_t j = 0; j < length; ++j) {
      line[j] += beta * bias[j];
    }
  }

  const GemmOut& out_;
};

/// One call of `gemm` for one element type.
template <typename C>
class Gemm {
 public:
  using Tile = GemmTile<C>;

  Gemm(size_t m, size_t n, size_t k, const GemmLeft& left, const GemmRight& right,
       const GemmOut& out)
      : m_(m), n_(n), k_(k), left_(left), right_(right), writer_(out) {}

  void run() {
    for (size_t n = 0; n < n_; n += Tile::kColumns) {
      const size_t columns = min(Tile::kColumns, n_ - n);
      for (size_t m = 0; m < m_; m += Tile::kBlockRows) {
        const size_t rows = min(Tile::kBlockRows, m_ - m);
        std::memset(acc_, 0, sizeof(acc_));
        for (size_t k = 0; k < k_; k += Tile::kDepth) {
          const size_t depth = min(Tile::kDepth, k_ - k);
          // With all of the inner dimension in one panel, the blocks of rows share it.
          if (m == 0 || k_ > Tile::kDepth) {
            right_.pack(right_.self, k, depth, n, columns, panel_);
          }
          multiply_block(m, rows, k, depth);
        }
        writer_.store_block(m, rows, n, columns, acc_, Tile::kColumns, 1);
      }
    }
  }

 private:
  static size_t min(size_t a, size_t b) { return a < b ? a : b; }

  /// Elements [k, k + depth) of a row of the left matrix: in place if possible, else in `buffer`.
  const C* left_row(size_t row, size_t k, size_t depth, C* buffer) {
    constexpr Compute c = kComputeOf<C>;
    if (left_.load_row != nullptr) {
      left_.load_row(left_.self, row, k, depth, buffer);
      return buffer;
    }
    const ptrdiff_t offset = static_cast<ptrdiff_t>(row) * left_.row_stride +
                             static_cast<ptrdiff_t>(k) * left_.column_stride;
    if (left_.dtype == native_dtype(c) && left_.column_stride == 1) {
      return static_cast<const C*>(left_.data) + offset;
    }
    const ptrdiff_t size = static_cast<ptrdiff_t>(executorch::runtime::elementSize(left_.dtype));
    load(c, left_.dtype, static_cast<const char*>(left_.data) + offset * size, left_.column_stride,
         depth, buffer);
    return buffer;
  }

  /// acc_ += A[m .. m + rows, k .. k + depth] * panel_.
  void multiply_block(size_t m, size_t rows, size_t k, size_t depth) {
    const C* a[kMostRows];
    if constexpr (kHasLoops) {
      if (float_loops.multiply_panel != nullptr) {
        for (size_t r = 0; r < rows; r += kPanelRows) {
          left_rows(m, r, rows, kPanelRows, k, depth, a);
          float_loops.multiply_panel(a, panel_, depth, acc_ + r * Tile::kColumns);
        }
        return;
      }
    }
    for (size_t r = 0; r < rows; r += Tile::kRows) {
      left_rows(m, r, rows, Tile::kRows, k, depth, a);
      for (size_t j = 0; j < Tile::kColumns; j += Tile::kTileColumns) {
        multiply_tile<C>(a, panel_ + j, depth, acc_ + r * Tile::kColumns + j);
      }
    }
  }

  /// Rows m + r and the next ones; those beyond the last repeat it, their results are not used.
  void left_rows(size_t m, size_t r, size_t rows, size_t count, size_t k, size_t depth,
                 const C** a) {
    for (size_t i = 0; i < count; ++i) {
      a[i] = left_row(m + min(r + i, rows - 1), k, depth, left_rows_[i]);
    }
  }

  static constexpr bool kHasLoops = std::is_same_v<C, float> && Tile::kColumns == kPanelColumns;
  static constexpr size_t kMostRows = kHasLoops ? kPanelRows : Tile::kRows;
  static_assert(Tile::kBlockRows % kMostRows == 0, "blocks are whole");

  const size_t m_;
  const size_t n_;
  const size_t k_;
  const GemmLeft& left_;
  const GemmRight& right_;
  GemmWriter<C> writer_;
  alignas(64) C panel_[Tile::kDepth * Tile::kColumns];
  alignas(64) C acc_[Tile::kBlockRows * Tile::kColumns];
  alignas(64) C left_rows_[kMostRows][Tile::kDepth];
};

/// Calls `fn` with a value of the loops' element type for compute type `c`.
template <typename Fn>
void with_gemm_type(Compute c, Fn&& fn) {
  switch (c) {
    case Compute::kFloat:
      return fn(float{});
    case Compute::kDouble:
      if constexpr (has_loops(Compute::kDouble)) {
        fn(double{});
      }
      return;
    default:
      if constexpr (has_loops(Compute::kInt64)) {
        fn(uint64_t{});
      }
  }
}

/// A right matrix in memory.
template <typename C>
void pack_matrix(const void* self, size_t k, size_t depth, size_t n, size_t columns,
                 void* panel_bytes) {
  constexpr Compute c = kComputeOf<C>;
  constexpr size_t kColumns = GemmTile<C>::kColumns;
  const Matrix& matrix = *static_cast<const Matrix*>(self);
  C* panel = static_cast<C*>(panel_bytes);
  const ptrdiff_t size = static_cast<ptrdiff_t>(executorch::runtime::elementSize(matrix.dtype));
  const ptrdiff_t offset = static_cast<ptrdiff_t>(k) * matrix.row_stride +
                           static_cast<ptrdiff_t>(n) * matrix.column_stride;
  const char* from = static_cast<const char*>(matrix.data) + offset * size;
  if (columns < kColumns) {
    std::memset(panel, 0, depth * kColumns * sizeof(C));
  }
  const bool native = matrix.dtype == native_dtype(c);
  if (matrix.column_stride == 1) {
    for (size_t i = 0; i < depth; ++i) {
      const char* row = from + static_cast<ptrdiff_t>(i) * matrix.row_stride * size;
      if (native) {
        std::memcpy(panel + i * kColumns, row, columns * sizeof(C));
      } else {
        load(c, matrix.dtype, row, 1, columns, panel + i * kColumns);
      }
    }
    return;
  }
  C column[GemmTile<C>::kDepth];
  for (size_t j = 0; j < columns; ++j) {
    const char* start = from + static_cast<ptrdiff_t>(j) * matrix.column_stride * size;
    const C* values = column;
    if (native && matrix.row_stride == 1) {
      values = reinterpret_cast<const C*>(start);
    } else {
      load(c, matrix.dtype, start, matrix.row_stride, depth, column);
    }
    for (size_t i = 0; i < depth; ++i) {
      panel[i * kColumns + j] = values[i];
    }
  }
}

/// Up to so many columns, packing them does not pay.
constexpr size_t kFewColumns = 4;

/// Sums of products of `kRows` rows with one vector, all contiguous; adds to acc.
template <typename C>
void dot_rows(const C* const* a, const C* x, size_t depth, C* acc) {
  using V = Simd<C>;
  constexpr size_t kLanes = V::kLanes;
  typename V::Vector sum[8] = {};
  size_t k = 0;
  for (; k + 2 * kLanes <= depth; k += 2 * kLanes) {
    const typename V::Vector x0 = V::load(x + k);
    const typename V::Vector x1 = V::load(x + k + kLanes);
    for (size_t r = 0; r < 4; ++r) {
      sum[2 * r] += V::load(a[r] + k) * x0;
      sum[2 * r + 1] += V::load(a[r] + k + kLanes) * x1;
    }
  }
  for (size_t r = 0; r < 4; ++r) {
    const typename V::Vector lanes = sum[2 * r] + sum[2 * r + 1];
    C total = 0;
    for (size_t l = 0; l < kLanes; ++l) {
      total += lanes[l];
    }
    for (size_t i = k; i < depth; ++i) {
      total += a[r][i] * x[i];
    }
    acc[r] += total;
  }
}

/**
 * Few columns, contiguous along the inner dimension on both sides: every result is a scalar
 * product. The left matrix is read once for each column, from memory only the first time if it fits
 * the cache.
 */
template <typename C>
void gemm_dot(size_t m, size_t n, size_t k, const Matrix& left, const Matrix& right,
              const GemmOut& out) {
  constexpr size_t kRows = GemmTile<C>::kRows;
  GemmWriter<C> writer(out);
  const C* a_data = static_cast<const C*>(left.data);
  const C* x_data = static_cast<const C*>(right.data);
  constexpr size_t kBlock = GemmTile<C>::kBlockRows;
  C acc[kBlock + kRows];
  for (size_t m0 = 0; m0 < m; m0 += kBlock) {
    const size_t rows = m - m0 < kBlock ? m - m0 : kBlock;
    for (size_t j = 0; j < n; ++j) {
      const C* x = x_data + static_cast<ptrdiff_t>(j) * right.column_stride;
      std::memset(acc, 0, sizeof(acc));
      for (size_t r = 0; r < rows; r += kRows) {
        const C* a[kRows];
        for (size_t i = 0; i < kRows; ++i) {
          const size_t row = m0 + (r + i < rows ? r + i : rows - 1);
          a[i] = a_data + static_cast<ptrdiff_t>(row) * left.row_stride;
        }
        if constexpr (std::is_same_v<C, float>) {
          if (float_loops.dot_rows != nullptr) {
            float_loops.dot_rows(a, x, k, acc + r);
            continue;
          }
        }
        dot_rows<C>(a, x, k, acc + r);
      }
      writer.store_block(m0, rows, j, 1, acc, 1, 1);
    }
  }
}

/// Few rows times a matrix with contiguous rows: sums of scaled rows, without packing.
template <typename C>
void gemm_axpy(size_t m, size_t n, size_t k, const Matrix& left, const Matrix& right,
               const GemmOut& out) {
  GemmWriter<C> writer(out);
  constexpr size_t kBlock = GemmTile<C>::kBlockRows;
  const C* b_data = static_cast<const C*>(right.data);
  for (size_t i = 0; i < m; ++i) {
    const C* a = static_cast<const C*>(left.data) + static_cast<ptrdiff_t>(i) * left.row_stride;
    for (size_t n0 = 0; n0 < n; n0 += kBlock) {
      const size_t columns = n - n0 < kBlock ? n - n0 : kBlock;
      C acc[kBlock] = {};
      size_t p = 0;
      for (; p + 4 <= k; p += 4) {
        const C* b0 = b_data + static_cast<ptrdiff_t>(p) * right.row_stride + n0;
        const C* b1 = b0 + right.row_stride;
        const C* b2 = b1 + right.row_stride;
        const C* b3 = b2 + right.row_stride;
        for (size_t j = 0; j < columns; ++j) {
          acc[j] += (a[p] * b0[j] + a[p + 1] * b1[j]) + (a[p + 2] * b2[j] + a[p + 3] * b3[j]);
        }
      }
      for (; p < k; ++p) {
        const C* b = b_data + static_cast<ptrdiff_t>(p) * right.row_stride + n0;
        for (size_t j = 0; j < columns; ++j) {
          acc[j] += a[p] * b[j];
        }
      }
      writer.store_block(i, 1, n0, columns, acc, 0, 1);
    }
  }
}

/// Hands a product of floats to the library that has whole ones. @returns false if there is none.
bool multiply_floats(size_t m, size_t n, size_t k, const Matrix& left, const Matrix& right,
                     const GemmOut& out) {
  constexpr ScalarType kFloat = ScalarType::Float;
  if (float_loops.multiply == nullptr || left.dtype != kFloat || right.dtype != kFloat ||
      out.dtype != kFloat || out.scaled || (out.bias != nullptr && out.bias_dtype != kFloat)) {
    return false;
  }
  return float_loops.multiply(
      {m, n, k, static_cast<const float*>(left.data), left.row_stride, left.column_stride,
       static_cast<const float*>(right.data), right.row_stride, right.column_stride,
       static_cast<float*>(out.data), out.row_stride, out.column_stride,
       static_cast<const float*>(out.bias), out.bias_row_stride, out.bias_column_stride});
}

template <typename C>
void gemm_strided_in(size_t m, size_t n, size_t k, const Matrix& left, const Matrix& right,
                     const GemmOut& out) {
  const ScalarType dtype = native_dtype(kComputeOf<C>);
  const bool native = left.dtype == dtype && right.dtype == dtype && left.column_stride == 1;
  if (native && right.row_stride == 1 && n <= kFewColumns) {
    return gemm_dot<C>(m, n, k, left, right, out);
  }
  if (native && right.column_stride == 1 && m < GemmTile<C>::kRows) {
    return gemm_axpy<C>(m, n, k, left, right, out);
  }
  const GemmLeft rows = {left.data, left.dtype, left.row_stride, left.column_stride};
  const GemmRight panels = {&right, pack_matrix<C>};
  Gemm<C>(m, n, k, rows, panels, out).run();
}

}  // namespace

void gemm(Compute c, size_t m, size_t n, size_t k, const GemmLeft& left, const GemmRight& right,
          const GemmOut& out) {
  with_gemm_type(c, [&](auto zero) { Gemm<decltype(zero)>(m, n, k, left, right, out).run(); });
}

void gemm_strided(Compute c, size_t m, size_t n, size_t k, const Matrix& given_left,
                  const Matrix& given_right, const GemmOut& out) {
  Matrix left = given_left;
  Matrix right = given_right;
  if (k == 0) {
    // Operands without elements may have no memory, and no step leads away from a null pointer.
    left.row_stride = left.column_stride = right.row_stride = right.column_stride = 0;
  }
  if (multiply_floats(m, n, k, left, right, out)) {
    return;
  }
  with_gemm_type(c, [&](auto zero) { gemm_strided_in<decltype(zero)>(m, n, k, left, right, out); });
}

}  // namespace torch::executor::native::util
