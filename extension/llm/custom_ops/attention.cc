#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include <executorch/extension/llm/custom_ops/attention.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/portable/cpu/internal/gemm.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native::attention {
namespace {

using util::Compute;
using util::float_loops;
using util::Matrix;
using util::NumberLines;

/// Bounds of the blocks, such that what belongs to one stays in the caches.
constexpr size_t kMostRows = 64;
constexpr size_t kRowElements = 4096;    // of a block of queries, and of its results
constexpr size_t kScores = 16384;        // of a block of queries with one of keys
constexpr size_t kMostKeys = 1024;       // in a block
constexpr size_t kLineElements = 16384;  // of keys or values that were converted
/// Rows up to which keys and values are read where they lie, bytes too: their memory is what takes
/// the time.
constexpr size_t kFewRows = 8;
/// Then keys are cut into parts, which threads share where there are fewer heads than threads, and
/// whose results are put together. How many there are depends on shapes alone, so that results do.
constexpr size_t kPartKeys = 256;
constexpr size_t kMostParts = 16;
/// Multiplications below which a thread of its own does not pay.
constexpr size_t kGrain = 100000;

constexpr float kNothing = -std::numeric_limits<float>::infinity();

size_t min(size_t a, size_t b) { return a < b ? a : b; }

size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

size_t clamp(size_t x, size_t low, size_t high) { return x < low ? low : min(x, high); }

/// Neighbouring vectors of an operand, along its heads or its positions.
struct Lines {
  const Operand* operand;
  ptrdiff_t first;
  ptrdiff_t step;
  ptrdiff_t first_scale;
  ptrdiff_t scale_step;

  bool are_floats() const {
    return operand->dtype == ScalarType::Float && operand->scales == nullptr;
  }

  bool are_scaled_bytes() const {
    return operand->dtype == ScalarType::Char && operand->scales != nullptr;
  }

  const float* floats() const { return reinterpret_cast<const float*>(operand->data) + first; }

  char* line(size_t i) const {
    const ptrdiff_t offset = first + static_cast<ptrdiff_t>(i) * step;
    return operand->data +
           offset * static_cast<ptrdiff_t>(executorch::runtime::elementSize(operand->dtype));
  }

  /// Writes line `i` as floats.
  void read(size_t i, size_t n, float* to) const {
    if (operand->scales == nullptr) {
      return util::load(Compute::kFloat, operand->dtype, line(i), 1, n, to);
    }
    const ptrdiff_t at = first_scale + static_cast<ptrdiff_t>(i) * scale_step;
    const float scale = operand->scales[at];
    const float zero_point = operand->zero_points[at];
    if (operand->dtype == ScalarType::Char && float_loops.dequantize != nullptr) {
      return float_loops.dequantize(reinterpret_cast<const uint8_t*>(line(i)), n, true, scale,
                                    zero_point, to);
    }
    util::load(Compute::kFloat, operand->dtype, line(i), 1, n, to);
    for (size_t j = 0; j < n; ++j) {
      to[j] = (to[j] - zero_point) * scale;
    }
  }
};

/// `n` lines where they lie; they are floats or scaled bytes.
NumberLines in_place(const Lines& lines, size_t n, size_t length) {
  const ptrdiff_t size =
      static_cast<ptrdiff_t>(executorch::runtime::elementSize(lines.operand->dtype));
  const bool scaled = lines.are_scaled_bytes();
  return {lines.line(0),
          lines.step * size,
          n,
          length,
          scaled ? lines.operand->scales + lines.first_scale : nullptr,
          scaled ? lines.operand->zero_points + lines.first_scale : nullptr,
          lines.scale_step};
}

Lines lines_at(const Operand& operand, size_t batch, size_t head, size_t position,
               bool along_heads) {
  const auto at = [&](ptrdiff_t per_batch, ptrdiff_t per_head, ptrdiff_t per_position) {
    return static_cast<ptrdiff_t>(batch) * per_batch + static_cast<ptrdiff_t>(head) * per_head +
           static_cast<ptrdiff_t>(position) * per_position;
  };
  return {&operand, at(operand.batch, operand.head, operand.position),
          along_heads ? operand.head : operand.position,
          at(operand.scale_batch, operand.scale_head, operand.scale_position),
          along_heads ? operand.scale_head : operand.scale_position};
}

/// How the work is cut: a unit is a block of rows, each of which is one query of one head, with all
/// keys or a part of them. The heads that share keys make up the rows if there is one position,
/// else the positions do.
struct Plan {
  bool by_heads;
  size_t lines;      // rows that share keys
  size_t rows;       // of a block
  size_t blocks;     // of rows
  size_t groups;     // of lines in a batch
  bool few;          // rows: see kFewRows
  size_t parts;      // of the keys
  size_t part_keys;  // of one
  size_t keys;       // of a block
  size_t converted;  // elements of a block of keys that are not read in place

  explicit Plan(const Attention& a)
      : by_heads(a.positions == 1),
        lines(by_heads ? a.heads / a.key_heads : a.positions),
        rows(min(lines, clamp(kRowElements / a.head_dim, 1, kMostRows))),
        blocks(divide_up(lines, rows)),
        groups(by_heads ? a.key_heads : a.heads),
        few(rows <= kFewRows && float_loops.multiply_lines != nullptr),
        parts(few ? clamp(a.keys / kPartKeys, 1, kMostParts) : 1),
        part_keys(divide_up(a.keys, parts)),
        keys(clamp(kScores / rows, 1, kMostKeys)) {
    const bool converts = !reads_in_place(a.key) || !reads_in_place(a.value);
    if (converts) {
      keys = min(keys, clamp(kLineElements / a.head_dim, 16, kMostKeys));
    }
    keys = clamp(part_keys, 1, keys);
    converted = converts ? keys * a.head_dim : 0;
  }

  /// Blocks of rows of all groups.
  size_t row_blocks(const Attention& a) const { return a.batches * groups * blocks; }
  size_t units(const Attention& a) const { return row_blocks(a) * parts; }
  /// Floats that a unit leaves if there are several parts: sums, largest score and total of a row.
  size_t partial(const Attention& a) const { return rows * (a.head_dim + 2); }

  bool reads_in_place(const Operand& operand) const {
    const Lines lines = {&operand, 0, 0, 0, 0};
    return lines.are_floats() || (few && lines.are_scaled_bytes());
  }
};

/// Once it is NaN it stays so.
float larger_of(float largest, float x) { return x > largest || x != x ? x : largest; }

float largest_of(const float* x, size_t n) {
  if (float_loops.largest != nullptr) {
    return float_loops.largest(x, n);
  }
  float largest = x[0];
  for (size_t i = 1; i < n; ++i) {
    largest = larger_of(largest, x[i]);
  }
  return largest;
}

/// What turns weights relative to the score `before` into those relative to `largest`.
float factor_of(float before, float largest) {
  return before == kNothing ? 0.0f : util::fast_exp(before - largest);
}

/// x = exp(x - shift). @returns the sum.
float exponentials(float* x, size_t n, float shift) {
  if (float_loops.exp_sum != nullptr) {
    return static_cast<float>(float_loops.exp_sum(x, n, shift, x));
  }
  for (size_t i = 0; i < n; ++i) {
    x[i] = util::fast_exp(x[i] - shift);
  }
  float sum = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += x[i];
  }
  return sum;
}

/// The work of one thread, and its blocks.
class Worker {
 public:
  Worker(const Attention& attention, const Plan& plan) : a_(attention), plan_(plan) {}

  /// @returns false if there is no memory.
  bool allocate() {
    const size_t row_elements = plan_.rows * a_.head_dim;
    const size_t lines = plan_.rows * plan_.keys + plan_.converted + plan_.keys + 2 * plan_.rows;
    memory_.reset(new (std::nothrow) float[3 * row_elements + lines]);
    float* next = memory_.get();
    if (next == nullptr) {
      return false;
    }
    const auto take = [&next](size_t n) {
      float* const taken = next;
      next += n;
      return taken;
    };
    query_ = take(row_elements);
    sums_ = take(row_elements);
    product_ = take(row_elements);
    scores_ = take(plan_.rows * plan_.keys);
    converted_ = take(plan_.converted);
    mask_ = take(plan_.keys);
    largest_ = take(plan_.rows);
    total_ = take(plan_.rows);
    return true;
  }

  /// Writes the results of a unit, or what `finish` makes them of to `partials`.
  void run(size_t unit, float* partials) {
    begin(unit / plan_.parts);
    const size_t part = unit % plan_.parts * plan_.part_keys;
    const size_t seen = keys_seen_by(rows_ - 1);
    const size_t end = min(seen, part + plan_.part_keys);
    for (size_t k = part; k < end; k += plan_.keys) {
      run_block(k, min(plan_.keys, end - k), k == part);
    }
    if (plan_.parts == 1) {
      write(seen);
    } else {
      leave(partials + unit * plan_.partial(a_));
    }
  }

  /// Puts the parts of a block of rows together.
  void finish(size_t row_block, const float* partials) {
    begin(row_block);
    const float* const first = partials + row_block * plan_.parts * plan_.partial(a_);
    for (size_t r = 0; r < rows_; ++r) {
      const float* const largest = first + rows_ * a_.head_dim + r;
      for (size_t p = 0; p < plan_.parts; ++p) {
        largest_[r] = larger_of(largest_[r], largest[p * plan_.partial(a_)]);
      }
      for (size_t p = 0; p < plan_.parts; ++p) {
        const float* const part = first + p * plan_.partial(a_);
        const float factor = factor_of(largest[p * plan_.partial(a_)], largest_[r]);
        total_[r] += factor * part[rows_ * (a_.head_dim + 1) + r];
        float* const sums = sums_ + r * a_.head_dim;
        for (size_t j = 0; j < a_.head_dim; ++j) {
          sums[j] += factor * part[r * a_.head_dim + j];
        }
      }
    }
    write(keys_seen_by(rows_ - 1));
  }

 private:
  /// Everything about a block of rows before the first key.
  void begin(size_t row_block) {
    const size_t group = row_block / plan_.blocks;
    batch_ = group / plan_.groups;
    first_row_ = row_block % plan_.blocks * plan_.rows;
    rows_ = min(plan_.rows, plan_.lines - first_row_);
    const size_t shared = a_.heads / a_.key_heads;
    const size_t in_batch = group % plan_.groups;
    key_head_ = plan_.by_heads ? in_batch : in_batch / shared;
    head_ = plan_.by_heads ? in_batch * shared + first_row_ : in_batch;
    position_ = plan_.by_heads ? 0 : first_row_;
    read_query();
    for (size_t r = 0; r < rows_; ++r) {
      largest_[r] = kNothing;
      total_[r] = 0;
    }
    if (plan_.few) {
      std::memset(sums_, 0, rows_ * a_.head_dim * sizeof(float));
    }
  }

  void leave(float* partial) const {
    std::memcpy(partial, sums_, rows_ * a_.head_dim * sizeof(float));
    std::memcpy(partial + rows_ * a_.head_dim, largest_, rows_ * sizeof(float));
    std::memcpy(partial + rows_ * (a_.head_dim + 1), total_, rows_ * sizeof(float));
  }

  /// How many keys the query of a row sees.
  size_t keys_seen_by(size_t row) const {
    const size_t position = plan_.by_heads ? 0 : position_ + row;
    return a_.causal ? min(a_.keys, a_.start + position + 1) : a_.keys;
  }

  /// Scaled, so that scores need not be.
  void read_query() {
    const Lines lines = lines_at(a_.query, batch_, head_, position_, plan_.by_heads);
    for (size_t r = 0; r < rows_; ++r) {
      float* const row = query_ + r * a_.head_dim;
      lines.read(r, a_.head_dim, row);
      for (size_t j = 0; j < a_.head_dim; ++j) {
        row[j] *= a_.scale;
      }
    }
  }

  /// Keys or values [first, first + n), a row each; in place or converted.
  NumberLines read_lines(const Operand& operand, size_t first, size_t n) {
    const Lines lines = lines_at(operand, batch_, key_head_, first, false);
    if (plan_.reads_in_place(operand)) {
      return in_place(lines, n, a_.head_dim);
    }
    for (size_t i = 0; i < n; ++i) {
      lines.read(i, a_.head_dim, converted_ + i * a_.head_dim);
    }
    const ptrdiff_t stride = static_cast<ptrdiff_t>(a_.head_dim * sizeof(float));
    return {reinterpret_cast<const char*>(converted_), stride, n, a_.head_dim, nullptr, nullptr, 0};
  }

  /// Lines of floats as a matrix.
  static Matrix matrix_of(const NumberLines& lines) {
    return {lines.data, ScalarType::Float, lines.stride / static_cast<ptrdiff_t>(sizeof(float)), 1};
  }

  util::GemmOut into(float* data, size_t row_stride) const {
    util::GemmOut out;
    out.data = data;
    out.dtype = ScalarType::Float;
    out.row_stride = static_cast<ptrdiff_t>(row_stride);
    out.column_stride = 1;
    return out;
  }

  void run_block(size_t first, size_t n, bool is_first) {
    const NumberLines keys = read_lines(a_.key, first, n);
    if (plan_.few) {
      float_loops.multiply_lines(keys, query_, a_.head_dim, rows_, scores_, n);
    } else {
      const Matrix query = {query_, ScalarType::Float, static_cast<ptrdiff_t>(a_.head_dim), 1};
      const Matrix lines = matrix_of(keys);
      const Matrix turned = {lines.data, lines.dtype, lines.column_stride, lines.row_stride};
      util::gemm_strided(Compute::kFloat, rows_, n, a_.head_dim, query, turned, into(scores_, n));
    }
    float correction[kMostRows];
    for (size_t r = 0; r < rows_; ++r) {
      correction[r] = weigh(r, first, n);
    }
    const NumberLines values = read_lines(a_.value, first, n);
    if (plan_.few) {
      for (size_t r = 0; !is_first && r < rows_; ++r) {
        scale(sums_ + r * a_.head_dim, correction[r]);
      }
      return float_loops.add_lines(values, scores_, n, rows_, sums_, a_.head_dim);
    }
    add_product(matrix_of(values), n, is_first, correction);
  }

  void scale(float* sums, float factor) const {
    for (size_t j = 0; factor != 1.0f && j < a_.head_dim; ++j) {
      sums[j] *= factor;
    }
  }

  /// sums = sums * correction + weights * values.
  void add_product(const Matrix& values, size_t n, bool is_first, const float* correction) {
    const Matrix weights = {scores_, ScalarType::Float, static_cast<ptrdiff_t>(n), 1};
    // The first block has nothing to be added to.
    float* const target = is_first ? sums_ : product_;
    util::gemm_strided(Compute::kFloat, rows_, a_.head_dim, n, weights, values,
                       into(target, a_.head_dim));
    if (is_first) {
      return;
    }
    for (size_t r = 0; r < rows_; ++r) {
      const float* const sums = sums_ + r * a_.head_dim;
      float* const product = product_ + r * a_.head_dim;
      if (float_loops.add_scaled != nullptr) {
        float_loops.add_scaled(product, sums, a_.head_dim, correction[r]);
        continue;
      }
      for (size_t j = 0; j < a_.head_dim; ++j) {
        product[j] += sums[j] * correction[r];
      }
    }
    std::swap(sums_, product_);
  }

  /// Turns a row of scores into weights that are relative to the largest score so far. @returns
  /// the factor for sums that were relative to another one.
  float weigh(size_t row, size_t first, size_t n) {
    float* const scores = scores_ + row * n;
    const size_t seen = keys_seen_by(row);
    const size_t visible = seen > first ? min(n, seen - first) : 0;
    if (visible < n) {
      std::memset(scores + visible, 0, (n - visible) * sizeof(float));
    }
    if (visible == 0) {
      return 1.0f;
    }
    if (a_.mask != nullptr) {
      add_mask(row, first, visible, scores);
    }
    const float before = largest_[row];
    const float largest = larger_of(before, largest_of(scores, visible));
    if (largest == kNothing) {
      std::memset(scores, 0, visible * sizeof(float));
      return 1.0f;
    }
    const float correction = factor_of(before, largest);
    largest_[row] = largest;
    total_[row] = total_[row] * correction + exponentials(scores, visible, largest);
    return correction;
  }

  void add_mask(size_t row, size_t first, size_t n, float* scores) {
    const size_t position = plan_.by_heads ? 0 : position_ + row;
    const ptrdiff_t offset = static_cast<ptrdiff_t>(position) * a_.mask_row +
                             static_cast<ptrdiff_t>(first) * a_.mask_column;
    const ptrdiff_t size = static_cast<ptrdiff_t>(executorch::runtime::elementSize(a_.mask_dtype));
    util::load(Compute::kFloat, a_.mask_dtype, a_.mask + offset * size, a_.mask_column, n, mask_);
    for (size_t i = 0; i < n; ++i) {
      scores[i] += mask_[i];
    }
  }

  /// Divides the sums by the weights' and writes them; without any weight the result is 0.
  void write(size_t seen) {
    const Lines out = lines_at(a_.out, batch_, head_, position_, plan_.by_heads);
    for (size_t r = 0; r < rows_; ++r) {
      float* const sums = sums_ + r * a_.head_dim;
      const bool none = seen == 0 || total_[r] == 0;
      const float factor = none ? 0.0f : 1.0f / total_[r];
      for (size_t j = 0; j < a_.head_dim; ++j) {
        sums[j] = none ? 0.0f : sums[j] * factor;
      }
      util::store(Compute::kFloat, a_.out.dtype, sums, a_.head_dim, out.line(r));
    }
  }

  const Attention& a_;
  const Plan& plan_;
  std::unique_ptr<float[]> memory_;
  float* query_ = nullptr;
  float* sums_ = nullptr;
  float* product_ = nullptr;
  float* scores_ = nullptr;
  float* converted_ = nullptr;
  float* mask_ = nullptr;
  float* largest_ = nullptr;
  float* total_ = nullptr;

  // Of the present unit.
  size_t batch_ = 0;
  size_t head_ = 0;
  size_t key_head_ = 0;
  size_t position_ = 0;
  size_t first_row_ = 0;
  size_t rows_ = 0;
};

}  // namespace

bool attend(const Attention& attention) {
  if (attention.batches == 0 || attention.heads == 0 || attention.positions == 0 ||
      attention.head_dim == 0) {
    return true;
  }
  const Plan plan(attention);
  const size_t units = plan.units(attention);
  std::unique_ptr<float[]> partials;
  if (plan.parts > 1) {
    partials.reset(new (std::nothrow) float[units * plan.partial(attention)]);
    if (partials == nullptr) {
      return false;
    }
  }
  const size_t cost = 1 + plan.rows * plan.part_keys * attention.head_dim;
  std::atomic<bool> complete{true};
  util::parallel_for(units, 1 + kGrain / cost, [&](size_t begin, size_t end) {
    Worker worker(attention, plan);
    if (!worker.allocate()) {
      complete.store(false, std::memory_order_relaxed);
      return;
    }
    for (size_t unit = begin; unit < end; ++unit) {
      worker.run(unit, partials.get());
    }
  });
  if (!complete.load(std::memory_order_relaxed) || plan.parts == 1) {
    return complete.load(std::memory_order_relaxed);
  }
  Worker worker(attention, plan);
  if (!worker.allocate()) {
    return false;
  }
  for (size_t block = 0; block < plan.row_blocks(attention); ++block) {
    worker.finish(block, partials.get());
  }
  return true;
}

}  // namespace torch::executor::native::attention
