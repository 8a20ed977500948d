/// @file
/// What goes into a method and comes out of it.
#import <ExecuTorch/ExecuTorchTensor.h>

NS_ASSUME_NONNULL_BEGIN

/// What a value is. The numbers are the runtime's.
typedef NS_ENUM(NSInteger, ExecuTorchValueTag) {
  ExecuTorchValueTagNone,
  ExecuTorchValueTagTensor,
  ExecuTorchValueTagString,
  ExecuTorchValueTagDouble,
  ExecuTorchValueTagInteger,
  ExecuTorchValueTagBoolean,
  ExecuTorchValueTagBooleanList,
  ExecuTorchValueTagDoubleList,
  ExecuTorchValueTagIntegerList,
  ExecuTorchValueTagTensorList,
  ExecuTorchValueTagScalarList,
  ExecuTorchValueTagOptionalTensorList,
} NS_SWIFT_NAME(ValueTag);

/// A tensor, a number, a text, a list of those, or nothing. Does not change.
///
/// An accessor of another kind than the value's gives nil, 0 or NO.
NS_SWIFT_NAME(Value)
@interface ExecuTorchValue : NSObject <NSCopying> {
 @private
  ExecuTorchValueTag _tag;
  id _contents;
}

@property(nonatomic, readonly) ExecuTorchValueTag tag;

@property(nullable, nonatomic, readonly) ExecuTorchTensor* tensorValue NS_SWIFT_NAME(anyTensor);
@property(nullable, nonatomic, readonly) NSString* stringValue NS_SWIFT_NAME(string);
@property(nonatomic, readonly) NSInteger integerValue NS_SWIFT_NAME(integer);
@property(nonatomic, readonly) BOOL boolValue NS_SWIFT_NAME(boolean);
@property(nonatomic, readonly) float floatValue NS_SWIFT_NAME(float);
@property(nonatomic, readonly) double doubleValue NS_SWIFT_NAME(double);

/// The elements of a list of numbers or booleans.
@property(nullable, nonatomic, readonly) NSArray<NSNumber*>* numbersValue NS_SWIFT_NAME(numbers);

/// The elements of a list of tensors; NSNull for none in a list of optional ones.
@property(nullable, nonatomic, readonly) NSArray* tensorsValue NS_SWIFT_NAME(anyTensors);

@property(nonatomic, readonly) BOOL isNone;
@property(nonatomic, readonly) BOOL isTensor;
@property(nonatomic, readonly) BOOL isString;
@property(nonatomic, readonly) BOOL isInteger;
@property(nonatomic, readonly) BOOL isBoolean;
@property(nonatomic, readonly) BOOL isDouble;

/// The same as isDouble: programs have one kind of real numbers.
@property(nonatomic, readonly) BOOL isFloat;

+ (instancetype)valueWithTensor:(ExecuTorchTensor*)value NS_SWIFT_NAME(init(_:));
+ (instancetype)valueWithString:(NSString*)value NS_SWIFT_NAME(init(_:));
+ (instancetype)valueWithInteger:(NSInteger)value NS_SWIFT_NAME(init(_:));
+ (instancetype)valueWithBoolean:(BOOL)value NS_SWIFT_NAME(init(_:));
+ (instancetype)valueWithFloat:(float)value NS_SWIFT_NAME(init(_:));
+ (instancetype)valueWithDouble:(double)value NS_SWIFT_NAME(init(_:));

/// Nothing: of an argument, that it is left out.
- (instancetype)init;

/// Whether tag and contents are the same, of tensors as -isEqualToTensor: says.
- (BOOL)isEqualToValue:(nullable ExecuTorchValue*)other NS_SWIFT_NAME(isEqual(to:));

@end

NS_ASSUME_NONNULL_END
