#import "Native.h"

#include <algorithm>

#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/safe_numerics.h>

namespace executorch {
namespace extension {
namespace apple {

void raise(NSString* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  NSString* text = [[[NSString alloc] initWithFormat:format arguments:arguments] autorelease];
  va_end(arguments);
  @throw [NSException exceptionWithName:NSInvalidArgumentException reason:text userInfo:nil];
}

ScalarType scalar_type(ExecuTorchDataType type) {
  if (type < 0 || type >= ExecuTorchDataTypeUndefined) {
    raise(@"%ld is no data type that has elements", static_cast<long>(type));
  }
  return static_cast<ScalarType>(type);
}

namespace {

bool is_permutation(std::vector<DimOrderType> order) {
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != i) {
      return false;
    }
  }
  return true;
}

}  // namespace

Layout::Layout(NSArray<NSNumber*>* shape, NSArray<NSNumber*>* strides_of,
               NSArray<NSNumber*>* dimension_order, ExecuTorchDataType data_type,
               ExecuTorchShapeDynamism shape_dynamism)
    : sizes(integers<SizesType>(shape, @"A shape")),
      strides(integers<StridesType>(strides_of, @"A tensor's strides")),
      dim_order(integers<DimOrderType>(dimension_order, @"A dimension order")),
      type(scalar_type(data_type)),
      dynamism(static_cast<executorch::aten::TensorShapeDynamism>(shape_dynamism)) {
  if (sizes.size() > runtime::kTensorDimensionLimit) {
    raise(@"A tensor has at most %zu dimensions, this shape %zu", runtime::kTensorDimensionLimit,
          sizes.size());
  }
  if (!dim_order.empty() && (dim_order.size() != sizes.size() || !is_permutation(dim_order))) {
    raise(@"%@ is no order of %zu dimensions", dimension_order, sizes.size());
  }
  if (!strides.empty() && strides.size() != sizes.size()) {
    raise(@"%zu strides are not for %zu dimensions", strides.size(), sizes.size());
  }
  if (shape_dynamism < ExecuTorchShapeDynamismStatic ||
      shape_dynamism > ExecuTorchShapeDynamismDynamicUnbound) {
    raise(@"%ld is no dynamism of shapes", static_cast<long>(shape_dynamism));
  }
  for (const SizesType size : sizes) {
    uint64_t product = 0;
    if (c10::mul_overflows(static_cast<uint64_t>(count), static_cast<uint64_t>(size), &product) ||
        product > static_cast<uint64_t>(NSIntegerMax) / runtime::elementSize(type)) {
      raise(@"The shape %@ has too many elements", shape);
    }
    count = static_cast<size_t>(product);
  }
  nbytes = count * runtime::elementSize(type);
  if (!strides.empty()) {
    check_strides();
  }
}

void Layout::check_strides() {
  std::vector<DimOrderType> order(sizes.size());
  std::vector<StridesType> packed(sizes.size());
  if (dim_order.empty()) {
    if (runtime::stride_to_dim_order(strides.data(), strides.size(), order.data()) !=
        runtime::Error::Ok) {
      raise(@"A tensor's strides have 0");
    }
  } else {
    order = dim_order;
  }
  if (runtime::dim_order_to_stride(sizes.data(), order.data(), sizes.size(), packed.data()) !=
          runtime::Error::Ok ||
      packed != strides) {
    raise(@"The strides %@ leave gaps, or are not those of the dimension order; expected %@",
          numbers(strides), numbers(packed));
  }
  dim_order = order;
}

}  // namespace apple
}  // namespace extension
}  // namespace executorch
