/// @file
/// Between Foundation's and the runtime's types; for the sources of this library.
#include <string>
#include <vector>

#include <executorch/extension/tensor/tensor.h>

#import "ExecuTorchTensor.h"

namespace executorch {
namespace extension {
namespace apple {

using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;

/// Raises NSInvalidArgumentException with a formatted text.
[[noreturn]] void raise(NSString* format, ...);

/// Integers that fit, or raises; `what` is said then.
template <typename T>
std::vector<T> integers(NSArray<NSNumber*>* numbers, NSString* what) {
  std::vector<T> made;
  made.reserve(numbers.count);
  for (NSNumber* number in numbers) {
    const long long value = number.longLongValue;
    if (value < 0 || static_cast<long long>(static_cast<T>(value)) != value) {
      raise(@"%@ has %@", what, number);
    }
    made.push_back(static_cast<T>(value));
  }
  return made;
}

template <typename Range>
NSArray<NSNumber*>* numbers(const Range& range) {
  NSMutableArray<NSNumber*>* made = [NSMutableArray arrayWithCapacity:range.size()];
  for (const auto value : range) {
    [made addObject:@(static_cast<NSInteger>(value))];
  }
  return made;
}

/// A type that has elements, or raises.
ScalarType scalar_type(ExecuTorchDataType type);

/// What a tensor is made of, checked to belong together; raises otherwise.
struct Layout {
  Layout(NSArray<NSNumber*>* shape, NSArray<NSNumber*>* strides,
         NSArray<NSNumber*>* dimension_order, ExecuTorchDataType data_type,
         ExecuTorchShapeDynamism shape_dynamism);

  std::vector<SizesType> sizes;
  std::vector<StridesType> strides;
  std::vector<DimOrderType> dim_order;
  ScalarType type;
  executorch::aten::TensorShapeDynamism dynamism;
  size_t count = 1;
  size_t nbytes = 0;

 private:
  /// Raises unless they are those of a tensor without gaps; the dimension order is theirs
  /// afterwards.
  void check_strides();
};

inline TensorPtr native(ExecuTorchTensor* tensor) {
  return *static_cast<TensorPtr*>(tensor.nativeInstance);
}

/// A tensor of this class or a subclass, autoreleased.
inline id wrapped(Class type, TensorPtr tensor) {
  return [[[type alloc] initWithNativeInstance:&tensor] autorelease];
}

}  // namespace apple
}  // namespace extension
}  // namespace executorch
