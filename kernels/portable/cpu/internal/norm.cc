#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/portable/cpu/internal/norm.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {
namespace {

template <typename C>
constexpr size_t kBlock = kChunkBytes / sizeof(C);

/// `n` elements as type C: in place if they are, else converted into `buffer`.
template <typename C>
const C* read(ScalarType dtype, const char* from, size_t n, C* buffer) {
  if (dtype == native_dtype(ComputeOf<C>::value)) {
    return reinterpret_cast<const C*>(from);
  }
  load(ComputeOf<C>::value, dtype, from, 1, n, buffer);
  return buffer;
}

/// Calls `fn(first, n)` for blocks of at most kBlock<C> elements.
template <typename C, typename Fn>
void for_each_block(size_t count, Fn&& fn) {
  for (size_t i = 0; i < count; i += kBlock<C>) {
    fn(i, count - i < kBlock<C> ? count - i : kBlock<C>);
  }
}

/// The sum of f(x) over a block, in independent lanes.
template <typename C, typename F>
C sum_of(const C* x, size_t n, F&& f) {
  C lane[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) {
      lane[l] += f(x[i + l]);
    }
  }
  for (size_t l = 0; i < n; ++i, ++l) {
    lane[l] += f(x[i]);
  }
  C sum = 0;
  for (size_t l = 0; l < kLanes; ++l) {
    sum += lane[l];
  }
  return sum;
}

template <typename C>
Moments moments_in(ScalarType dtype, const char* from, size_t count) {
  const size_t size = executorch::runtime::elementSize(dtype);
  C buffer[kBlock<C>];
  Moments result = {0, 0};
  for_each_block<C>(count, [&](size_t first, size_t n) {
    result.mean += sum_of(read(dtype, from + first * size, n, buffer), n, [](C x) { return x; });
  });
  result.mean /= static_cast<double>(count);
  const C mean = static_cast<C>(result.mean);
  for_each_block<C>(count, [&](size_t first, size_t n) {
    result.squares += sum_of(read(dtype, from + first * size, n, buffer), n,
                             [mean](C x) { return (x - mean) * (x - mean); });
  });
  return result;
}

template <typename C>
void affine_in(ScalarType dtype, const char* in, size_t count, C scale, C shift, char* out) {
  const size_t size = executorch::runtime::elementSize(dtype);
  C buffer[kBlock<C>];
  C result[kBlock<C>];
  const bool native = dtype == native_dtype(ComputeOf<C>::value);
  for_each_block<C>(count, [&](size_t first, size_t n) {
    const C* x = read(dtype, in + first * size, n, buffer);
    C* y = native ? reinterpret_cast<C*>(out + first * size) : result;
    for (size_t i = 0; i < n; ++i) {
      y[i] = x[i] * scale + shift;
    }
    if (!native) {
      store(ComputeOf<C>::value, dtype, result, n, out + first * size);
    }
  });
}

template <typename C>
void affine_each_in(ScalarType dtype, const char* in, size_t count, C mean, C rstd,
                    const Parameter& weight, const Parameter& bias, char* out) {
  const size_t size = executorch::runtime::elementSize(dtype);
  C buffer[kBlock<C>];
  C w[kBlock<C>];
  C b[kBlock<C>];
  for_each_block<C>(count, [&](size_t first, size_t n) {
    const C* x = read(dtype, in + first * size, n, buffer);
    weight.read<C>(first, n, 1, w);
    bias.read<C>(first, n, 0, b);
    for (size_t i = 0; i < n; ++i) {
      b[i] += (x[i] - mean) * rstd * w[i];
    }
    store(ComputeOf<C>::value, dtype, b, n, out + first * size);
  });
}

}  // namespace

double Parameter::at(size_t index, double fallback) const {
  double value;
  read<double>(index, 1, fallback, &value);
  return value;
}

Moments moments(ScalarType dtype, const char* from, size_t n) {
  if (dtype == ScalarType::Float && float_loops.sum != nullptr) {
    const float* x = reinterpret_cast<const float*>(from);
    const double mean = float_loops.sum(x, n) / static_cast<double>(n);
    return {mean, float_loops.squared_distances(x, n, static_cast<float>(mean))};
  }
  return dtype == ScalarType::Double ? moments_in<double>(dtype, from, n)
                                     : moments_in<float>(dtype, from, n);
}

void affine(ScalarType dtype, const char* in, size_t n, double scale, double shift, char* out) {
  if (dtype == ScalarType::Double) {
    affine_in<double>(dtype, in, n, scale, shift, out);
  } else {
    affine_in<float>(dtype, in, n, static_cast<float>(scale), static_cast<float>(shift), out);
  }
}

void affine_each(ScalarType dtype, const char* in, size_t n, double mean, double rstd,
                 const Parameter& weight, const Parameter& bias, char* out) {
  const auto is_floats = [](const Parameter& p) {
    return p.data != nullptr && p.dtype == ScalarType::Float;
  };
  if (dtype == ScalarType::Float && float_loops.normalize != nullptr && is_floats(weight) &&
      is_floats(bias)) {
    const auto floats = [](const char* bytes) { return reinterpret_cast<const float*>(bytes); };
    float_loops.normalize(floats(in), n, static_cast<float>(mean), static_cast<float>(rstd),
                          floats(weight.data), floats(bias.data), reinterpret_cast<float*>(out));
  } else if (dtype == ScalarType::Double) {
    affine_each_in<double>(dtype, in, n, mean, rstd, weight, bias, out);
  } else {
    affine_each_in<float>(dtype, in, n, static_cast<float>(mean), static_cast<float>(rstd), weight,
                          bias, out);
  }
}

bool require_parameter(KernelRuntimeContext& ctx, const optional<Tensor>& t, size_t n) {
  return !t.has_value() || (require_floating(ctx, *t) &&
                            require(ctx, static_cast<size_t>(t->numel()) == n && is_contiguous(*t),
                                    "a parameter does not have one element for each channel"));
}

void write_element(double value, size_t index, Tensor& out) {
  char* base = static_cast<char*>(out.mutable_data_ptr());
  store(Compute::kDouble, out.scalar_type(), &value, 1,
        base + index * static_cast<size_t>(out.element_size()));
}

}  // namespace torch::executor::native::util
