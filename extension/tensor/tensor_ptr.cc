#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include <executorch/extension/tensor/internal_types.h>
#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace extension {

using executorch::aten::Device;
using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::aten::TensorShapeDynamism;

namespace {

/// Everything a Tensor points to, in one block.
struct Storage {
  Storage(std::vector<SizesType> sizes_in, std::vector<DimOrderType> dim_order_in,
          std::vector<StridesType> strides_in, void* data, ScalarType type,
          TensorShapeDynamism dynamism, std::shared_ptr<void> owner_in, Device device)
      : sizes(std::move(sizes_in)),
        dim_order(std::move(dim_order_in)),
        strides(std::move(strides_in)),
        owner(std::move(owner_in)),
        impl(type, static_cast<ssize_t>(sizes.size()), sizes.data(), data, dim_order.data(),
             strides.data(), dynamism, device.type(), device.index()),
        tensor(&impl) {}

  std::vector<SizesType> sizes;
  std::vector<DimOrderType> dim_order;
  std::vector<StridesType> strides;
  std::shared_ptr<void> owner;
  TensorImpl impl;
  Tensor tensor;
};

/// Hands data back to whoever made it, when the last tensor over it goes away.
class DeleterGuard {
 public:
  DeleterGuard(void* data, std::function<void(void*)> deleter)
      : data_(data), deleter_(std::move(deleter)) {}
  DeleterGuard(const DeleterGuard&) = delete;
  DeleterGuard& operator=(const DeleterGuard&) = delete;
  ~DeleterGuard() { deleter_(data_); }

 private:
  void* data_;
  std::function<void(void*)> deleter_;
};

std::shared_ptr<void> guard_for(void* data, std::function<void(void*)> deleter) {
  return deleter ? std::make_shared<DeleterGuard>(data, std::move(deleter)) : nullptr;
}

size_t element_count(const std::vector<SizesType>& sizes) {
  size_t count = 1;
  for (const SizesType size : sizes) {
    ET_CHECK_MSG(size >= 0, "Sizes have to be non-negative, found %d", static_cast<int>(size));
    ET_CHECK_MSG(
        size == 0 || count <= std::numeric_limits<size_t>::max() / static_cast<size_t>(size),
        "The number of elements overflows");
    count *= static_cast<size_t>(size);
  }
  return count;
}

/// The order of the dimensions from the outermost in memory to the innermost. Equal strides only
/// occur beside dimensions of size 1, where any order is right; the stable sort makes {2, 1} with
/// strides {1, 1} read as contiguous.
std::vector<DimOrderType> dim_order_from_strides(const std::vector<StridesType>& strides) {
  std::vector<DimOrderType> order(strides.size());
  std::iota(order.begin(), order.end(), DimOrderType{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](DimOrderType a, DimOrderType b) { return strides[a] > strides[b]; });
  return order;
}

void check_dim_order(const std::vector<DimOrderType>& dim_order, size_t rank) {
  ET_CHECK_MSG(dim_order.size() == rank, "Expected a dim order of %zu entries, found %zu", rank,
               dim_order.size());
  std::vector<bool> seen(rank, false);
  for (const DimOrderType dim : dim_order) {
    ET_CHECK_MSG(dim < rank && !seen[dim], "The dim order is no permutation: dimension %u",
                 static_cast<unsigned>(dim));
    seen[dim] = true;
  }
}

std::vector<StridesType> packed_strides(const std::vector<SizesType>& sizes,
                                        const std::vector<DimOrderType>& dim_order) {
  std::vector<StridesType> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = dim_order.size(); i-- > 0;) {
    ET_CHECK_MSG(step <= std::numeric_limits<StridesType>::max(), "Strides overflow");
    strides[dim_order[i]] = static_cast<StridesType>(step);
    step *= std::max<int64_t>(sizes[dim_order[i]], 1);
  }
  return strides;
}

/// Fills in what was left empty, and holds what was given against it: a Tensor derives its strides
/// from sizes and dim order, so strides that say something else cannot be represented.
void complete_layout(const std::vector<SizesType>& sizes, std::vector<DimOrderType>& dim_order,
                     std::vector<StridesType>& strides) {
  const size_t rank = sizes.size();
  ET_CHECK_MSG(strides.empty() || strides.size() == rank, "Expected %zu strides, found %zu", rank,
               strides.size());
  if (dim_order.empty() && !strides.empty()) {
    dim_order = dim_order_from_strides(strides);
  } else if (dim_order.empty()) {
    dim_order.resize(rank);
    std::iota(dim_order.begin(), dim_order.end(), DimOrderType{0});
  }
  check_dim_order(dim_order, rank);
  std::vector<StridesType> expected = packed_strides(sizes, dim_order);
  for (size_t i = 0; i < strides.size(); ++i) {
    ET_CHECK_MSG(strides[i] == expected[i] || sizes[i] <= 1,
                 "Dimension %zu: expected a stride of %d for a tensor without gaps, found %d", i,
                 static_cast<int>(expected[i]), static_cast<int>(strides[i]));
  }
  strides = std::move(expected);
}

bool is_integral(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
    case ScalarType::Long:
    case ScalarType::UInt16:
    case ScalarType::UInt32:
    case ScalarType::UInt64:
      return true;
    default:
      return false;
  }
}

/// Whether every value survives, up to rounding in the range of the target.
bool can_cast(ScalarType from, ScalarType to) {
  if (from == to) {
    return true;
  }
  if (to == ScalarType::Bool) {
    return false;
  }
  return from == ScalarType::Bool || is_integral(from) || !is_integral(to);
}

std::shared_ptr<void> allocate_elements(size_t count, ScalarType type) {
  // A vector of bytes starts at an address that suits every element type.
  auto bytes = std::make_shared<std::vector<uint8_t>>(count * runtime::elementSize(type));
  void* data = bytes->data();
  return std::shared_ptr<void>(std::move(bytes), data);
}

}  // namespace

namespace internal {

std::shared_ptr<void> convert_elements(const void* source, ScalarType from, size_t count,
                                       ScalarType to) {
  ET_CHECK_MSG(can_cast(from, to), "Cannot cast %s to %s without losing values",
               runtime::toString(from), runtime::toString(to));
  auto target = allocate_elements(count, to);
  if (from == to) {
    if (count > 0) {
      std::memcpy(target.get(), source, count * runtime::elementSize(from));
    }
    return target;
  }
  bool known = false;
  visit_real_type(from, [&](auto from_tag) {
    using From = typename decltype(from_tag)::type;
    known = visit_real_type(to, [&](auto to_tag) {
      using To = typename decltype(to_tag)::type;
      const auto* input = static_cast<const From*>(source);
      auto* output = static_cast<To*>(target.get());
      for (size_t i = 0; i < count; ++i) {
        output[i] = cast_element<To, From>(input[i]);
      }
    });
  });
  ET_CHECK_MSG(known, "There is no cast from %s to %s", runtime::toString(from),
               runtime::toString(to));
  return target;
}

void check_element_count(const std::vector<SizesType>& sizes, size_t count) {
  const size_t expected = element_count(sizes);
  ET_CHECK_MSG(expected == count, "The sizes ask for %zu elements, but the data has %zu", expected,
               count);
}

TensorPtr make_owning_tensor_ptr(std::vector<SizesType> sizes, void* data,
                                 std::vector<DimOrderType> dim_order,
                                 std::vector<StridesType> strides, ScalarType type,
                                 TensorShapeDynamism dynamism, std::shared_ptr<void> owner,
                                 Device device) {
  element_count(sizes);
  complete_layout(sizes, dim_order, strides);
  auto storage =
      std::make_shared<Storage>(std::move(sizes), std::move(dim_order), std::move(strides), data,
                                type, dynamism, std::move(owner), device);
  Tensor* tensor = &storage->tensor;
  return TensorPtr(std::move(storage), tensor);
}

}  // namespace internal

TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, void* data,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                          ScalarType type, TensorShapeDynamism dynamism,
                          std::function<void(void*)> deleter) {
  return internal::make_owning_tensor_ptr(std::move(sizes), data, std::move(dim_order),
                                          std::move(strides), type, dynamism,
                                          guard_for(data, std::move(deleter)));
}

TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, void* data,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                          ScalarType type, Device device, TensorShapeDynamism dynamism,
                          std::function<void(void*)> deleter) {
  return internal::make_owning_tensor_ptr(std::move(sizes), data, std::move(dim_order),
                                          std::move(strides), type, dynamism,
                                          guard_for(data, std::move(deleter)), device);
}

TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, std::vector<uint8_t> data,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                          ScalarType type, TensorShapeDynamism dynamism) {
  const size_t expected = element_count(sizes) * runtime::elementSize(type);
  ET_CHECK_MSG(data.size() == expected, "Expected %zu bytes of data, found %zu", expected,
               data.size());
  auto bytes = std::make_shared<std::vector<uint8_t>>(std::move(data));
  void* pointer = bytes->data();
  return internal::make_owning_tensor_ptr(std::move(sizes), pointer, std::move(dim_order),
                                          std::move(strides), type, dynamism, std::move(bytes));
}

namespace {

TensorPtr make_view(const Tensor& tensor, std::vector<SizesType> sizes,
                    std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                    std::shared_ptr<void> owner) {
  if (sizes.empty()) {
    sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  }
  if (dim_order.empty() && strides.empty() && sizes.size() == static_cast<size_t>(tensor.dim())) {
    dim_order.assign(tensor.dim_order().begin(), tensor.dim_order().end());
  }
  const size_t wanted = element_count(sizes);
  ET_CHECK_MSG(wanted <= static_cast<size_t>(tensor.numel()),
               "The view asks for %zu elements, but the tensor has only %zu", wanted,
               static_cast<size_t>(tensor.numel()));
  return internal::make_owning_tensor_ptr(
      std::move(sizes), const_cast<void*>(tensor.const_data_ptr()), std::move(dim_order),
      std::move(strides), tensor.scalar_type(), tensor.unsafeGetTensorImpl()->shape_dynamism(),
      std::move(owner), tensor.device());
}

}  // namespace

TensorPtr make_tensor_ptr(const Tensor& tensor, std::vector<SizesType> sizes,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                          std::function<void(void*)> deleter) {
  void* data = const_cast<void*>(tensor.const_data_ptr());
  return make_view(tensor, std::move(sizes), std::move(dim_order), std::move(strides),
                   guard_for(data, std::move(deleter)));
}

TensorPtr make_tensor_ptr(const TensorPtr& tensor, std::vector<SizesType> sizes,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides) {
  return make_view(*tensor, std::move(sizes), std::move(dim_order), std::move(strides), tensor);
}

TensorPtr clone_tensor_ptr(const Tensor& tensor, ScalarType type) {
  ET_CHECK_MSG(tensor.device().is_cpu(),
               "The data is not on the CPU: bring it there with clone_tensor_ptr_to()");
  std::vector<SizesType> sizes(tensor.sizes().begin(), tensor.sizes().end());
  std::vector<DimOrderType> dim_order(tensor.dim_order().begin(), tensor.dim_order().end());
  const void* source = tensor.const_data_ptr();
  std::shared_ptr<void> copy;
  if (source != nullptr) {
    copy = internal::convert_elements(source, tensor.scalar_type(),
                                      static_cast<size_t>(tensor.numel()), type);
  }
  void* data = copy.get();
  return internal::make_owning_tensor_ptr(std::move(sizes), data, std::move(dim_order), {}, type,
                                          tensor.unsafeGetTensorImpl()->shape_dynamism(),
                                          std::move(copy));
}

namespace {

runtime::DeviceAllocator& allocator_of(Device device) {
  runtime::DeviceAllocator* allocator = runtime::get_device_allocator(device.type());
  ET_CHECK_MSG(allocator != nullptr, "No DeviceAllocator is registered for device type %d",
               static_cast<int>(device.type()));
  return *allocator;
}

// Copies host memory to `device`, into memory that the result owns.
std::shared_ptr<void> copy_to_device(const void* source, size_t nbytes, Device device) {
  runtime::DeviceAllocator& allocator = allocator_of(device);
  const runtime::Result<void*> memory = allocator.allocate(nbytes, device.index());
  ET_CHECK_MSG(memory.ok(), "The device has no %zu bytes left", nbytes);
  std::shared_ptr<void> owner(*memory, [&allocator, device](void* pointer) {
    allocator.deallocate(pointer, device.index());
  });
  ET_CHECK_MSG(
      allocator.copy_host_to_device(*memory, source, nbytes, device.index()) == runtime::Error::Ok,
      "Cannot copy %zu bytes to the device", nbytes);
  return owner;
}

}  // namespace

TensorPtr clone_tensor_ptr_to(const TensorPtr& tensor, Device device) {
  const Device source = tensor->unsafeGetTensorImpl()->device();
  if (source.is_cpu() && device.is_cpu()) {
    return clone_tensor_ptr(tensor);
  }
  ET_CHECK_MSG(source.is_cpu() || device.is_cpu(),
               "There is no copy between devices: go over the CPU");
  ET_CHECK_MSG(tensor->const_data_ptr() != nullptr || tensor->numel() == 0,
               "The tensor has no data to copy");
  const ScalarType type = tensor->scalar_type();
  const size_t nbytes = tensor->nbytes();
  std::shared_ptr<void> copy;
  if (source.is_cpu()) {
    copy = copy_to_device(tensor->const_data_ptr(), nbytes, device);
  } else {
    copy = allocate_elements(static_cast<size_t>(tensor->numel()), type);
    ET_CHECK_MSG(
        allocator_of(source).copy_device_to_host(copy.get(), tensor->const_data_ptr(), nbytes,
                                                 source.index()) == runtime::Error::Ok,
        "Cannot copy %zu bytes from the device", nbytes);
  }
  void* data = copy.get();
  return internal::make_owning_tensor_ptr({tensor->sizes().begin(), tensor->sizes().end()}, data,
                                          {tensor->dim_order().begin(), tensor->dim_order().end()},
                                          {}, type, tensor->unsafeGetTensorImpl()->shape_dynamism(),
                                          std::move(copy), device);
}

runtime::Error resize_tensor_ptr(TensorPtr& tensor, const std::vector<SizesType>& sizes) {
  return runtime::resize_tensor(*tensor,
                                executorch::aten::ArrayRef<SizesType>(sizes.data(), sizes.size()));
}

}  // namespace extension
}  // namespace executorch
