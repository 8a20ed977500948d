#include <immintrin.h>

#include <executorch/kernels/optimized/cpu/x86_loops.h>
#include <executorch/kernels/portable/cpu/util/vmath.h>

namespace torch::executor::native::optimized {
namespace {

// Each function is compiled for the processors it runs on, and nothing else in this file is; shared
// inline functions stay what they are for the rest of the program.
#define ET_AVX2 __attribute__((target("avx2,fma")))

constexpr size_t kLanes = 8;
constexpr size_t kColumns = util::kPanelColumns;
static_assert(kColumns == 4 * kLanes && util::kPanelRows == 8, "written out below");

/// Four rows by two registers of columns.
ET_AVX2 void multiply_tile(const float* const* a, const float* panel, size_t depth, float* acc) {
  const float* a0 = a[0];
  const float* a1 = a[1];
  const float* a2 = a[2];
  const float* a3 = a[3];
  __m256 c0a = _mm256_load_ps(acc + 0 * kColumns);
  __m256 c0b = _mm256_load_ps(acc + 0 * kColumns + kLanes);
  __m256 c1a = _mm256_load_ps(acc + 1 * kColumns);
  __m256 c1b = _mm256_load_ps(acc + 1 * kColumns + kLanes);
  __m256 c2a = _mm256_load_ps(acc + 2 * kColumns);
  __m256 c2b = _mm256_load_ps(acc + 2 * kColumns + kLanes);
  __m256 c3a = _mm256_load_ps(acc + 3 * kColumns);
  __m256 c3b = _mm256_load_ps(acc + 3 * kColumns + kLanes);
  for (size_t k = 0; k < depth; ++k) {
    const __m256 b0 = _mm256_load_ps(panel + k * kColumns);
    const __m256 b1 = _mm256_load_ps(panel + k * kColumns + kLanes);
    const __m256 v0 = _mm256_broadcast_ss(a0 + k);
    c0a = _mm256_fmadd_ps(v0, b0, c0a);
    c0b = _mm256_fmadd_ps(v0, b1, c0b);
    const __m256 v1 = _mm256_broadcast_ss(a1 + k);
    c1a = _mm256_fmadd_ps(v1, b0, c1a);
    c1b = _mm256_fmadd_ps(v1, b1, c1b);
    const __m256 v2 = _mm256_broadcast_ss(a2 + k);
    c2a = _mm256_fmadd_ps(v2, b0, c2a);
    c2b = _mm256_fmadd_ps(v2, b1, c2b);
    const __m256 v3 = _mm256_broadcast_ss(a3 + k);
    c3a = _mm256_fmadd_ps(v3, b0, c3a);
    c3b = _mm256_fmadd_ps(v3, b1, c3b);
  }
  _mm256_store_ps(acc + 0 * kColumns, c0a);
  _mm256_store_ps(acc + 0 * kColumns + kLanes, c0b);
  _mm256_store_ps(acc + 1 * kColumns, c1a);
  _mm256_store_ps(acc + 1 * kColumns + kLanes, c1b);
  _mm256_store_ps(acc + 2 * kColumns, c2a);
  _mm256_store_ps(acc + 2 * kColumns + kLanes, c2b);
  _mm256_store_ps(acc + 3 * kColumns, c3a);
  _mm256_store_ps(acc + 3 * kColumns + kLanes, c3b);
}

ET_AVX2 void multiply_panel(const float* const* a, const float* panel, size_t depth, float* acc) {
  for (size_t r = 0; r < util::kPanelRows; r += 4) {
    multiply_tile(a + r, panel, depth, acc + r * kColumns);
    multiply_tile(a + r, panel + 2 * kLanes, depth, acc + r * kColumns + 2 * kLanes);
  }
}

ET_AVX2 float sum_lanes(__m256 v) {
  __m128 low = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  low = _mm_add_ps(low, _mm_movehl_ps(low, low));
  low = _mm_add_ss(low, _mm_movehdup_ps(low));
  return _mm_cvtss_f32(low);
}

ET_AVX2 void dot_rows(const float* const* a, const float* x, size_t depth, float* acc) {
  const float* a0 = a[0];
  const float* a1 = a[1];
  const float* a2 = a[2];
  const float* a3 = a[3];
  __m256 s0 = _mm256_setzero_ps();
  __m256 s1 = s0;
  __m256 s2 = s0;
  __m256 s3 = s0;
  size_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    const __m256 v = _mm256_loadu_ps(x + k);
    s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a0 + k), v, s0);
    s1 = _mm256_fmadd_ps(_mm256_loadu_ps(a1 + k), v, s1);
    s2 = _mm256_fmadd_ps(_mm256_loadu_ps(a2 + k), v, s2);
    s3 = _mm256_fmadd_ps(_mm256_loadu_ps(a3 + k), v, s3);
  }
  float t0 = sum_lanes(s0);
  float t1 = sum_lanes(s1);
  float t2 = sum_lanes(s2);
  float t3 = sum_lanes(s3);
  for (; k < depth; ++k) {
    t0 += a0[k] * x[k];
    t1 += a1[k] * x[k];
    t2 += a2[k] * x[k];
    t3 += a3[k] * x[k];
  }
  acc[0] += t0;
  acc[1] += t1;
  acc[2] += t2;
  acc[3] += t3;
}

ET_AVX2 void add_scaled(float* acc, const float* x, size_t n, float w) {
  const __m256 factor = _mm256_set1_ps(w);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const __m256 sum = _mm256_fmadd_ps(_mm256_loadu_ps(x + i), factor, _mm256_loadu_ps(acc + i));
    _mm256_storeu_ps(acc + i, sum);
  }
  for (; i < n; ++i) {
    acc[i] += w * x[i];
  }
}

ET_AVX2 void exp_loop(const float* x, size_t n, float shift, float* out) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = util::fast_exp(x[i] - shift);
  }
}

ET_AVX2 void gelu_loop(const float* x, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) {
    const float v = x[i];
    out[i] = 0.5f * v * (1.0f + util::fast_erf(v * 0.70710678f));
  }
}

ET_AVX2 void sigmoid_loop(const float* x, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) {
    const float v = x[i];
    out[i] = util::fast_sigmoid(v);
  }
}

ET_AVX2 void tanh_loop(const float* x, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) {
    const float v = x[i];
    out[i] = util::fast_tanh(v);
  }
}

#undef ET_AVX2

}  // namespace

const util::FloatLoops kAvx2Loops = {multiply_panel, dot_rows,     add_scaled, exp_loop,
                                     gelu_loop,      sigmoid_loop, tanh_loop};

}  // namespace torch::executor::native::optimized
