/// @file
/// Tensors of one value or of random ones.
#import <ExecuTorch/ExecuTorchTensor.h>

NS_ASSUME_NONNULL_BEGIN

/// They own their data. Like another tensor: its shape, strides and, unless one is given, its data
/// type.
@interface ExecuTorchTensor (Factories)

/// Elements of whatever value.
+ (instancetype)emptyTensorWithShape:(NSArray<NSNumber*>*)shape
                             strides:(NSArray<NSNumber*>*)strides
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(empty(shape:strides:dataType:shapeDynamism:));
+ (instancetype)emptyTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(empty(shape:dataType:shapeDynamism:));
+ (instancetype)emptyTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(empty(shape:dataType:));
+ (instancetype)emptyTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType
                        shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(empty(like:dataType:shapeDynamism:));
+ (instancetype)emptyTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(empty(like:dataType:));
+ (instancetype)emptyTensorLikeTensor:(ExecuTorchTensor*)tensor NS_SWIFT_NAME(empty(like:));

/// All elements of one value.
+ (instancetype)fullTensorWithShape:(NSArray<NSNumber*>*)shape
                             scalar:(NSNumber*)scalar
                            strides:(NSArray<NSNumber*>*)strides
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(full(shape:scalar:strides:dataType:shapeDynamism:));
+ (instancetype)fullTensorWithShape:(NSArray<NSNumber*>*)shape
                             scalar:(NSNumber*)scalar
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(full(shape:scalar:dataType:shapeDynamism:));
+ (instancetype)fullTensorWithShape:(NSArray<NSNumber*>*)shape
                             scalar:(NSNumber*)scalar
                           dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(full(shape:scalar:dataType:));
+ (instancetype)fullTensorLikeTensor:(ExecuTorchTensor*)tensor
                              scalar:(NSNumber*)scalar
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(full(like:scalar:dataType:shapeDynamism:));
+ (instancetype)fullTensorLikeTensor:(ExecuTorchTensor*)tensor
                              scalar:(NSNumber*)scalar
                            dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(full(like:scalar:dataType:));
+ (instancetype)fullTensorLikeTensor:(ExecuTorchTensor*)tensor
                              scalar:(NSNumber*)scalar NS_SWIFT_NAME(full(like:scalar:));

/// All elements 1.
+ (instancetype)onesTensorWithShape:(NSArray<NSNumber*>*)shape
                            strides:(NSArray<NSNumber*>*)strides
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(ones(shape:strides:dataType:shapeDynamism:));
+ (instancetype)onesTensorWithShape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(ones(shape:dataType:shapeDynamism:));
+ (instancetype)onesTensorWithShape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(ones(shape:dataType:));
+ (instancetype)onesTensorLikeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(ones(like:dataType:shapeDynamism:));
+ (instancetype)onesTensorLikeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(ones(like:dataType:));
+ (instancetype)onesTensorLikeTensor:(ExecuTorchTensor*)tensor NS_SWIFT_NAME(ones(like:));

/// All elements 0.
+ (instancetype)zerosTensorWithShape:(NSArray<NSNumber*>*)shape
                             strides:(NSArray<NSNumber*>*)strides
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(zeros(shape:strides:dataType:shapeDynamism:));
+ (instancetype)zerosTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(zeros(shape:dataType:shapeDynamism:));
+ (instancetype)zerosTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(zeros(shape:dataType:));
+ (instancetype)zerosTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType
                        shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(zeros(like:dataType:shapeDynamism:));
+ (instancetype)zerosTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(zeros(like:dataType:));
+ (instancetype)zerosTensorLikeTensor:(ExecuTorchTensor*)tensor NS_SWIFT_NAME(zeros(like:));

/// Elements in [0, 1), equally distributed.
+ (instancetype)randTensorWithShape:(NSArray<NSNumber*>*)shape
                            strides:(NSArray<NSNumber*>*)strides
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(rand(shape:strides:dataType:shapeDynamism:));
+ (instancetype)randTensorWithShape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(rand(shape:dataType:shapeDynamism:));
+ (instancetype)randTensorWithShape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(rand(shape:dataType:));
+ (instancetype)randTensorLikeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(rand(like:dataType:shapeDynamism:));
+ (instancetype)randTensorLikeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(rand(like:dataType:));
+ (instancetype)randTensorLikeTensor:(ExecuTorchTensor*)tensor NS_SWIFT_NAME(rand(like:));

/// Elements of the normal distribution with mean 0 and deviation 1.
+ (instancetype)randnTensorWithShape:(NSArray<NSNumber*>*)shape
                             strides:(NSArray<NSNumber*>*)strides
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(randn(shape:strides:dataType:shapeDynamism:));
+ (instancetype)randnTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(randn(shape:dataType:shapeDynamism:));
+ (instancetype)randnTensorWithShape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(randn(shape:dataType:));
+ (instancetype)randnTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType
                        shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(randn(like:dataType:shapeDynamism:));
+ (instancetype)randnTensorLikeTensor:(ExecuTorchTensor*)tensor
                             dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(randn(like:dataType:));
+ (instancetype)randnTensorLikeTensor:(ExecuTorchTensor*)tensor NS_SWIFT_NAME(randn(like:));

/// Integers in [low, high), equally distributed.
+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                               shape:(NSArray<NSNumber*>*)shape
                             strides:(NSArray<NSNumber*>*)strides
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(randint(low:high:shape:strides:dataType:shapeDynamism:));
+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                               shape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(randint(low:high:shape:dataType:shapeDynamism:));
+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                               shape:(NSArray<NSNumber*>*)shape
                            dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(randint(low:high:shape:dataType:));
+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                          likeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType
                       shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism
    NS_SWIFT_NAME(randint(low:high:like:dataType:shapeDynamism:));
+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                          likeTensor:(ExecuTorchTensor*)tensor
                            dataType:(ExecuTorchDataType)dataType
    NS_SWIFT_NAME(randint(low:high:like:dataType:));
+ (instancetype)randintTensorWithLow:(NSInteger)low
                                high:(NSInteger)high
                          likeTensor:(ExecuTorchTensor*)tensor
    NS_SWIFT_NAME(randint(low:high:like:));

@end

NS_ASSUME_NONNULL_END
