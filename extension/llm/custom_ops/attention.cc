#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include <executorch/extension/llm/custom_ops/attention.h>
#include <executorch/extension/llm/custom_ops/attention_plan.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/portable/cpu/internal/gemm.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native::attention {
namespace {

using util::Matrix;

constexpr float kNothing = -std::numeric_limits<float>::infinity();

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

/// A block of rows, and what is known of it so far.
struct Group {
  size_t batch = 0;
  size_t head = 0;
  size_t key_head = 0;
  size_t position = 0;
  size_t rows = 0;
  float* query = nullptr;
  float* sums = nullptr;
  float* largest = nullptr;
  float* total = nullptr;
};

/// The work of one thread, and its blocks.
class Worker {
 public:
  Worker(const Attention& attention, const Plan& plan) : a_(attention), plan_(plan) {}

  /// @returns false if there is no memory.
  bool allocate() {
    const size_t row_elements = plan_.rows * a_.head_dim;
    const size_t group_elements = 2 * row_elements + 2 * plan_.rows;
    const size_t lines = plan_.rows * plan_.keys + plan_.converted + plan_.keys;
    memory_.reset(new (std::nothrow) float[plan_.together * group_elements + row_elements + lines]);
    groups_.reset(new (std::nothrow) Group[plan_.together]);
    float* next = memory_.get();
    if (next == nullptr || groups_ == nullptr) {
      return false;
    }
    const auto take = [&next](size_t n) {
      float* const taken = next;
      next += n;
      return taken;
    };
    for (size_t g = 0; g < plan_.together; ++g) {
      groups_[g].query = take(row_elements);
      groups_[g].sums = take(row_elements);
      groups_[g].largest = take(plan_.rows);
      groups_[g].total = take(plan_.rows);
    }
    product_ = take(row_elements);
    scores_ = take(plan_.rows * plan_.keys);
    converted_ = take(plan_.converted);
    mask_ = take(plan_.keys);
    return true;
  }

  /// Writes the results of a unit, or what `finish` makes them of to `partials`.
  void run(size_t unit, float* partials) {
    const size_t first_block = unit / plan_.parts * plan_.together;
    const size_t part = unit % plan_.parts;
    for (size_t g = 0; g < plan_.together; ++g) {
      begin(first_block + g, g);
    }
    // Where there are several groups, all of them see the same keys.
    const size_t begin_key = part * plan_.part_keys;
    const size_t end = min(keys_seen_by(group_->rows - 1), begin_key + plan_.part_keys);
    for (size_t k = begin_key; k < end; k += plan_.keys) {
      for (size_t g = 0; g < plan_.together; ++g) {
        group_ = &groups_[g];
        run_block(k, min(plan_.keys, end - k), k == begin_key);
      }
    }
    for (size_t g = 0; g < plan_.together; ++g) {
      group_ = &groups_[g];
      if (plan_.parts == 1) {
        write();
      } else {
        leave(partials + ((first_block + g) * plan_.parts + part) * plan_.partial(a_));
      }
    }
  }

  /// Puts the parts of a block of rows together.
  void finish(size_t row_block, const float* partials) {
    begin(row_block, 0);
    const float* const first = partials + row_block * plan_.parts * plan_.partial(a_);
    for (size_t r = 0; r < group_->rows; ++r) {
      const float* const largest = first + group_->rows * a_.head_dim + r;
      for (size_t p = 0; p < plan_.parts; ++p) {
        group_->largest[r] = larger_of(group_->largest[r], largest[p * plan_.partial(a_)]);
      }
      for (size_t p = 0; p < plan_.parts; ++p) {
        const float* const part = first + p * plan_.partial(a_);
        const float factor = factor_of(largest[p * plan_.partial(a_)], group_->largest[r]);
        group_->total[r] += factor * part[group_->rows * (a_.head_dim + 1) + r];
        float* const sums = group_->sums + r * a_.head_dim;
        for (size_t j = 0; j < a_.head_dim; ++j) {
          sums[j] += factor * part[r * a_.head_dim + j];
        }
      }
    }
    write();
  }

 private:
  /// Everything about a block of rows before the first key.
  void begin(size_t row_block, size_t index) {
    group_ = &groups_[index];
    const size_t group = row_block / plan_.blocks;
    group_->batch = group / plan_.groups;
    const size_t first_row = row_block % plan_.blocks * plan_.rows;
    group_->rows = min(plan_.rows, plan_.lines - first_row);
    const size_t shared = a_.heads / a_.key_heads;
    const size_t in_batch = group % plan_.groups;
    group_->key_head = plan_.by_heads ? in_batch : in_batch / shared;
    group_->head = plan_.by_heads ? in_batch * shared + first_row : in_batch;
    group_->position = plan_.by_heads ? 0 : first_row;
    read_query();
    for (size_t r = 0; r < group_->rows; ++r) {
      group_->largest[r] = kNothing;
      group_->total[r] = 0;
    }
    if (plan_.few) {
      std::memset(group_->sums, 0, group_->rows * a_.head_dim * sizeof(float));
    }
  }

  void leave(float* partial) const {
    std::memcpy(partial, group_->sums, group_->rows * a_.head_dim * sizeof(float));
    std::memcpy(partial + group_->rows * a_.head_dim, group_->largest,
                group_->rows * sizeof(float));
    std::memcpy(partial + group_->rows * (a_.head_dim + 1), group_->total,
                group_->rows * sizeof(float));
  }

  /// How many keys the query of a row sees.
  size_t keys_seen_by(size_t row) const {
    const size_t position = plan_.by_heads ? 0 : group_->position + row;
    return a_.causal ? min(a_.keys, a_.start + position + 1) : a_.keys;
  }

  /// Scaled, so that scores need not be.
  void read_query() {
    const Lines lines =
        lines_at(a_.query, group_->batch, group_->head, group_->position, plan_.by_heads);
    for (size_t r = 0; r < group_->rows; ++r) {
      float* const row = group_->query + r * a_.head_dim;
      lines.read(r, a_.head_dim, row);
      for (size_t j = 0; j < a_.head_dim; ++j) {
        row[j] *= a_.scale;
      }
    }
  }

  /// Keys or values [first, first + n), a row each; in place or converted.
  NumberLines read_lines(const Operand& operand, size_t first, size_t n) {
    const Lines lines = lines_at(operand, group_->batch, group_->key_head, first, false);
    NumberLines read;
    if (plan_.reads_in_place(operand)) {
      read = in_place(lines, n, a_.head_dim);
    } else {
      for (size_t i = 0; i < n; ++i) {
        lines.read(i, a_.head_dim, converted_ + i * a_.head_dim);
      }
      const ptrdiff_t stride = static_cast<ptrdiff_t>(a_.head_dim * sizeof(float));
      read = {reinterpret_cast<const char*>(converted_), stride, n, a_.head_dim};
    }
    if (plan_.together > 1 && first + n < a_.keys) {
      // Each group asks for its share of the block behind.
      const size_t bytes = min(plan_.keys, a_.keys - first - n) * Plan::position_bytes(operand);
      read.next_bytes = bytes / plan_.together;
      read.next = lines_at(operand, group_->batch, 0, first + n, false).line(0) +
                  read.next_bytes * static_cast<size_t>(group_ - groups_.get());
    }
    return read;
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
      float_loops.multiply_lines(keys, group_->query, a_.head_dim, group_->rows, scores_, n);
    } else {
      const Matrix query = {group_->query, ScalarType::Float, static_cast<ptrdiff_t>(a_.head_dim),
                            1};
      const Matrix lines = matrix_of(keys);
      const Matrix turned = {lines.data, lines.dtype, lines.column_stride, lines.row_stride};
      util::gemm_strided(Compute::kFloat, group_->rows, n, a_.head_dim, query, turned,
                         into(scores_, n));
    }
    float correction[kMostRows];
    for (size_t r = 0; r < group_->rows; ++r) {
      correction[r] = weigh(r, first, n);
    }
    const NumberLines values = read_lines(a_.value, first, n);
    if (plan_.few) {
      for (size_t r = 0; !is_first && r < group_->rows; ++r) {
        scale(group_->sums + r * a_.head_dim, correction[r]);
      }
      return float_loops.add_lines(values, scores_, n, group_->rows, group_->sums, a_.head_dim);
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
    float* const target = is_first ? group_->sums : product_;
    util::gemm_strided(Compute::kFloat, group_->rows, a_.head_dim, n, weights, values,
                       into(target, a_.head_dim));
    if (is_first) {
      return;
    }
    for (size_t r = 0; r < group_->rows; ++r) {
      const float* const sums = group_->sums + r * a_.head_dim;
      float* const product = product_ + r * a_.head_dim;
      if (float_loops.add_scaled != nullptr) {
        float_loops.add_scaled(product, sums, a_.head_dim, correction[r]);
        continue;
      }
      for (size_t j = 0; j < a_.head_dim; ++j) {
        product[j] += sums[j] * correction[r];
      }
    }
    std::swap(group_->sums, product_);
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
    const float before = group_->largest[row];
    const float largest = larger_of(before, largest_of(scores, visible));
    if (largest == kNothing) {
      std::memset(scores, 0, visible * sizeof(float));
      return 1.0f;
    }
    const float correction = factor_of(before, largest);
    group_->largest[row] = largest;
    group_->total[row] = group_->total[row] * correction + exponentials(scores, visible, largest);
    return correction;
  }

  void add_mask(size_t row, size_t first, size_t n, float* scores) {
    const size_t position = plan_.by_heads ? 0 : group_->position + row;
    const ptrdiff_t offset = static_cast<ptrdiff_t>(position) * a_.mask_row +
                             static_cast<ptrdiff_t>(first) * a_.mask_column;
    const ptrdiff_t size = static_cast<ptrdiff_t>(executorch::runtime::elementSize(a_.mask_dtype));
    util::load(Compute::kFloat, a_.mask_dtype, a_.mask + offset * size, a_.mask_column, n, mask_);
    for (size_t i = 0; i < n; ++i) {
      scores[i] += mask_[i];
    }
  }

  /// Divides the sums by the weights' and writes them; without any weight the result is 0.
  void write() {
    const Lines out =
        lines_at(a_.out, group_->batch, group_->head, group_->position, plan_.by_heads);
    for (size_t r = 0; r < group_->rows; ++r) {
      float* const sums = group_->sums + r * a_.head_dim;
      const bool none = group_->total[r] == 0;
      const float factor = none ? 0.0f : 1.0f / group_->total[r];
      for (size_t j = 0; j < a_.head_dim; ++j) {
        sums[j] = none ? 0.0f : sums[j] * factor;
      }
      util::store(Compute::kFloat, a_.out.dtype, sums, a_.head_dim, out.line(r));
    }
  }

  const Attention& a_;
  const Plan& plan_;
  std::unique_ptr<float[]> memory_;
  std::unique_ptr<Group[]> groups_;
  float* product_ = nullptr;
  float* scores_ = nullptr;
  float* converted_ = nullptr;
  float* mask_ = nullptr;
  /// The one at work.
  Group* group_ = nullptr;
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
    partials.reset(new (
        std::nothrow) float[plan.row_blocks(attention) * plan.parts * plan.partial(attention)]);
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
