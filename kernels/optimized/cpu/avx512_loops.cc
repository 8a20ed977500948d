#include <immintrin.h>

#include <executorch/kernels/optimized/cpu/x86_loops.h>
#include <executorch/kernels/portable/cpu/util/vmath.h>

namespace torch::executor::native::optimized {
namespace {

// Each function is compiled for the processors it runs on, and nothing else in this file is; shared
// inline functions stay what they are for the rest of the program.
#define ET_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma")))

constexpr size_t kLanes = 16;
constexpr size_t kColumns = util::kPanelColumns;
static_assert(kColumns == 2 * kLanes && util::kPanelRows == 8, "written out below");

/// Eight rows by two registers of columns: 16 accumulators, enough to hide the latency of the adds.
ET_AVX512 void multiply_panel(const float* const* a, const float* panel, size_t depth, float* acc) {
  const float* a0 = a[0];
  const float* a1 = a[1];
  const float* a2 = a[2];
  const float* a3 = a[3];
  const float* a4 = a[4];
  const float* a5 = a[5];
  const float* a6 = a[6];
  const float* a7 = a[7];
  __m512 c0a = _mm512_load_ps(acc + 0 * kColumns);
  __m512 c0b = _mm512_load_ps(acc + 0 * kColumns + kLanes);
  __m512 c1a = _mm512_load_ps(acc + 1 * kColumns);
  __m512 c1b = _mm512_load_ps(acc + 1 * kColumns + kLanes);
  __m512 c2a = _mm512_load_ps(acc + 2 * kColumns);
  __m512 c2b = _mm512_load_ps(acc + 2 * kColumns + kLanes);
  __m512 c3a = _mm512_load_ps(acc + 3 * kColumns);
  __m512 c3b = _mm512_load_ps(acc + 3 * kColumns + kLanes);
  __m512 c4a = _mm512_load_ps(acc + 4 * kColumns);
  __m512 c4b = _mm512_load_ps(acc + 4 * kColumns + kLanes);
  __m512 c5a = _mm512_load_ps(acc + 5 * kColumns);
  __m512 c5b = _mm512_load_ps(acc + 5 * kColumns + kLanes);
  __m512 c6a = _mm512_load_ps(acc + 6 * kColumns);
  __m512 c6b = _mm512_load_ps(acc + 6 * kColumns + kLanes);
  __m512 c7a = _mm512_load_ps(acc + 7 * kColumns);
  __m512 c7b = _mm512_load_ps(acc + 7 * kColumns + kLanes);
  for (size_t k = 0; k < depth; ++k) {
    const __m512 b0 = _mm512_load_ps(panel + k * kColumns);
    const __m512 b1 = _mm512_load_ps(panel + k * kColumns + kLanes);
    const __m512 v0 = _mm512_set1_ps(a0[k]);
    c0a = _mm512_fmadd_ps(v0, b0, c0a);
    c0b = _mm512_fmadd_ps(v0, b1, c0b);
    const __m512 v1 = _mm512_set1_ps(a1[k]);
    c1a = _mm512_fmadd_ps(v1, b0, c1a);
    c1b = _mm512_fmadd_ps(v1, b1, c1b);
    const __m512 v2 = _mm512_set1_ps(a2[k]);
    c2a = _mm512_fmadd_ps(v2, b0, c2a);
    c2b = _mm512_fmadd_ps(v2, b1, c2b);
    const __m512 v3 = _mm512_set1_ps(a3[k]);
    c3a = _mm512_fmadd_ps(v3, b0, c3a);
    c3b = _mm512_fmadd_ps(v3, b1, c3b);
    const __m512 v4 = _mm512_set1_ps(a4[k]);
    c4a = _mm512_fmadd_ps(v4, b0, c4a);
    c4b = _mm512_fmadd_ps(v4, b1, c4b);
    const __m512 v5 = _mm512_set1_ps(a5[k]);
    c5a = _mm512_fmadd_ps(v5, b0, c5a);
    c5b = _mm512_fmadd_ps(v5, b1, c5b);
    const __m512 v6 = _mm512_set1_ps(a6[k]);
    c6a = _mm512_fmadd_ps(v6, b0, c6a);
    c6b = _mm512_fmadd_ps(v6, b1, c6b);
    const __m512 v7 = _mm512_set1_ps(a7[k]);
    c7a = _mm512_fmadd_ps(v7, b0, c7a);
    c7b = _mm512_fmadd_ps(v7, b1, c7b);
  }
  _mm512_store_ps(acc + 0 * kColumns, c0a);
  _mm512_store_ps(acc + 0 * kColumns + kLanes, c0b);
  _mm512_store_ps(acc + 1 * kColumns, c1a);
  _mm512_store_ps(acc + 1 * kColumns + kLanes, c1b);
  _mm512_store_ps(acc + 2 * kColumns, c2a);
  _mm512_store_ps(acc + 2 * kColumns + kLanes, c2b);
  _mm512_store_ps(acc + 3 * kColumns, c3a);
  _mm512_store_ps(acc + 3 * kColumns + kLanes, c3b);
  _mm512_store_ps(acc + 4 * kColumns, c4a);
  _mm512_store_ps(acc + 4 * kColumns + kLanes, c4b);
  _mm512_store_ps(acc + 5 * kColumns, c5a);
  _mm512_store_ps(acc + 5 * kColumns + kLanes, c5b);
  _mm512_store_ps(acc + 6 * kColumns, c6a);
  _mm512_store_ps(acc + 6 * kColumns + kLanes, c6b);
  _mm512_store_ps(acc + 7 * kColumns, c7a);
  _mm512_store_ps(acc + 7 * kColumns + kLanes, c7b);
}

ET_AVX512 void dot_rows(const float* const* a, const float* x, size_t depth, float* acc) {
  const float* a0 = a[0];
  const float* a1 = a[1];
  const float* a2 = a[2];
  const float* a3 = a[3];
  __m512 s0 = _mm512_setzero_ps();
  __m512 s1 = s0;
  __m512 s2 = s0;
  __m512 s3 = s0;
  size_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    const __m512 v = _mm512_loadu_ps(x + k);
    s0 = _mm512_fmadd_ps(_mm512_loadu_ps(a0 + k), v, s0);
    s1 = _mm512_fmadd_ps(_mm512_loadu_ps(a1 + k), v, s1);
    s2 = _mm512_fmadd_ps(_mm512_loadu_ps(a2 + k), v, s2);
    s3 = _mm512_fmadd_ps(_mm512_loadu_ps(a3 + k), v, s3);
  }
  if (k < depth) {
    const __mmask16 mask = static_cast<__mmask16>((1u << (depth - k)) - 1u);
    const __m512 v = _mm512_maskz_loadu_ps(mask, x + k);
    s0 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, a0 + k), v, s0);
    s1 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, a1 + k), v, s1);
    s2 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, a2 + k), v, s2);
    s3 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, a3 + k), v, s3);
  }
  acc[0] += _mm512_reduce_add_ps(s0);
  acc[1] += _mm512_reduce_add_ps(s1);
  acc[2] += _mm512_reduce_add_ps(s2);
  acc[3] += _mm512_reduce_add_ps(s3);
}

ET_AVX512 void add_scaled(float* acc, const float* x, size_t n, float w) {
  const __m512 factor = _mm512_set1_ps(w);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const __m512 sum = _mm512_fmadd_ps(_mm512_loadu_ps(x + i), factor, _mm512_loadu_ps(acc + i));
    _mm512_storeu_ps(acc + i, sum);
  }
  if (i < n) {
    const __mmask16 mask = static_cast<__mmask16>((1u << (n - i)) - 1u);
    const __m512 sum = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, x + i), factor,
                                       _mm512_maskz_loadu_ps(mask, acc + i));
    _mm512_mask_storeu_ps(acc + i, mask, sum);
  }
}

ET_AVX512 void exp_loop(const float* x, size_t n, float shift, float* out) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = util::fast_exp(x[i] - shift);
  }
}

ET_AVX512 void gelu_loop(const float* x, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) {
    const float v = x[i];
    out[i] = 0.5f * v * (1.0f + util::fast_erf(v * 0.70710678f));
  }
}

ET_AVX512 void sigmoid_loop(const float* x, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) {
    const float v = x[i];
    out[i] = util::fast_sigmoid(v);
  }
}

ET_AVX512 void tanh_loop(const float* x, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) {
    const float v = x[i];
    out[i] = util::fast_tanh(v);
  }
}

#undef ET_AVX512

}  // namespace

const util::FloatLoops kAvx512Loops = {multiply_panel, dot_rows,     add_scaled, exp_loop,
                                       gelu_loop,      sigmoid_loop, tanh_loop};

}  // namespace torch::executor::native::optimized
