#include <executorch/extension/training/optimizer/param_group.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace training {
namespace optimizer {

bool gradient_fits(std::string_view name, const executorch::aten::Tensor& parameter,
                   const executorch::aten::Tensor& gradient) {
  const bool fits = executorch::runtime::tensors_have_same_shape_and_dtype(parameter, gradient) &&
                    executorch::runtime::tensors_have_same_strides(parameter, gradient) &&
                    executorch::runtime::isFloatingType(parameter.scalar_type());
  if (!fits) {
    ET_LOG(Error, "the gradient of %.*s has another shape, dtype or memory order",
           static_cast<int>(name.size()), name.data());
  }
  return fits;
}

}  // namespace optimizer
}  // namespace training
}  // namespace extension
}  // namespace executorch
