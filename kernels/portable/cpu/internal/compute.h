/**
 * @file
 * The four types that the portable kernels calculate in, and the conversions between them and the
 * tensor dtypes.
 *
 * A kernel that is instantiated for every combination of input and output dtypes costs kilobytes
 * per operator. Here every operator has at most one inner loop for each compute type; chunks of a
 * tensor whose dtype is another one pass through `load` and `store`, which all operators share.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/kernel/kernel_includes.h>

namespace torch::executor::native {

using executorch::aten::ArrayRef;
using executorch::aten::IntArrayRef;
using executorch::aten::OptionalArrayRef;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorList;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using std::optional;

}  // namespace torch::executor::native

namespace torch::executor::native::util {

/// Largest tensor rank that the format allows.
constexpr size_t kMaxRank = executorch::runtime::kTensorDimensionLimit;

/**
 * Bytes of one chunk buffer on the stack of an elementwise kernel or a reduction. A kernel holds at
 * most six of them. Microcontrollers get small ones: their stacks are a few kilobytes.
 */
#ifndef ET_KERNEL_CHUNK_BYTES
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define ET_KERNEL_CHUNK_BYTES 256
#elif defined(__XTENSA__) || (defined(__riscv) && !defined(__unix__))
#define ET_KERNEL_CHUNK_BYTES 256
#else
#define ET_KERNEL_CHUNK_BYTES 2048
#endif
#endif
constexpr size_t kChunkBytes = ET_KERNEL_CHUNK_BYTES;

/// The type that an inner loop calculates in. kBool is a byte whose truth value is `!= 0`.
enum class Compute : uint8_t { kBool = 0, kInt64 = 1, kFloat = 2, kDouble = 3 };
constexpr size_t kComputeTypes = 4;

/// C++ type to Compute.
template <typename C>
struct ComputeOf;
template <>
struct ComputeOf<uint8_t> {
  static constexpr Compute value = Compute::kBool;
};
template <>
struct ComputeOf<int64_t> {
  static constexpr Compute value = Compute::kInt64;
};
template <>
struct ComputeOf<float> {
  static constexpr Compute value = Compute::kFloat;
};
template <>
struct ComputeOf<double> {
  static constexpr Compute value = Compute::kDouble;
};

/// Bytes of one element of compute type `c`.
inline size_t compute_size(Compute c) {
  return c == Compute::kBool ? 1 : c == Compute::kFloat ? 4 : 8;
}

/**
 * The compute types that there are loops for, a bit for each. A firmware whose programs calculate
 * with floats only has no room for the others: //kernels/portable/cpu/util:floats_only. Kernels are
 * then registered for the dtypes of the programs (`dtype_selective`), so that no other program
 * loads; elements of a dtype without loops are 0 where they are read, and stay as they are where
 * they would be written.
 */
#ifndef ET_KERNEL_COMPUTE_TYPES
#define ET_KERNEL_COMPUTE_TYPES 0xf
#endif
constexpr bool has_loops(Compute c) {
  return ((ET_KERNEL_COMPUTE_TYPES >> static_cast<unsigned>(c)) & 1u) != 0;
}

/// The dtype whose elements are stored exactly as compute type `c`.
inline ScalarType native_dtype(Compute c) {
  switch (c) {
    case Compute::kBool:
      return ScalarType::Bool;
    case Compute::kInt64:
      return ScalarType::Long;
    case Compute::kFloat:
      return ScalarType::Float;
    default:
      return ScalarType::Double;
  }
}

/// The compute type for arithmetic on `dtype`: integers and Bool in int64, half types in float.
inline Compute arithmetic_compute(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Double:
      return Compute::kDouble;
    case ScalarType::Float:
    case ScalarType::Half:
    case ScalarType::BFloat16:
      return Compute::kFloat;
    default:
      return Compute::kInt64;
  }
}

/// True for the real dtypes that `load` and `store` convert.
bool is_real_dtype(ScalarType dtype);

/**
 * Converts `n` elements of `dtype`, `stride` elements apart from `src` on, to compute type `c` and
 * writes them to `dst` one after the other. Floating values out of the range of int64, and NaN,
 * become the smallest int64.
 */
void load(Compute c, ScalarType dtype, const void* src, ptrdiff_t stride, size_t n, void* dst);

/// Converts `n` consecutive elements of compute type `c` to `dtype`, `stride` elements apart in
/// `dst`.
void store(Compute c, ScalarType dtype, const void* src, size_t n, void* dst, ptrdiff_t stride = 1);

/// A Scalar in all compute types at once, so that an operator's parameter block is not a template.
struct ScalarValue {
  int64_t i = 0;
  double d = 0;

  ScalarValue() = default;
  explicit ScalarValue(const Scalar& scalar);
  explicit ScalarValue(int64_t value) : i(value), d(static_cast<double>(value)) {}
  explicit ScalarValue(double value);

  template <typename C>
  C as() const;
};

template <>
inline uint8_t ScalarValue::as<uint8_t>() const {
  return i != 0 || d != 0;
}
template <>
inline int64_t ScalarValue::as<int64_t>() const {
  return i;
}
template <>
inline float ScalarValue::as<float>() const {
  return static_cast<float>(d);
}
template <>
inline double ScalarValue::as<double>() const {
  return d;
}

/// Writes the value of `scalar` as compute type `c` to `dst`.
void load_scalar(Compute c, const ScalarValue& scalar, void* dst);

}  // namespace torch::executor::native::util
