#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/scatter.h>

namespace torch::executor::native::util {

bool check_scatter(KernelRuntimeContext& ctx, const Tensor& in, int64_t& dim, const Tensor& index,
                   const Tensor* src) {
  const View places = at_least_1d(View(in));
  if (!wrap_dim(ctx, dim, places.rank) ||
      !require(ctx, is_index_dtype(index.scalar_type()), "the index must be Int or Long")) {
    return false;
  }
  if (index.numel() == 0) {
    return true;
  }
  const View named = at_least_1d(View(index));
  const View source = src == nullptr ? named : at_least_1d(View(*src));
  if (!require(ctx, named.rank == places.rank && source.rank == places.rank,
               "the index must have the tensor's rank")) {
    return false;
  }
  for (size_t d = 0; d < places.rank; ++d) {
    if (!require(ctx, static_cast<int64_t>(d) == dim || named.size[d] <= places.size[d],
                 "the index exceeds the tensor") ||
        !require(ctx, named.size[d] <= source.size[d], "the index exceeds the source")) {
      return false;
    }
  }
  return true;
}

void store_scalar(const ScalarValue& value, ScalarType dtype, void* dst) {
  const Compute c = dtype == ScalarType::Bool ? Compute::kBool : arithmetic_compute(dtype);
  alignas(8) char element[8];
  load_scalar(c, value, element);
  store(c, dtype, element, 1, dst);
}

void add_element(ScalarType dtype, const char* src, char* dst) {
  const Compute c = arithmetic_compute(dtype);
  if (c == Compute::kInt64) {
    int64_t a;
    int64_t b;
    load(c, dtype, src, 1, 1, &a);
    load(c, dtype, dst, 1, 1, &b);
    a = wrapping_add(a, b);
    store(c, dtype, &a, 1, dst);
    return;
  }
  double a;
  double b;
  load(Compute::kDouble, dtype, src, 1, 1, &a);
  load(Compute::kDouble, dtype, dst, 1, 1, &b);
  // Exact in double, so that the sum is rounded once, as in the dtype itself.
  a += b;
  store(Compute::kDouble, dtype, &a, 1, dst);
}

}  // namespace torch::executor::native::util
