#import "ExecuTorchTensor.h"

#include <cstring>
#include <memory>
#include <vector>

#import <ExecuTorch/Reporting.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#import "Native.h"

using executorch::extension::clone_tensor_ptr;
using executorch::extension::for_blob;
using executorch::extension::make_tensor_ptr;
using executorch::extension::resize_tensor_ptr;
using executorch::extension::TensorPtr;
using executorch::extension::apple::Failure;
using executorch::extension::apple::integers;
using executorch::extension::apple::Layout;
using executorch::extension::apple::native;
using executorch::extension::apple::numbers;
using executorch::extension::apple::scalar_type;
using executorch::runtime::Error;

NSInteger ExecuTorchSizeOfDataType(ExecuTorchDataType dataType) {
  return dataType == ExecuTorchDataTypeUndefined
             ? 0
             : static_cast<NSInteger>(executorch::runtime::elementSize(scalar_type(dataType)));
}

NSInteger ExecuTorchElementCountOfShape(NSArray<NSNumber*>* shape) {
  return static_cast<NSInteger>(
      Layout(shape, @[], @[], ExecuTorchDataTypeByte, ExecuTorchShapeDynamismStatic).count);
}

namespace {

/// A tensor over `data`, which `owner` keeps alive; null if somebody else does.
TensorPtr over(void* data, Layout layout, std::shared_ptr<void> owner) {
  auto maker = for_blob(data, std::move(layout.sizes), layout.type)
                   .dim_order(std::move(layout.dim_order))
                   .strides(std::move(layout.strides))
                   .dynamism(layout.dynamism);
  if (owner == nullptr) {
    return std::move(maker).make_tensor_ptr();
  }
  return std::move(maker).deleter([owner = std::move(owner)](void*) {}).make_tensor_ptr();
}

std::shared_ptr<void> keep(NSObject* object) {
  return std::shared_ptr<void>([object retain],
                               [](void* kept) { [static_cast<id>(kept) release]; });
}

}  // namespace

@implementation ExecuTorchTensor

- (instancetype)initWithNativeInstance:(void*)nativeInstance {
  if (self = [super init]) {
    _nativeInstance = new TensorPtr(*static_cast<TensorPtr*>(nativeInstance));
  }
  return self;
}

- (void)dealloc {
  delete static_cast<TensorPtr*>(_nativeInstance);
  [super dealloc];
}

- (instancetype)initWithTensor:(ExecuTorchTensor*)otherTensor {
  TensorPtr view = make_tensor_ptr(native(otherTensor));
  return [self initWithNativeInstance:&view];
}

- (instancetype)copy {
  return [self copyWithZone:NULL];
}

- (id)copyWithZone:(NSZone*)zone {
  TensorPtr clone = clone_tensor_ptr(native(self));
  return [[[self class] allocWithZone:zone] initWithNativeInstance:&clone];
}

- (instancetype)copyToDataType:(ExecuTorchDataType)dataType {
  const auto type = scalar_type(dataType);
  if (!executorch::runtime::canCast(native(self)->scalar_type(), type)) {
    executorch::extension::apple::raise(
        @"Elements of type %s cannot become %s without losing values",
        executorch::runtime::toString(native(self)->scalar_type()),
        executorch::runtime::toString(type));
  }
  TensorPtr clone = clone_tensor_ptr(native(self), type);
  return [[[self class] alloc] initWithNativeInstance:&clone];
}

- (void*)nativeInstance {
  return _nativeInstance;
}

- (ExecuTorchDataType)dataType {
  return static_cast<ExecuTorchDataType>(native(self)->scalar_type());
}

- (NSArray<NSNumber*>*)shape {
  return numbers(native(self)->sizes());
}

- (NSArray<NSNumber*>*)dimensionOrder {
  return numbers(native(self)->dim_order());
}

- (NSArray<NSNumber*>*)strides {
  return numbers(native(self)->strides());
}

- (ExecuTorchShapeDynamism)shapeDynamism {
  return static_cast<ExecuTorchShapeDynamism>(native(self)->shape_dynamism());
}

- (NSInteger)count {
  return static_cast<NSInteger>(native(self)->numel());
}

- (void)bytesWithHandler:(void(NS_NOESCAPE ^)(const void* pointer, NSInteger count,
                                              ExecuTorchDataType dataType))handler {
  handler(native(self)->const_data_ptr(), self.count, self.dataType);
}

- (void)mutableBytesWithHandler:(void(NS_NOESCAPE ^)(void* pointer, NSInteger count,
                                                     ExecuTorchDataType dataType))handler {
  handler(native(self)->mutable_data_ptr(), self.count, self.dataType);
}

- (BOOL)resizeToShape:(NSArray<NSNumber*>*)shape error:(NSError**)error {
  Failure failure;
  TensorPtr tensor = native(self);
  const Error status =
      resize_tensor_ptr(tensor, integers<executorch::aten::SizesType>(shape, @"A shape"));
  return status == Error::Ok ? YES : failure.report(status, error);
}

- (BOOL)isEqualToTensor:(ExecuTorchTensor*)other {
  if (other == nil) {
    return NO;
  }
  const auto& mine = *native(self);
  const auto& its = *native(other);
  return mine.scalar_type() == its.scalar_type() && mine.sizes().equals(its.sizes()) &&
         mine.strides().equals(its.strides()) && mine.dim_order().equals(its.dim_order()) &&
         (mine.nbytes() == 0 ||
          std::memcmp(mine.const_data_ptr(), its.const_data_ptr(), mine.nbytes()) == 0);
}

- (BOOL)isEqual:(id)other {
  return other == self ||
         ([other isKindOfClass:[ExecuTorchTensor class]] && [self isEqualToTensor:other]);
}

- (NSUInteger)hash {
  // Data may change while the tensor is in a set; shape and type seldom do.
  return self.shape.hash ^ static_cast<NSUInteger>(self.dataType);
}

@end

@implementation ExecuTorchTensor (Bytes)

- (instancetype)initWithBytesNoCopy:(void*)pointer
                              shape:(NSArray<NSNumber*>*)shape
                            strides:(NSArray<NSNumber*>*)strides
                     dimensionOrder:(NSArray<NSNumber*>*)dimensionOrder
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  TensorPtr made =
      over(pointer, Layout(shape, strides, dimensionOrder, dataType, shapeDynamism), nullptr);
  return [self initWithNativeInstance:&made];
}

- (instancetype)initWithBytesNoCopy:(void*)pointer
                              shape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self initWithBytesNoCopy:pointer
                             shape:shape
                           strides:@[]
                    dimensionOrder:@[]
                          dataType:dataType
                     shapeDynamism:shapeDynamism];
}

- (instancetype)initWithBytesNoCopy:(void*)pointer
                              shape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType {
  return [self initWithBytesNoCopy:pointer
                             shape:shape
                          dataType:dataType
                     shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

- (instancetype)initWithBytes:(const void*)pointer
                        shape:(NSArray<NSNumber*>*)shape
                      strides:(NSArray<NSNumber*>*)strides
               dimensionOrder:(NSArray<NSNumber*>*)dimensionOrder
                     dataType:(ExecuTorchDataType)dataType
                shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  const Layout layout(shape, strides, dimensionOrder, dataType, shapeDynamism);
  // NSMutableData's memory is aligned for any element, and its own.
  NSMutableData* data = [NSMutableData dataWithBytes:pointer length:layout.nbytes];
  TensorPtr made = over(data.mutableBytes, layout, keep(data));
  return [self initWithNativeInstance:&made];
}

- (instancetype)initWithBytes:(const void*)pointer
                        shape:(NSArray<NSNumber*>*)shape
                     dataType:(ExecuTorchDataType)dataType
                shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self initWithBytes:pointer
                       shape:shape
                     strides:@[]
              dimensionOrder:@[]
                    dataType:dataType
               shapeDynamism:shapeDynamism];
}

- (instancetype)initWithBytes:(const void*)pointer
                        shape:(NSArray<NSNumber*>*)shape
                     dataType:(ExecuTorchDataType)dataType {
  return [self initWithBytes:pointer
                       shape:shape
                    dataType:dataType
               shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

- (instancetype)initWithData:(NSData*)data
                       shape:(NSArray<NSNumber*>*)shape
                     strides:(NSArray<NSNumber*>*)strides
              dimensionOrder:(NSArray<NSNumber*>*)dimensionOrder
                    dataType:(ExecuTorchDataType)dataType
               shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  const Layout layout(shape, strides, dimensionOrder, dataType, shapeDynamism);
  if (data.length < layout.nbytes) {
    executorch::extension::apple::raise(@"The shape %@ asks for %zu bytes, the data has %lu", shape,
                                        layout.nbytes, static_cast<unsigned long>(data.length));
  }
  TensorPtr made = over(const_cast<void*>(data.bytes), layout, keep(data));
  return [self initWithNativeInstance:&made];
}

- (instancetype)initWithData:(NSData*)data
                       shape:(NSArray<NSNumber*>*)shape
                    dataType:(ExecuTorchDataType)dataType
               shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self initWithData:data
                      shape:shape
                    strides:@[]
             dimensionOrder:@[]
                   dataType:dataType
              shapeDynamism:shapeDynamism];
}

- (instancetype)initWithData:(NSData*)data
                       shape:(NSArray<NSNumber*>*)shape
                    dataType:(ExecuTorchDataType)dataType {
  return [self initWithData:data
                      shape:shape
                   dataType:dataType
              shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

@end
