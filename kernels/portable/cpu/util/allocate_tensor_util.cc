#include <cstring>
#include <new>

#include <executorch/kernels/portable/cpu/util/allocate_tensor_util.h>

namespace torch::executor {
namespace {

using executorch::aten::TensorImpl;

/// A copy of the elements in temporary memory; null if there is none.
template <typename T>
T* copy_of(KernelRuntimeContext& ctx, const ArrayRef<T>& elements) {
  // Memory of no bytes has no address.
  const size_t bytes = elements.empty() ? 1 : elements.size() * sizeof(T);
  const auto memory = ctx.allocate_temp(bytes, alignof(T));
  if (!memory.ok()) {
    return nullptr;
  }
  if (!elements.empty()) {
    std::memcpy(*memory, elements.data(), bytes);
  }
  return static_cast<T*>(*memory);
}

}  // namespace

Tensor allocate_tensor(KernelRuntimeContext& ctx, const ArrayRef<SizesType>& sizes,
                       const ArrayRef<DimOrderType>& dim_order,
                       const ArrayRef<StridesType>& strides, const ScalarType& dtype) {
  const Tensor none(static_cast<TensorImpl*>(nullptr));
  const size_t rank = sizes.size();
  const bool is_type = executorch::runtime::isValid(dtype);
  size_t bytes = is_type ? executorch::runtime::elementSize(dtype) : 0;
  bool is_valid = is_type && dim_order.size() == rank && strides.size() == rank;
  for (size_t d = 0; is_valid && d < rank; ++d) {
    is_valid =
        sizes[d] >= 0 && !__builtin_mul_overflow(bytes, static_cast<size_t>(sizes[d]), &bytes);
  }
  ET_KERNEL_CHECK_MSG(ctx, is_valid, InvalidArgument, none, "sizes, dim order, strides do not fit");
  SizesType* const own_sizes = copy_of(ctx, sizes);
  DimOrderType* const own_order = copy_of(ctx, dim_order);
  StridesType* const own_strides = copy_of(ctx, strides);
  const auto data = ctx.allocate_temp(bytes == 0 ? 1 : bytes);
  const auto memory = ctx.allocate_temp(sizeof(TensorImpl), alignof(TensorImpl));
  ET_KERNEL_CHECK_MSG(ctx,
                      own_sizes != nullptr && own_order != nullptr && own_strides != nullptr &&
                          data.ok() && memory.ok(),
                      MemoryAllocationFailed, none, "no temporary memory for %zu bytes", bytes);
  return Tensor(new (*memory) TensorImpl(dtype, static_cast<ssize_t>(rank), own_sizes, *data,
                                         own_order, own_strides));
}

}  // namespace torch::executor
