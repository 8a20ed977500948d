#include <executorch/kernels/portable/cpu/internal/view.h>
#include <executorch/kernels/portable/cpu/util/repeat_util.h>

namespace torch::executor {

Error repeat_tensor(const Tensor& in, ArrayRef<int64_t> repeats, Tensor& out) {
  const size_t rank = repeats.size();
  ET_CHECK_OR_RETURN_ERROR(rank >= in.sizes().size() && rank <= kTensorDimensionLimit,
                           InvalidArgument, "%zu repeats for rank %zu", rank, in.sizes().size());
  ET_CHECK_OR_RETURN_ERROR(in.scalar_type() == out.scalar_type(), InvalidArgument,
                           "the output has another dtype");
  const size_t missing = rank - in.sizes().size();
  SizesType sizes[kTensorDimensionLimit];
  for (size_t d = 0; d < rank; ++d) {
    const int64_t own = d < missing ? 1 : in.sizes()[d - missing];
    int64_t size = 0;
    ET_CHECK_OR_RETURN_ERROR(
        repeats[d] >= 0 && !__builtin_mul_overflow(own, repeats[d], &size) && size <= INT32_MAX,
        InvalidArgument, "repeat %zu is out of range", d);
    sizes[d] = static_cast<SizesType>(size);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(
      executorch::runtime::resize_tensor(out, ArrayRef<SizesType>(sizes, rank)));
  if (out.numel() == 0) {
    return Error::Ok;
  }
  native::util::View source(in);
  for (size_t d = 0; d < missing; ++d) {
    source = source.unsqueeze(0);
  }
  // One copy for each tuple of repeats.
  size_t index[kTensorDimensionLimit] = {};
  while (true) {
    native::util::View target(out);
    for (size_t d = 0; d < rank; ++d) {
      target = target.narrow(d, index[d] * source.size[d], source.size[d]);
    }
    native::util::copy(source, target);
    size_t d = rank;
    while (d > 0 && ++index[d - 1] == static_cast<size_t>(repeats[d - 1])) {
      index[--d] = 0;
    }
    if (d == 0) {
      return Error::Ok;
    }
  }
}

}  // namespace torch::executor
