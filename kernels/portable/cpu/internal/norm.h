/**
 * @file
 * Normalisation: y = x * scale + shift, with scale and shift from an element's group and channel.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>
#include <executorch/kernels/portable/cpu/internal/moments.h>

namespace torch::executor::native::util {

/// A vector of parameters, such as a norm's weight; absent if `data` is null.
struct Parameter {
  const char* data = nullptr;
  ScalarType dtype = ScalarType::Float;

  Parameter() = default;
  explicit Parameter(const Tensor& t)
      : data(static_cast<const char*>(t.const_data_ptr())), dtype(t.scalar_type()) {}
  explicit Parameter(const optional<Tensor>& t) {
    if (t.has_value()) {
      *this = Parameter(*t);
    }
  }

  /// Element `at`; `fallback` if the parameter is absent.
  double at(size_t index, double fallback) const;

  /// Loads `n` elements from `index` on as type C.
  template <typename C>
  void read(size_t index, size_t n, C fallback, C* dst) const {
    if (data == nullptr) {
      for (size_t i = 0; i < n; ++i) {
        dst[i] = fallback;
      }
      return;
    }
    load(ComputeOf<C>::value, dtype, data + index * executorch::runtime::elementSize(dtype), 1, n,
         dst);
  }
};

/// The moments of `n` consecutive elements of a floating dtype, in two passes.
Moments moments(ScalarType dtype, const char* from, size_t n);

/// out[i] = in[i] * scale + shift for `n` consecutive elements of one floating dtype.
void affine(ScalarType dtype, const char* in, size_t n, double scale, double shift, char* out);

/// out[i] = (in[i] - mean) * rstd * weight[i] + bias[i] for `n` consecutive elements.
void affine_each(ScalarType dtype, const char* in, size_t n, double mean, double rstd,
                 const Parameter& weight, const Parameter& bias, char* out);

/// Requires that a parameter is absent, or a real vector of `n` elements.
bool require_parameter(KernelRuntimeContext& ctx, const optional<Tensor>& t, size_t n);

/// Writes `value` to element `index` of `out`.
void write_element(double value, size_t index, Tensor& out);

}  // namespace torch::executor::native::util
