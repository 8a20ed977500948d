#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_size.h>
#include <executorch/runtime/core/tensor_layout.h>

namespace executorch {
namespace runtime {

Result<const TensorLayout> TensorLayout::create(Span<const int32_t> sizes,
                                                Span<const uint8_t> dim_order,
                                                ::executorch::aten::ScalarType scalar_type) {
  ET_CHECK_OR_RETURN_ERROR(sizes.size() == dim_order.size(), InvalidArgument,
                           "%zu sizes, but a dim order of %zu entries", sizes.size(),
                           dim_order.size());
  ET_CHECK_OR_RETURN_ERROR(validate_dim_order(dim_order.data(), dim_order.size()), InvalidArgument,
                           "dim order of %zu entries is not a permutation, or the rank too high",
                           dim_order.size());
  const auto nbytes = checked_nbytes(sizes, scalar_type);
  if (!nbytes.ok()) {
    return nbytes.error();
  }
  return TensorLayout(sizes, dim_order, scalar_type, *nbytes);
}

}  // namespace runtime
}  // namespace executorch
