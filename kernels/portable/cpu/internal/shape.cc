#include <cinttypes>

#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

using executorch::runtime::resize_tensor;
using executorch::runtime::toString;

Shape::Shape(const Tensor& t) {
  for (ssize_t d = 0; d < t.dim(); ++d) {
    push(t.size(d));
  }
}

bool resize(KernelRuntimeContext& ctx, const Shape& shape, Tensor& out) {
  ET_KERNEL_CHECK(ctx, resize_tensor(out, shape.ref()) == Error::Ok, InvalidArgument, false);
  return true;
}

bool resize(KernelRuntimeContext& ctx, IntArrayRef sizes, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, sizes.size() <= kMaxRank, InvalidArgument, false,
                      "rank %zu is above the limit", sizes.size());
  Shape shape;
  for (const int64_t size : sizes) {
    ET_KERNEL_CHECK_MSG(ctx, size >= 0 && size <= INT32_MAX, InvalidArgument, false,
                        "size %" PRId64 " is out of range", size);
    shape.push(size);
  }
  return resize(ctx, shape, out);
}

bool resize_like(KernelRuntimeContext& ctx, const Tensor& like, Tensor& out) {
  ET_KERNEL_CHECK(ctx, resize_tensor(out, like.sizes()) == Error::Ok, InvalidArgument, false);
  return true;
}

bool broadcast(Shape& shape, const Tensor& t) {
  const size_t rank = static_cast<size_t>(t.dim());
  if (rank > shape.rank) {
    const size_t shift = rank - shape.rank;
    for (size_t d = shape.rank; d-- > 0;) {
      shape.sizes[d + shift] = shape.sizes[d];
    }
    for (size_t d = 0; d < shift; ++d) {
      shape.sizes[d] = 1;
    }
    shape.rank = rank;
  }
  const size_t shift = shape.rank - rank;
  for (size_t d = 0; d < rank; ++d) {
    SizesType& size = shape.sizes[d + shift];
    const SizesType other = static_cast<SizesType>(t.size(d));
    if (size == 1) {
      size = other;
    } else if (other != 1 && other != size) {
      return false;
    }
  }
  return true;
}

bool resize_broadcast(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  Shape shape(a);
  ET_KERNEL_CHECK_MSG(ctx, broadcast(shape, b), InvalidArgument, false,
                      "the inputs' shapes do not broadcast");
  return resize(ctx, shape, out);
}

bool resize_broadcast(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, const Tensor& c,
                      Tensor& out) {
  Shape shape(a);
  ET_KERNEL_CHECK_MSG(ctx, broadcast(shape, b) && broadcast(shape, c), InvalidArgument, false,
                      "the inputs' shapes do not broadcast");
  return resize(ctx, shape, out);
}

bool broadcasts_to(const Tensor& t, const Tensor& out) {
  if (t.dim() > out.dim()) {
    return false;
  }
  const ssize_t shift = out.dim() - t.dim();
  for (ssize_t d = 0; d < t.dim(); ++d) {
    if (t.size(d) != 1 && t.size(d) != out.size(d + shift)) {
      return false;
    }
  }
  return true;
}

bool wrap_dim(KernelRuntimeContext& ctx, int64_t& dim, size_t rank) {
  const int64_t range = rank == 0 ? 1 : static_cast<int64_t>(rank);
  ET_KERNEL_CHECK_MSG(ctx, dim >= -range && dim < range, InvalidArgument, false,
                      "dimension %" PRId64 " is out of range for a tensor of rank %zu", dim, rank);
  dim += dim < 0 ? range : 0;
  return true;
}

bool require(KernelRuntimeContext& ctx, bool condition, const char* what) {
  ET_KERNEL_CHECK_MSG(ctx, condition, InvalidArgument, false, "%s", what);
  return true;
}

bool require_same_dtype(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b) {
  ET_KERNEL_CHECK_MSG(ctx, a.scalar_type() == b.scalar_type(), InvalidArgument, false,
                      "expected tensors of one dtype, got %s and %s", toString(a.scalar_type()),
                      toString(b.scalar_type()));
  return true;
}

bool require_result_dtype(KernelRuntimeContext& ctx, ScalarType result, const Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, result == out.scalar_type(), InvalidArgument, false,
                      "a result of dtype %s is not stored as %s", toString(result),
                      toString(out.scalar_type()));
  return true;
}

bool require_real(KernelRuntimeContext& ctx, const Tensor& t) {
  ET_KERNEL_CHECK_MSG(ctx, is_real_dtype(t.scalar_type()), InvalidArgument, false,
                      "dtype %s is not supported", toString(t.scalar_type()));
  return true;
}

bool require_floating(KernelRuntimeContext& ctx, const Tensor& t) {
  ET_KERNEL_CHECK_MSG(ctx, is_floating(t.scalar_type()), InvalidArgument, false,
                      "expected a floating dtype, got %s", toString(t.scalar_type()));
  return true;
}

bool require_storable(KernelRuntimeContext& ctx, ScalarType from, const Tensor& out) {
  ET_KERNEL_CHECK_MSG(
      ctx,
      is_real_dtype(from) && is_real_dtype(out.scalar_type()) && can_store(from, out.scalar_type()),
      InvalidArgument, false, "a result of dtype %s cannot be stored as %s", toString(from),
      toString(out.scalar_type()));
  return true;
}

bool require_convertible(KernelRuntimeContext& ctx, const Tensor& from, const Tensor& to) {
  // Complex numbers lose their imaginary parts where the target is real.
  const auto convertible = [&](const Tensor& t) {
    return executorch::runtime::isComplexType(t.scalar_type()) || require_real(ctx, t);
  };
  return from.scalar_type() == to.scalar_type() || (convertible(from) && convertible(to));
}

bool require_castable(KernelRuntimeContext& ctx, const Tensor& from, const Tensor& to) {
  return require_convertible(ctx, from, to) &&
         (from.scalar_type() == to.scalar_type() ||
          executorch::runtime::isComplexType(to.scalar_type()) ||
          require_storable(ctx, from.scalar_type(), to));
}

Range slice_range(int64_t size, optional<int64_t> start, optional<int64_t> end, int64_t step) {
  int64_t begin = start.value_or(0);
  int64_t stop = end.value_or(size);
  begin += begin < 0 ? size : 0;
  stop += stop < 0 ? size : 0;
  begin = begin < 0 ? 0 : begin > size ? size : begin;
  stop = stop < begin ? begin : stop > size ? size : stop;
  const int64_t span = stop - begin;
  const int64_t count = span == 0 ? 0 : (span - 1) / step + 1;
  // A step that is never taken may be too large for the arithmetic on strides.
  return {static_cast<size_t>(begin), static_cast<size_t>(count),
          count > 1 ? static_cast<ptrdiff_t>(step) : 1};
}

bool same_shape(const Tensor& a, const Tensor& b) { return a.sizes() == b.sizes(); }

bool is_contiguous(const Tensor& t) {
  if (t.numel() == 0) {
    return true;
  }
  int64_t expected = 1;
  for (ssize_t d = t.dim() - 1; d >= 0; --d) {
    if (t.size(d) != 1 && t.strides()[d] != expected) {
      return false;
    }
    expected *= t.size(d);
  }
  return true;
}

bool same_layout(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0) {
    return true;
  }
  for (ssize_t d = 0; d < a.dim(); ++d) {
    if (a.size(d) != 1 && a.strides()[d] != b.strides()[d]) {
      return false;
    }
  }
  return true;
}

size_t product(const Tensor& t, size_t begin, size_t end) {
  size_t n = 1;
  for (size_t d = begin; d < end; ++d) {
    n *= static_cast<size_t>(t.size(d));
  }
  return n;
}

}  // namespace torch::executor::native::util
