/**
 * @file
 * Shapes: broadcasting, dimension arguments, and the checks that nearly every kernel begins with.
 *
 * The functions that return bool log what was expected and set the context's failure state when
 * they return false; the kernel then returns its output untouched.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native::util {

/// A shape that a kernel computes for its output.
struct Shape {
  SizesType sizes[kMaxRank];
  size_t rank = 0;

  Shape() = default;
  explicit Shape(const Tensor& t);

  void push(int64_t size) { sizes[rank++] = static_cast<SizesType>(size); }
  ArrayRef<SizesType> ref() const { return {sizes, rank}; }
};

/// Resizes `out` to `shape`; on failure sets the context's state to InvalidArgument.
bool resize(KernelRuntimeContext& ctx, const Shape& shape, Tensor& out);

/// Resizes `out` to `sizes`, which may come from a file: negative or huge ones are refused.
bool resize(KernelRuntimeContext& ctx, IntArrayRef sizes, Tensor& out);

/// Resizes `out` to the shape of `like`.
bool resize_like(KernelRuntimeContext& ctx, const Tensor& like, Tensor& out);

/// Widens `shape` to the common shape of itself and `t`. @returns false if they do not broadcast.
bool broadcast(Shape& shape, const Tensor& t);

/// Resizes `out` to the common shape of the tensors.
bool resize_broadcast(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out);
bool resize_broadcast(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, const Tensor& c,
                      Tensor& out);

/// True if `t` broadcasts to the shape of `out` without changing it.
bool broadcasts_to(const Tensor& t, const Tensor& out);

/**
 * Wraps a negative dimension. Zero-dim tensors accept 0 and -1, as in eager.
 * @param dim In [-rank, rank); becomes [0, rank).
 */
bool wrap_dim(KernelRuntimeContext& ctx, int64_t& dim, size_t rank);

/// True if the context has the failure state; logs otherwise.
bool require(KernelRuntimeContext& ctx, bool condition, const char* what);

/// Requires that two dtypes are equal.
bool require_same_dtype(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b);

/// Requires that `out` has the dtype of the result, where eager stores it as no other.
bool require_result_dtype(KernelRuntimeContext& ctx, ScalarType result, const Tensor& out);

/// Requires a real dtype (integers, Bool, Half, BFloat16, Float, Double).
bool require_real(KernelRuntimeContext& ctx, const Tensor& t);

/// Requires a floating dtype (Half, BFloat16, Float, Double).
bool require_floating(KernelRuntimeContext& ctx, const Tensor& t);

/// Requires that results of dtype `from` may be written to `out`.
bool require_storable(KernelRuntimeContext& ctx, ScalarType from, const Tensor& out);

/// Requires that elements of `from` can be copied to `to`: one dtype, or real and complex ones.
bool require_convertible(KernelRuntimeContext& ctx, const Tensor& from, const Tensor& to);

/// `require_convertible`, and that elements may become `to`'s without an explicit conversion, as
/// results do: Float does not become an integer, nor an integer Bool.
bool require_castable(KernelRuntimeContext& ctx, const Tensor& from, const Tensor& to);

/// The indices start, start + step, ... (`count` of them) of a dimension.
struct Range {
  size_t start;
  size_t count;
  ptrdiff_t step;
};

/// Python's `start:end:step` on a dimension of `size`, step > 0: negative ends count from the back.
Range slice_range(int64_t size, optional<int64_t> start, optional<int64_t> end, int64_t step);

/// True if both have the same sizes.
bool same_shape(const Tensor& a, const Tensor& b);

/// True if the tensor's memory order is that of its dimensions (dimensions of size 1 do not count).
bool is_contiguous(const Tensor& t);

/// True if both tensors hold the elements in the same memory order.
bool same_layout(const Tensor& a, const Tensor& b);

/// Product of the sizes of dimensions [begin, end).
size_t product(const Tensor& t, size_t begin, size_t end);

}  // namespace torch::executor::native::util
