#include <cmath>

#include <executorch/kernels/portable/cpu/internal/fft.h>

namespace torch::executor::native::util {
namespace {

constexpr double kTwoPi = 6.283185307179586476925286766559;

ComplexValue times(ComplexValue a, ComplexValue b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

ComplexValue root(size_t k, size_t n, double sign) {
  const double angle = sign * kTwoPi * (static_cast<double>(k % n) / static_cast<double>(n));
  return {std::cos(angle), std::sin(angle)};
}

size_t smallest_factor(size_t n) {
  if (n % 4 == 0) {
    return 4;
  }
  for (size_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) {
      return p;
    }
  }
  return n;
}

/// x[k], x[k + m]: two transforms of m joined to one of 2 m.
void join_two(ComplexValue* x, size_t m, ComplexValue w) {
  const ComplexValue b = times(x[m], w);
  const ComplexValue a = x[0];
  x[0] = {a.re + b.re, a.im + b.im};
  x[m] = {a.re - b.re, a.im - b.im};
}

void join_four(ComplexValue* x, size_t m, ComplexValue w, double sign) {
  const ComplexValue w2 = times(w, w);
  const ComplexValue a = x[0];
  const ComplexValue b = times(x[m], w);
  const ComplexValue c = times(x[2 * m], w2);
  const ComplexValue d = times(x[3 * m], times(w2, w));
  const ComplexValue sum_ac = {a.re + c.re, a.im + c.im};
  const ComplexValue dif_ac = {a.re - c.re, a.im - c.im};
  const ComplexValue sum_bd = {b.re + d.re, b.im + d.im};
  // The difference times sign * i.
  const ComplexValue turned = {-sign * (b.im - d.im), sign * (b.re - d.re)};
  x[0] = {sum_ac.re + sum_bd.re, sum_ac.im + sum_bd.im};
  x[m] = {dif_ac.re + turned.re, dif_ac.im + turned.im};
  x[2 * m] = {sum_ac.re - sum_bd.re, sum_ac.im - sum_bd.im};
  x[3 * m] = {dif_ac.re - turned.re, dif_ac.im - turned.im};
}

/// Any number of transforms, in p steps for each result. @param t Memory for 2 p elements.
void join_many(ComplexValue* x, size_t m, size_t p, ComplexValue w, double sign, ComplexValue* t) {
  ComplexValue* roots = t + p;
  ComplexValue factor = {1, 0};
  for (size_t q = 0; q < p; ++q) {
    t[q] = times(x[q * m], factor);
    factor = times(factor, w);
    roots[q] = root(q, p, sign);
  }
  for (size_t r = 0; r < p; ++r) {
    ComplexValue sum = t[0];
    size_t at = 0;
    for (size_t q = 1; q < p; ++q) {
      at += r;
      at -= at >= p ? p : 0;
      const ComplexValue term = times(t[q], roots[at]);
      sum.re += term.re;
      sum.im += term.im;
    }
    x[r * m] = sum;
  }
}

/// Decimation in time; the depth is the number of prime factors, below 64.
void transform(const ComplexValue* in, size_t stride, size_t n, double sign, ComplexValue* scratch,
               ComplexValue* out) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const size_t p = smallest_factor(n);
  const size_t m = n / p;
  for (size_t q = 0; q < p; ++q) {
    transform(in + q * stride, stride * p, m, sign, scratch, out + q * m);
  }
  const ComplexValue step = root(1, n, sign);
  ComplexValue w = {1, 0};
  for (size_t k = 0; k < m; ++k) {
    // Products of steps drift; an exact value now and then keeps the error at that of one.
    w = k % 16 == 0 ? root(k, n, sign) : times(w, step);
    if (p == 2) {
      join_two(out + k, m, w);
    } else if (p == 4) {
      join_four(out + k, m, w, sign);
    } else {
      join_many(out + k, m, p, w, sign, scratch);
    }
  }
}

}  // namespace

size_t fourier_scratch(size_t n) {
  size_t largest = 0;
  while (n > 1) {
    const size_t p = smallest_factor(n);
    largest = p > largest ? p : largest;
    n /= p;
  }
  return 2 * largest;
}

void fourier(const ComplexValue* in, size_t n, double sign, ComplexValue* scratch,
             ComplexValue* out) {
  transform(in, 1, n, sign, scratch, out);
}

FourierMemory::FourierMemory(KernelRuntimeContext& ctx, size_t n) : n_(n) {
  const size_t needed = 2 * n + fourier_scratch(n);
  if (needed <= kOnStack) {
    in_ = stack_;
    return;
  }
  const auto memory = ctx.allocate_temp(needed * sizeof(ComplexValue), alignof(ComplexValue));
  if (memory.ok()) {
    in_ = static_cast<ComplexValue*>(*memory);
    return;
  }
  ET_LOG(Error,
         "a transform of %zu elements takes %zu bytes of temporary memory: give the memory manager "
         "a temp allocator",
         n, needed * sizeof(ComplexValue));
  ctx.fail(Error::MemoryAllocationFailed);
}

}  // namespace torch::executor::native::util
