#pragma once

#include <utility>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace executorch {
namespace runtime {
namespace testing {

/// Writes the key of a kernel for tensors of these dtypes and dim orders into `buf`, which has room
/// for KernelKey::MAX_SIZE bytes. Errors: as internal::make_kernel_key_string().
inline Error make_kernel_key(std::vector<std::pair<executorch::aten::ScalarType,
                                                   std::vector<executorch::aten::DimOrderType>>>
                                 tensors,
                             char* buf) {
  std::vector<TensorMeta> meta;
  for (auto& [dtype, dim_order] : tensors) {
    meta.emplace_back(dtype,
                      Span<executorch::aten::DimOrderType>(dim_order.data(), dim_order.size()));
  }
  return ::executorch::runtime::internal::make_kernel_key_string(
      Span<const TensorMeta>(meta.data(), meta.size()), buf, KernelKey::MAX_SIZE);
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
namespace testing {
using ::executorch::runtime::testing::make_kernel_key;
}  // namespace testing
}  // namespace executor
}  // namespace torch
