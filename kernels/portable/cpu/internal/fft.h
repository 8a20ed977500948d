/**
 * @file
 * Discrete Fourier transforms of lines of any length, in double.
 */
#pragma once

#include <cstddef>

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native::util {

struct ComplexValue {
  double re;
  double im;
};

/// Elements of `scratch` that `fourier` needs for lines of `n`, besides input and output.
size_t fourier_scratch(size_t n);

/**
 * out[k] = sum over j of in[j] exp(sign 2 pi i j k / n). Takes n times the sum of n's prime
 * factors.
 * @param out Not `in`.
 * @param sign -1 for the forward transform, 1 for the backward one.
 */
void fourier(const ComplexValue* in, size_t n, double sign, ComplexValue* scratch,
             ComplexValue* out);

/// Memory for the lines of a transform: the context's temporary memory, or the kernel's stack.
class FourierMemory {
 public:
  /// For lines of `n`; fails the kernel if there is no memory, then `ok()` is false.
  FourierMemory(KernelRuntimeContext& ctx, size_t n);

  bool ok() const { return in_ != nullptr; }
  ComplexValue* in() { return in_; }
  ComplexValue* out() { return in_ + n_; }
  void run(double sign) { fourier(in_, n_, sign, in_ + 2 * n_, out()); }

 private:
  static constexpr size_t kOnStack = 4 * kChunkBytes / sizeof(ComplexValue);
  size_t n_;
  ComplexValue* in_ = nullptr;
  ComplexValue stack_[kOnStack];
};

}  // namespace torch::executor::native::util
