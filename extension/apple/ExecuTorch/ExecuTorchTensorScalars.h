/// @file
/// Tensors out of numbers.
#import <ExecuTorch/ExecuTorchTensor.h>

NS_ASSUME_NONNULL_BEGIN

/// The numbers are rounded to the data type as C casts them; they have to be as many as the shape
/// asks for. Data types are all integers, Bool, Half, BFloat16, Float and Double; others raise
/// NSInvalidArgumentException.
@interface ExecuTorchTensor (Scalars)

- (instancetype)initWithScalars:(NSArray<NSNumber*>*)scalars
                          shape:(NSArray<NSNumber*>*)shape
                        strides:(NSArray<NSNumber*>*)strides
                 dimensionOrder:(NSArray<NSNumber*>*)dimensionOrder
                       dataType:(ExecuTorchDataType)dataType
                  shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism;
- (instancetype)initWithScalars:(NSArray<NSNumber*>*)scalars
                          shape:(NSArray<NSNumber*>*)shape
                       dataType:(ExecuTorchDataType)dataType
                  shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism;
- (instancetype)initWithScalars:(NSArray<NSNumber*>*)scalars
                          shape:(NSArray<NSNumber*>*)shape
                       dataType:(ExecuTorchDataType)dataType;

/// One dimension.
- (instancetype)initWithScalars:(NSArray<NSNumber*>*)scalars dataType:(ExecuTorchDataType)dataType;

/// One dimension, and the data type of the first number: Bool of booleans, Long of integers, Double
/// of others; Float for no number.
- (instancetype)initWithScalars:(NSArray<NSNumber*>*)scalars;

/// No dimension, and one number.
- (instancetype)initWithScalar:(NSNumber*)scalar dataType:(ExecuTorchDataType)dataType;
- (instancetype)initWithScalar:(NSNumber*)scalar;
- (instancetype)initWithByte:(uint8_t)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithChar:(int8_t)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithShort:(int16_t)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithInt:(int32_t)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithLong:(int64_t)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithFloat:(float)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithDouble:(double)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithBool:(BOOL)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithUInt16:(uint16_t)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithUInt32:(uint32_t)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithUInt64:(uint64_t)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithInteger:(NSInteger)scalar NS_SWIFT_NAME(init(_:));
- (instancetype)initWithUnsignedInteger:(NSUInteger)scalar NS_SWIFT_NAME(init(_:));

/// The elements, in the order of memory.
@property(nonatomic, readonly) NSArray<NSNumber*>* scalars NS_SWIFT_UNAVAILABLE("Tensor.scalars()");

@end

NS_ASSUME_NONNULL_END
