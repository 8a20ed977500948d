#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/elementwise.h>
#include <executorch/kernels/portable/cpu/internal/extremum.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/softmax.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native::util {
namespace {

struct Sum {
  template <typename A>
  static A init() {
    return 0;
  }
  template <typename A>
  static A combine(A a, A b) {
    return a + b;
  }
};

/// A dense tensor seen from one dimension: outer x size x inner, whatever its dim order.
struct Extent {
  size_t outer;
  size_t size;
  size_t inner;
};

template <typename C>
class Softmax {
 public:
  Softmax(const Tensor& in, bool logarithm, Tensor& out)
      : in_(static_cast<const char*>(in.const_data_ptr())),
        out_(static_cast<char*>(out.mutable_data_ptr())),
        in_dtype_(in.scalar_type()),
        out_dtype_(out.scalar_type()),
        in_size_(static_cast<ptrdiff_t>(in.element_size())),
        out_size_(static_cast<ptrdiff_t>(out.element_size())),
        logarithm_(logarithm) {}

  /// Both tensors have the same layout.
  void run(const Extent& extent) {
    for (size_t o = 0; o < extent.outer; ++o) {
      const size_t base = o * extent.size * extent.inner;
      if (extent.inner == 1) {
        const ptrdiff_t at = static_cast<ptrdiff_t>(base);
        run_line(extent.size, {at, 1}, {at, 1});
        continue;
      }
      for (size_t i = 0; i < extent.inner; i += kBlock) {
        run_columns(extent, base + i, extent.inner - i < kBlock ? extent.inner - i : kBlock);
      }
    }
  }

  /// Any layouts, line by line.
  void run_strided(const Tensor& in, size_t dim, const Tensor& out) {
    const View source(in);
    const View target(out);
    View rest = source.select(dim, 0);
    Lines<2> lines(rest);
    lines.set(0, rest);
    lines.set(1, target.select(dim, 0));
    do {
      for (size_t i = 0; i < lines.length(); ++i) {
        const ptrdiff_t at = static_cast<ptrdiff_t>(i);
        run_line(source.size[dim], {lines.offset(0) + at * lines.step(0), source.stride[dim]},
                 {lines.offset(1) + at * lines.step(1), target.stride[dim]});
      }
    } while (lines.next());
  }

 private:
  static constexpr Compute kC = ComputeOf<C>::value;
  static constexpr size_t kBlock = kChunkBytes / sizeof(C);

  /// Elements along the dimension: the first one's offset and the distance of neighbours.
  struct Line {
    ptrdiff_t offset;
    ptrdiff_t stride;
  };

  const C* read(const Line& line, size_t first, size_t n) {
    const ptrdiff_t at = line.offset + static_cast<ptrdiff_t>(first) * line.stride;
    const char* from = in_ + at * in_size_;
    if (line.stride == 1 && same_bytes(kC, in_dtype_)) {
      return reinterpret_cast<const C*>(from);
    }
    load(kC, in_dtype_, from, line.stride, n, buffer_);
    return buffer_;
  }

  void write(const Line& line, size_t first, size_t n, const C* from) {
    const ptrdiff_t at = line.offset + static_cast<ptrdiff_t>(first) * line.stride;
    store(kC, out_dtype_, from, n, out_ + at * out_size_, line.stride);
  }

  void run_line(size_t size, const Line& in, const Line& out) {
    C largest = -std::numeric_limits<C>::infinity();
    C sum = 0;
    for (size_t i = 0; i < size; i += kBlock) {
      const size_t n = count(size, i);
      ReduceLoops<Largest, C, C>::horizontal(&largest, read(in, i, n), n);
    }
    for (size_t i = 0; i < size; i += kBlock) {
      const size_t n = count(size, i);
      exponentials(read(in, i, n), largest, n);
      ReduceLoops<Sum, C, C>::horizontal(&sum, result_, n);
    }
    const C shift = logarithm_ ? largest + std::log(sum) : largest;
    const C scale = C(1) / sum;
    for (size_t i = 0; i < size; i += kBlock) {
      const size_t n = count(size, i);
      // A line of one block still has its exponentials.
      if (logarithm_ || size > kBlock) {
        const C* x = read(in, i, n);
        if (!logarithm_) {
          exponentials(x, shift, n);
        }
        for (size_t j = 0; j < n && logarithm_; ++j) {
          result_[j] = x[j] - shift;
        }
      }
      for (size_t j = 0; j < n && !logarithm_; ++j) {
        result_[j] *= scale;
      }
      write(out, i, n, result_);
    }
  }

  void exponentials(const C* __restrict x, C largest, size_t n) {
    if constexpr (std::is_same_v<C, float>) {
      if (float_loops.exp != nullptr) {
        return float_loops.exp(x, n, largest, result_);
      }
    }
    C* __restrict result = result_;
    for (size_t j = 0; j < n; ++j) {
      result[j] = fast_exp(x[j] - largest);
    }
  }

  /// `n` neighbouring lines at once, whose elements are `inner` apart.
  void run_columns(const Extent& extent, size_t base, size_t n) {
    C* __restrict largest = largest_;
    C* __restrict sum = sum_;
    for (size_t j = 0; j < n; ++j) {
      largest[j] = -std::numeric_limits<C>::infinity();
      sum[j] = 0;
    }
    for (size_t i = 0; i < extent.size; ++i) {
      const C* __restrict x = read(row(extent, base, i), 0, n);
      for (size_t j = 0; j < n; ++j) {
        largest[j] = nan_max(largest[j], x[j]);
      }
    }
    for (size_t i = 0; i < extent.size; ++i) {
      const C* __restrict x = read(row(extent, base, i), 0, n);
      for (size_t j = 0; j < n; ++j) {
        sum[j] += fast_exp(x[j] - largest[j]);
      }
    }
    for (size_t j = 0; j < n; ++j) {
      largest[j] += logarithm_ ? std::log(sum[j]) : C(0);
      sum[j] = C(1) / sum[j];
    }
    C* __restrict result = result_;
    for (size_t i = 0; i < extent.size; ++i) {
      const Line line = row(extent, base, i);
      const C* __restrict x = read(line, 0, n);
      for (size_t j = 0; j < n && logarithm_; ++j) {
        result[j] = x[j] - largest[j];
      }
      for (size_t j = 0; j < n && !logarithm_; ++j) {
        result[j] = fast_exp(x[j] - largest[j]) * sum[j];
      }
      write(line, 0, n, result);
    }
  }

  /// Element i of neighbouring lines.
  static Line row(const Extent& extent, size_t base, size_t i) {
    return {static_cast<ptrdiff_t>(base + i * extent.inner), 1};
  }

  static size_t count(size_t size, size_t begin) {
    return size - begin < kBlock ? size - begin : kBlock;
  }

  const char* in_;
  char* out_;
  ScalarType in_dtype_;
  ScalarType out_dtype_;
  ptrdiff_t in_size_;
  ptrdiff_t out_size_;
  bool logarithm_;
  C buffer_[kBlock];
  C result_[kBlock];
  C largest_[kBlock];
  C sum_[kBlock];
};

/// y[i] = x[i] - log(sum of exp(x)). In place or not.
void log_softmax_line(const float* x, size_t n, float* y) {
  constexpr size_t kBlock = kChunkBytes / sizeof(float);
  float exponentials[kBlock];
  const float largest = float_loops.largest(x, n);
  double sum = 0;
  for (size_t i = 0; i < n; i += kBlock) {
    const size_t count = n - i < kBlock ? n - i : kBlock;
    sum += float_loops.exp_sum(x + i, count, largest, exponentials);
  }
  const float shift = largest + static_cast<float>(std::log(sum));
  for (size_t i = 0; i < n; ++i) {
    y[i] = x[i] - shift;
  }
}

/// Lines of floats that are contiguous, with the loops of another library.
void softmax_lines(const Tensor& in, const Extent& extent, bool logarithm, Tensor& out) {
  constexpr size_t kGrain = 8192;
  const float* from = static_cast<const float*>(in.const_data_ptr());
  float* to = static_cast<float*>(out.mutable_data_ptr());
  const size_t n = extent.size;
  parallel_for(extent.outer, 1 + kGrain / n, [=](size_t begin, size_t end) {
    for (size_t line = begin; line < end; ++line) {
      const float* x = from + line * n;
      float* y = to + line * n;
      if (logarithm) {
        log_softmax_line(x, n, y);
        continue;
      }
      const double sum = float_loops.exp_sum(x, n, float_loops.largest(x, n), y);
      float_loops.scale(y, n, static_cast<float>(1.0 / sum), y);
    }
  });
}

template <typename C>
void softmax_in(const Tensor& in, size_t dim, bool logarithm, Tensor& out) {
  Softmax<C> softmax(in, logarithm, out);
  if (in.dim() > 0 && !same_layout(in, out)) {
    softmax.run_strided(in, dim, out);
    return;
  }
  Extent extent = {static_cast<size_t>(in.numel()), 1, 1};
  if (in.dim() > 0) {
    extent.size = static_cast<size_t>(in.size(static_cast<ssize_t>(dim)));
    extent.inner = extent.size == 1 ? 1 : static_cast<size_t>(in.strides()[dim]);
    extent.outer /= extent.size * extent.inner;
  }
  if (std::is_same_v<C, float> && float_loops.exp_sum != nullptr && extent.inner == 1 &&
      in.scalar_type() == ScalarType::Float && out.scalar_type() == ScalarType::Float) {
    return softmax_lines(in, extent, logarithm, out);
  }
  softmax.run(extent);
}

}  // namespace

Tensor& softmax(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool half_to_float,
                bool logarithm, Tensor& out) {
  if (!require(ctx, !half_to_float, "half_to_float is not supported") ||
      !require_floating(ctx, in) || !require_same_dtype(ctx, in, out) ||
      !wrap_dim(ctx, dim, static_cast<size_t>(in.dim())) || !resize_like(ctx, in, out) ||
      in.numel() == 0) {
    return out;
  }
  if (in.scalar_type() == ScalarType::Double) {
    softmax_in<double>(in, static_cast<size_t>(dim), logarithm, out);
  } else {
    softmax_in<float>(in, static_cast<size_t>(dim), logarithm, out);
  }
  return out;
}

}  // namespace torch::executor::native::util
