/**
 * @file
 * Small loops over arrays, for kernels without a library behind them. Matrices are row by row.
 */
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <executorch/kernels/portable/cpu/util/math_util.h>

namespace torch::executor {

/// z[i] = x[i] + y[i].
inline void vec_addf(float* z, const float* x, const float* y, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    z[i] = x[i] + y[i];
  }
}

/// y[i] = x[i] * scale.
inline void vec_scalef(float* y, const float* x, float scale, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    y[i] = x[i] * scale;
  }
}

/// The sum of the elements.
template <typename T>
inline float reduce_add(const T* x, size_t size) {
  float sum = 0;
  for (size_t i = 0; i < size; ++i) {
    sum += static_cast<float>(x[i]);
  }
  return sum;
}

/// The sum of the elements' squares.
template <typename T>
inline float vec_powerf(const T* x, size_t size) {
  float sum = 0;
  for (size_t i = 0; i < size; ++i) {
    sum += static_cast<float>(x[i]) * static_cast<float>(x[i]);
  }
  return sum;
}

/// The largest, the smallest element. At least one.
inline float vec_maxf(const float* x, size_t size) {
  float best = x[0];
  for (size_t i = 1; i < size; ++i) {
    best = native::utils::max_override(best, x[i]);
  }
  return best;
}
inline float vec_minf(const float* x, size_t size) {
  float best = x[0];
  for (size_t i = 1; i < size; ++i) {
    best = native::utils::min_override(best, x[i]);
  }
  return best;
}

namespace internal {

/// What sums of products are kept in: float for the half types, the type itself otherwise.
template <typename T>
using Sum = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

}  // namespace internal

/// z (m x p) = x (m x n) * y (n x p).
template <typename T, typename U = T>
inline void vec_matmul(T* z, const U* x, const U* y, int64_t m, int64_t n, int64_t p) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < p; ++j) {
      internal::Sum<T> sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        sum += static_cast<internal::Sum<T>>(x[i * n + k]) *
               static_cast<internal::Sum<T>>(y[k * p + j]);
      }
      z[i * p + j] = static_cast<T>(sum);
    }
  }
}

/// z (m x p) = x (m x n) * y (n x p) with row k of y scaled by s[k].
template <typename T, typename U = T, typename V = U>
inline void vec_quantized_matmul_int8(T* z, const U* x, const int8_t* y, const V* s, int64_t m,
                                      int64_t n, int64_t p) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < p; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        sum += static_cast<float>(x[i * n + k]) * static_cast<float>(y[k * p + j]) *
               static_cast<float>(s[k]);
      }
      z[i * p + j] = static_cast<T>(sum);
    }
  }
}

/// z (m x p) = x (m x n) * transposed y (p x n), whose rows are scaled in groups of `g` elements,
/// each by an entry of s (p x ceil(n / g)).
template <typename T, typename U = T, typename V = U>
inline void vec_quantized_matmul_transb_int8(T* z, const U* x, const int8_t* y, const V* s,
                                             int64_t m, int64_t n, int64_t p, int64_t g) {
  const int64_t groups = (n + g - 1) / g;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < p; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < n; k += g) {
        float part = 0;
        for (int64_t l = k; l < k + g && l < n; ++l) {
          part += static_cast<float>(x[i * n + l]) * static_cast<float>(y[j * n + l]);
        }
        sum += part * static_cast<float>(s[j * groups + k / g]);
      }
      z[i * p + j] = static_cast<T>(sum);
    }
  }
}

/// out (m x p) = beta * self (m x p) + alpha * mat1 (m x n) * mat2 (n x p).
template <typename T, typename U = T>
inline void vec_addmm(T* out_data, const U* self_data, const U* mat1_data, const U* mat2_data,
                      int64_t m, int64_t n, int64_t p, U beta, U alpha) {
  using Sum = internal::Sum<T>;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < p; ++j) {
      Sum sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        sum += static_cast<Sum>(mat1_data[i * n + k]) * static_cast<Sum>(mat2_data[k * p + j]);
      }
      out_data[i * p + j] =
          static_cast<T>(sum * static_cast<Sum>(alpha) +
                         static_cast<Sum>(self_data[i * p + j]) * static_cast<Sum>(beta));
    }
  }
}

/// y = softmax(x).
template <typename T, typename U = T>
inline void vec_softmax(T* y, const U* x, size_t n) {
  if (n == 0) {
    return;
  }
  float most = static_cast<float>(x[0]);
  for (size_t i = 1; i < n; ++i) {
    most = native::utils::max_override(most, static_cast<float>(x[i]));
  }
  float sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const float power = std::exp(static_cast<float>(x[i]) - most);
    sum += power;
    y[i] = static_cast<T>(power);
  }
  for (size_t i = 0; i < n; ++i) {
    y[i] = static_cast<T>(static_cast<float>(y[i]) / sum);
  }
}

/// `x` within [lo, hi].
inline float bounds_min_max(float x, float lo, float hi) { return x < lo ? lo : x > hi ? hi : x; }

/// y[i] = x[i] * scale + zero_point, rounded, within the range of int8.
inline void quantize_i8_f32(int8_t* y, const float* x, float scale, int32_t zero_point,
                            size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const float value = std::nearbyint(x[i] * scale) + static_cast<float>(zero_point);
    y[i] = static_cast<int8_t>(bounds_min_max(value, -128.0f, 127.0f));
  }
}

/// y[i] = (x[i] - zero_point) * scale.
inline void dequantize_i8_f32(float* y, const int8_t* x, float scale, int32_t zero_point,
                              size_t size) {
  for (size_t i = 0; i < size; ++i) {
    y[i] = scale * static_cast<float>(x[i] - zero_point);
  }
}

}  // namespace torch::executor
