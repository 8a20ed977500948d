#include <executorch/kernels/portable/cpu/internal/view.h>
#include <executorch/kernels/portable/cpu/util/copy_ops_util.h>
#include <executorch/kernels/portable/cpu/util/select_copy_util.h>

namespace torch::executor {

Error select_copy_util(const Tensor& in, int64_t dim, int64_t index, Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(check_select_copy_out_args(in, dim, index, out), InvalidArgument,
                           "select_copy cannot take these arguments");
  SizesType sizes[kTensorDimensionLimit];
  size_t rank = 0;
  get_select_copy_out_target_size(in, dim, sizes, &rank);
  ET_CHECK_OK_OR_RETURN_ERROR(
      executorch::runtime::resize_tensor(out, ArrayRef<SizesType>(sizes, rank)));
  const ssize_t d = static_cast<ssize_t>(ET_NORMALIZE_IX(dim, in.dim()));
  const int64_t at = ET_NORMALIZE_IX(index, in.size(d));
  const native::util::View source =
      native::util::View(in).select(static_cast<size_t>(d), static_cast<size_t>(at));
  native::util::copy(source, native::util::View(out));
  return Error::Ok;
}

}  // namespace torch::executor
