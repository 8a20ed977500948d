#import "ExecuTorchTensorScalars.h"

#include <cstring>

#import "Native.h"

using executorch::extension::apple::raise;
using executorch::extension::apple::scalar_type;

namespace {

using executorch::aten::BFloat16;
using executorch::aten::Half;
using executorch::aten::ScalarType;

/// Calls `visit` with a value of the C++ type of the elements; raises for types that are no plain
/// numbers.
template <typename Visit>
void with_type(ExecuTorchDataType type, Visit visit) {
  switch (scalar_type(type)) {
    case ScalarType::Byte:
      return visit(uint8_t{});
    case ScalarType::Char:
      return visit(int8_t{});
    case ScalarType::Short:
      return visit(int16_t{});
    case ScalarType::Int:
      return visit(int32_t{});
    case ScalarType::Long:
      return visit(int64_t{});
    case ScalarType::UInt16:
      return visit(uint16_t{});
    case ScalarType::UInt32:
      return visit(uint32_t{});
    case ScalarType::UInt64:
      return visit(uint64_t{});
    case ScalarType::Bool:
      return visit(bool{});
    case ScalarType::Half:
      return visit(Half{});
    case ScalarType::BFloat16:
      return visit(BFloat16{});
    case ScalarType::Float:
      return visit(float{});
    case ScalarType::Double:
      return visit(double{});
    default:
      raise(@"Elements of data type %ld are no numbers", static_cast<long>(type));
  }
}

template <typename T>
T element(NSNumber* number) {
  if constexpr (std::is_same_v<T, bool>) {
    return number.boolValue;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return number.unsignedLongLongValue;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(number.longLongValue);
  } else if constexpr (std::is_same_v<T, double>) {
    return number.doubleValue;
  } else {
    return static_cast<T>(number.floatValue);
  }
}

template <typename T>
NSNumber* number(T element) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return @(static_cast<float>(element));
  } else if constexpr (std::is_same_v<T, bool>) {
    return [NSNumber numberWithBool:element];
  } else {
    return @(element);
  }
}

/// The data type that holds a number as it is.
ExecuTorchDataType type_of(NSNumber* number) {
  const char* encoding = number.objCType;
  if (strcmp(encoding, @encode(float)) == 0) {
    return ExecuTorchDataTypeFloat;
  }
  if (strcmp(encoding, @encode(double)) == 0) {
    return ExecuTorchDataTypeDouble;
  }
  // Foundation's booleans are two objects, of which there are no more.
  return number == [NSNumber numberWithBool:YES] || number == [NSNumber numberWithBool:NO]
             ? ExecuTorchDataTypeBool
             : ExecuTorchDataTypeLong;
}

}  // namespace

@implementation ExecuTorchTensor (Scalars)

- (instancetype)initWithScalars:(NSArray<NSNumber*>*)scalars
                          shape:(NSArray<NSNumber*>*)shape
                        strides:(NSArray<NSNumber*>*)strides
                 dimensionOrder:(NSArray<NSNumber*>*)dimensionOrder
                       dataType:(ExecuTorchDataType)dataType
                  shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  if (static_cast<NSInteger>(scalars.count) != ExecuTorchElementCountOfShape(shape)) {
    raise(@"%lu scalars are not for the shape %@", static_cast<unsigned long>(scalars.count),
          shape);
  }
  NSMutableData* data = [NSMutableData data];
  with_type(dataType, [&](auto type) {
    using T = decltype(type);
    data.length = scalars.count * sizeof(T);
    T* next = static_cast<T*>(data.mutableBytes);
    for (NSNumber* scalar in scalars) {
      *next++ = element<T>(scalar);
    }
  });
  return [self initWithData:data
                      shape:shape
                    strides:strides
             dimensionOrder:dimensionOrder
                   dataType:dataType
              shapeDynamism:shapeDynamism];
}

- (instancetype)initWithScalars:(NSArray<NSNumber*>*)scalars
                          shape:(NSArray<NSNumber*>*)shape
                       dataType:(ExecuTorchDataType)dataType
                  shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism {
  return [self initWithScalars:scalars
                         shape:shape
                       strides:@[]
                dimensionOrder:@[]
                      dataType:dataType
                 shapeDynamism:shapeDynamism];
}

- (instancetype)initWithScalars:(NSArray<NSNumber*>*)scalars
                          shape:(NSArray<NSNumber*>*)shape
                       dataType:(ExecuTorchDataType)dataType {
  return [self initWithScalars:scalars
                         shape:shape
                      dataType:dataType
                 shapeDynamism:ExecuTorchShapeDynamismDynamicBound];
}

- (instancetype)initWithScalars:(NSArray<NSNumber*>*)scalars dataType:(ExecuTorchDataType)dataType {
  return [self initWithScalars:scalars shape:@[ @(scalars.count) ] dataType:dataType];
}

- (instancetype)initWithScalars:(NSArray<NSNumber*>*)scalars {
  NSNumber* first = scalars.firstObject;
  return [self initWithScalars:scalars
                      dataType:first == nil ? ExecuTorchDataTypeFloat : type_of(first)];
}

- (instancetype)initWithScalar:(NSNumber*)scalar dataType:(ExecuTorchDataType)dataType {
  return [self initWithScalars:@[ scalar ]
                         shape:@[]
                      dataType:dataType
                 shapeDynamism:ExecuTorchShapeDynamismStatic];
}

- (instancetype)initWithScalar:(NSNumber*)scalar {
  return [self initWithScalar:scalar dataType:type_of(scalar)];
}

#define EXECUTORCH_INIT_WITH(name, type, dataTypeName)                                \
  -(instancetype)initWith##name : (type)scalar {                                      \
    return [self initWithScalar:@(scalar) dataType:ExecuTorchDataType##dataTypeName]; \
  }
EXECUTORCH_INIT_WITH(Byte, uint8_t, Byte)
EXECUTORCH_INIT_WITH(Char, int8_t, Char)
EXECUTORCH_INIT_WITH(Short, int16_t, Short)
EXECUTORCH_INIT_WITH(Int, int32_t, Int)
EXECUTORCH_INIT_WITH(Long, int64_t, Long)
EXECUTORCH_INIT_WITH(Float, float, Float)
EXECUTORCH_INIT_WITH(Double, double, Double)
EXECUTORCH_INIT_WITH(Bool, BOOL, Bool)
EXECUTORCH_INIT_WITH(UInt16, uint16_t, UInt16)
EXECUTORCH_INIT_WITH(UInt32, uint32_t, UInt32)
EXECUTORCH_INIT_WITH(UInt64, uint64_t, UInt64)
EXECUTORCH_INIT_WITH(Integer, NSInteger, Long)
EXECUTORCH_INIT_WITH(UnsignedInteger, NSUInteger, UInt64)
#undef EXECUTORCH_INIT_WITH

- (NSArray<NSNumber*>*)scalars {
  NSMutableArray<NSNumber*>* made = [NSMutableArray array];
  [self bytesWithHandler:^(const void* pointer, NSInteger count, ExecuTorchDataType dataType) {
    with_type(dataType, [&](auto type) {
      using T = decltype(type);
      const T* elements = static_cast<const T*>(pointer);
      for (NSInteger i = 0; i < count; ++i) {
        [made addObject:number(elements[i])];
      }
    });
  }];
  return made;
}

- (NSString*)description {
  NSArray* names = @[ @"static", @"dynamicBound", @"dynamicUnbound" ];
  NSMutableString* text = [NSMutableString
      stringWithFormat:@"Tensor {\n  dataType: %s,\n  shape: [%@],\n  strides: [%@],\n  "
                       @"dimensionOrder: [%@],\n  shapeDynamism: %@,\n  count: %ld",
                       executorch::runtime::toString(scalar_type(self.dataType)),
                       [self.shape componentsJoinedByString:@","],
                       [self.strides componentsJoinedByString:@","],
                       [self.dimensionOrder componentsJoinedByString:@","],
                       [names objectAtIndex:static_cast<NSUInteger>(self.shapeDynamism)],
                       static_cast<long>(self.count)];
  static constexpr NSUInteger kShown = 100;
  @try {
    NSArray<NSNumber*>* scalars = self.scalars;
    NSArray<NSNumber*>* shown =
        [scalars subarrayWithRange:NSMakeRange(0, MIN(scalars.count, kShown))];
    [text appendFormat:@",\n  scalars: [%@%@]", [shown componentsJoinedByString:@","],
                       scalars.count > kShown ? @",..." : @""];
  } @catch (NSException*) {
    // Elements that are no numbers.
  }
  [text appendString:@"\n}"];
  return text;
}

@end
