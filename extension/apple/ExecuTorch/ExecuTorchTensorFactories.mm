#import "ExecuTorchTensorFactories.h"

#import "Native.h"

using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::extension::TensorPtr;
using executorch::extension::apple::Layout;
using executorch::extension::apple::native;
using executorch::extension::apple::raise;
using executorch::extension::apple::scalar_type;
using executorch::extension::apple::wrapped;

namespace {

/// A number for elements of a type.
Scalar scalar_of(NSNumber* number, ScalarType type) {
  if (type == ScalarType::Bool) {
    return Scalar(static_cast<bool>(number.boolValue));
  }
  if (executorch::runtime::isIntegralType(type, false)) {
    return Scalar(static_cast<int64_t>(number.longLongValue));
  }
  return Scalar(number.doubleValue);
}

void check_range(NSInteger low, NSInteger high) {
  if (low >= high) {
    raise(@"There is no integer in [%ld, %ld)", static_cast<long>(low), static_cast<long>(high));
  }
}

executorch::aten::TensorShapeDynamism dynamism_of(ExecuTorchShapeDynamism dynamism) {
  return Layout(@[], @[], @[], ExecuTorchDataTypeByte, dynamism).dynamism;
}

}  // namespace

@implementation ExecuTorchTensor (Factories)

+ (instancetype)emptyTensorWithShape:(NSArray<NSNumber*>*)shape
                             strides:(NSArray<NSNumber*>*)strides
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  Layout layout(shape, strides, @[], dataType, shapeDynamism);
  return wrapped(
      self, executorch::extension::empty_strided(std::move(layout.sizes), std::move(layout.strides),
                                                 layout.type, layout.dynamism));
}

+ (instancetype)emptyTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self emptyTensorWithShape:shape
                            strides:@[]
                           dataType:dataType
                      shapeDynamism:shapeDynamism];
}

+ (instancetype)emptyTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType {
  return [self emptyTensorWithShape:shape
                           dataType:dataType
                      shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)emptyTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType
                        shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  const ScalarType type = scalar_type(dataType);
  return wrapped(
      self, executorch::extension::empty_like(native(tensor), type, dynamism_of(shapeDynamism)));
}

+ (instancetype)emptyTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType {
  return [self emptyTensorLikeTensor:tensor
                            dataType:dataType
                       shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)emptyTensorLikeTensor:(ExecuTorchTensor*)tensor {
  return [self emptyTensorLikeTensor:tensor dataType:tensor.dataType];
}

+ (instancetype)fullTensorWithShape:(NSArray<NSNumber*>*)shape
                             scalar:(NSNumber*)scalar
                            strides:(NSArray<NSNumber*>*)strides
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  Layout layout(shape, strides, @[], dataType, shapeDynamism);
  return wrapped(self, executorch::extension::full_strided(
                           std::move(layout.sizes), std::move(layout.strides),
                           scalar_of(scalar, layout.type), layout.type, layout.dynamism));
}

+ (instancetype)fullTensorWithShape:(NSArray<NSNumber*>*)shape
                             scalar:(NSNumber*)scalar
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self fullTensorWithShape:shape
                            scalar:scalar
                           strides:@[]
                          dataType:dataType
                     shapeDynamism:shapeDynamism];
}

+ (instancetype)fullTensorWithShape:(NSArray<NSNumber*>*)shape
                             scalar:(NSNumber*)scalar
                           dataType:(ExecuTorchDataType)dataType {
  return [self fullTensorWithShape:shape
                            scalar:scalar
                          dataType:dataType
                     shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)fullTensorLikeTensor:(ExecuTorchTensor*)tensor
                              scalar:(NSNumber*)scalar
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  const ScalarType type = scalar_type(dataType);
  return wrapped(self, executorch::extension::full_like(native(tensor), scalar_of(scalar, type),
                                                        type, dynamism_of(shapeDynamism)));
}

+ (instancetype)fullTensorLikeTensor:(ExecuTorchTensor*)tensor
                              scalar:(NSNumber*)scalar
                            dataType:(ExecuTorchDataType)dataType {
  return [self fullTensorLikeTensor:tensor
                             scalar:scalar
                           dataType:dataType
                      shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)fullTensorLikeTensor:(ExecuTorchTensor*)tensor scalar:(NSNumber*)scalar {
  return [self fullTensorLikeTensor:tensor scalar:scalar dataType:tensor.dataType];
}

+ (instancetype)onesTensorWithShape:(NSArray<NSNumber*>*)shape
                            strides:(NSArray<NSNumber*>*)strides
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  Layout layout(shape, strides, @[], dataType, shapeDynamism);
  return wrapped(
      self, executorch::extension::ones_strided(std::move(layout.sizes), std::move(layout.strides),
                                                layout.type, layout.dynamism));
}

+ (instancetype)onesTensorWithShape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self onesTensorWithShape:shape strides:@[] dataType:dataType shapeDynamism:shapeDynamism];
}

+ (instancetype)onesTensorWithShape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType {
  return [self onesTensorWithShape:shape
                          dataType:dataType
                     shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)onesTensorLikeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  const ScalarType type = scalar_type(dataType);
  return wrapped(
      self, executorch::extension::ones_like(native(tensor), type, dynamism_of(shapeDynamism)));
}

+ (instancetype)onesTensorLikeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType {
  return [self onesTensorLikeTensor:tensor
                           dataType:dataType
                      shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)onesTensorLikeTensor:(ExecuTorchTensor*)tensor {
  return [self onesTensorLikeTensor:tensor dataType:tensor.dataType];
}

+ (instancetype)zerosTensorWithShape:(NSArray<NSNumber*>*)shape
                             strides:(NSArray<NSNumber*>*)strides
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  Layout layout(shape, strides, @[], dataType, shapeDynamism);
  return wrapped(
      self, executorch::extension::zeros_strided(std::move(layout.sizes), std::move(layout.strides),
                                                 layout.type, layout.dynamism));
}

+ (instancetype)zerosTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self zerosTensorWithShape:shape
                            strides:@[]
                           dataType:dataType
                      shapeDynamism:shapeDynamism];
}

+ (instancetype)zerosTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType {
  return [self zerosTensorWithShape:shape
                           dataType:dataType
                      shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)zerosTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType
                        shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  const ScalarType type = scalar_type(dataType);
  return wrapped(
      self, executorch::extension::zeros_like(native(tensor), type, dynamism_of(shapeDynamism)));
}

+ (instancetype)zerosTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType {
  return [self zerosTensorLikeTensor:tensor
                            dataType:dataType
                       shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)zerosTensorLikeTensor:(ExecuTorchTensor*)tensor {
  return [self zerosTensorLikeTensor:tensor dataType:tensor.dataType];
}

+ (instancetype)randTensorWithShape:(NSArray<NSNumber*>*)shape
                            strides:(NSArray<NSNumber*>*)strides
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  Layout layout(shape, strides, @[], dataType, shapeDynamism);
  return wrapped(
      self, executorch::extension::rand_strided(std::move(layout.sizes), std::move(layout.strides),
                                                layout.type, layout.dynamism));
}

+ (instancetype)randTensorWithShape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self randTensorWithShape:shape strides:@[] dataType:dataType shapeDynamism:shapeDynamism];
}

+ (instancetype)randTensorWithShape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType {
  return [self randTensorWithShape:shape
                          dataType:dataType
                     shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)randTensorLikeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  const ScalarType type = scalar_type(dataType);
  return wrapped(
      self, executorch::extension::rand_like(native(tensor), type, dynamism_of(shapeDynamism)));
}

+ (instancetype)randTensorLikeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType {
  return [self randTensorLikeTensor:tensor
                           dataType:dataType
                      shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)randTensorLikeTensor:(ExecuTorchTensor*)tensor {
  return [self randTensorLikeTensor:tensor dataType:tensor.dataType];
}

+ (instancetype)randnTensorWithShape:(NSArray<NSNumber*>*)shape
                             strides:(NSArray<NSNumber*>*)strides
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  Layout layout(shape, strides, @[], dataType, shapeDynamism);
  return wrapped(
      self, executorch::extension::randn_strided(std::move(layout.sizes), std::move(layout.strides),
                                                 layout.type, layout.dynamism));
}

+ (instancetype)randnTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self randnTensorWithShape:shape
                            strides:@[]
                           dataType:dataType
                      shapeDynamism:shapeDynamism];
}

+ (instancetype)randnTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType {
  return [self randnTensorWithShape:shape
                           dataType:dataType
                      shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)randnTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType
                        shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  const ScalarType type = scalar_type(dataType);
  return wrapped(
      self, executorch::extension::randn_like(native(tensor), type, dynamism_of(shapeDynamism)));
}

+ (instancetype)randnTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType {
  return [self randnTensorLikeTensor:tensor
                            dataType:dataType
                       shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)randnTensorLikeTensor:(ExecuTorchTensor*)tensor {
  return [self randnTensorLikeTensor:tensor dataType:tensor.dataType];
}

+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                               shape:(NSArray<NSNumber*>*)shape
                             strides:(NSArray<NSNumber*>*)strides
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  check_range(low, high);
  Layout layout(shape, strides, @[], dataType, shapeDynamism);
  return wrapped(self, executorch::extension::randint_strided(low, high, std::move(layout.sizes),
                                                              std::move(layout.strides),
                                                              layout.type, layout.dynamism));
}

+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                               shape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self randintTensorWithLow:low
                               high:high
                              shape:shape
                            strides:@[]
                           dataType:dataType
                      shapeDynamism:shapeDynamism];
}

+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                               shape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType {
  return [self randintTensorWithLow:low
                               high:high
                              shape:shape
                           dataType:dataType
                      shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                          likeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  check_range(low, high);
  const ScalarType type = scalar_type(dataType);
  return wrapped(self, executorch::extension::randint_like(native(tensor), low, high, type,
                                                           dynamism_of(shapeDynamism)));
}

+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                          likeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType {
  return [self randintTensorWithLow:low
                               high:high
                         likeTensor:tensor
                           dataType:dataType
                      shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                          likeTensor:(ExecuTorchTensor*)tensor {
  return [self randintTensorWithLow:low high:high likeTensor:tensor dataType:tensor.dataType];
}

@end
