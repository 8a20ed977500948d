#include <executorch/kernels/portable/cpu/util/dtype_util.h>

namespace torch::executor::native::utils::internal {
namespace {

bool is_among(ScalarType dtype, SupportedTensorDtypes dtypes, ScalarType compute_type) {
  switch (dtypes) {
    case SupportedTensorDtypes::REALHBBF16:
      return executorch::runtime::isRealHBBF16Type(dtype);
    case SupportedTensorDtypes::REALHBF16:
      return executorch::runtime::isRealHBF16Type(dtype);
    case SupportedTensorDtypes::FLOATHBF16:
      return executorch::runtime::isFloatingType(dtype);
    case SupportedTensorDtypes::INTB:
      return executorch::runtime::isIntegralType(dtype, /*includeBool=*/true);
    case SupportedTensorDtypes::BOOL_OR_BYTE:
      return dtype == ScalarType::Bool || dtype == ScalarType::Byte;
    case SupportedTensorDtypes::SAME_AS_COMPUTE:
      return dtype == compute_type;
    case SupportedTensorDtypes::SAME_AS_COMMON:
      return dtype == compute_type ||
             (compute_type == ScalarType::Float &&
              (dtype == ScalarType::Half || dtype == ScalarType::BFloat16));
  }
  return false;
}

}  // namespace

bool check_tensor_dtype(const Tensor t, SupportedTensorDtypes dtypes,
                        const ScalarType compute_type) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(is_among(t.scalar_type(), dtypes, compute_type),
                                 "the operator does not take dtype %s here",
                                 executorch::runtime::toString(t.scalar_type()));
  return true;
}

}  // namespace torch::executor::native::utils::internal
