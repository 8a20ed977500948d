/// @file
/// What the delegate uses of Apple's MPSGraph, as its documentation declares it, for machines
/// without. `mock.mm` and `recorder.mm` answer.
#pragma once

#import <MetalPerformanceShaders/MetalPerformanceShaders.h>

typedef NS_ENUM(NSInteger, MPSGraphPaddingMode) { MPSGraphPaddingModeConstant = 0 };
typedef NS_ENUM(NSUInteger, MPSGraphPaddingStyle) { MPSGraphPaddingStyleExplicit = 0 };
typedef NS_ENUM(NSInteger, MPSGraphScatterMode) { MPSGraphScatterModeSet = 6 };
typedef NS_ENUM(NSUInteger, MPSGraphTensorNamedDataLayout) {
  MPSGraphTensorNamedDataLayoutNCHW = 0,
  MPSGraphTensorNamedDataLayoutNHWC = 1,
  MPSGraphTensorNamedDataLayoutOIHW = 2,
};

@interface MPSGraphTensor : NSObject <NSCopying> {
 @public
  NSUInteger _number;
}
@end

@interface MPSGraphShapedType : NSObject {
 @public
  MPSShape* _shape;
  MPSDataType _dataType;
}
- (instancetype)initWithShape:(MPSShape*)shape dataType:(MPSDataType)dataType;
@end

@interface MPSGraphTensorData : NSObject {
 @public
  id<MTLBuffer> _buffer;
  MPSShape* _shape;
  MPSDataType _dataType;
}
- (instancetype)initWithMTLBuffer:(id<MTLBuffer>)buffer
                            shape:(MPSShape*)shape
                         dataType:(MPSDataType)dataType;
@end

@interface MPSGraphDevice : NSObject
+ (instancetype)deviceWithMTLDevice:(id<MTLDevice>)metalDevice;
@end

@interface MPSGraphExecutable : NSObject {
 @public
  NSArray* _feedTensors;
  NSArray* _targetTensors;
  NSDictionary* _feeds;
}
@property(readonly) NSArray<MPSGraphTensor*>* feedTensors;
@property(readonly) NSArray<MPSGraphTensor*>* targetTensors;
- (NSArray<MPSGraphTensorData*>*)encodeToCommandBuffer:(MPSCommandBuffer*)commandBuffer
                                           inputsArray:(NSArray<MPSGraphTensorData*>*)inputsArray
                                          resultsArray:(NSArray<MPSGraphTensorData*>*)resultsArray
                                   executionDescriptor:(id)executionDescriptor;
@end

@interface MPSGraphConvolution2DOpDescriptor : NSObject {
 @public
  NSDictionary* _settings;
}
+ (instancetype)descriptorWithStrideInX:(NSUInteger)strideInX
                              strideInY:(NSUInteger)strideInY
                        dilationRateInX:(NSUInteger)dilationRateInX
                        dilationRateInY:(NSUInteger)dilationRateInY
                                 groups:(NSUInteger)groups
                            paddingLeft:(NSUInteger)paddingLeft
                           paddingRight:(NSUInteger)paddingRight
                             paddingTop:(NSUInteger)paddingTop
                          paddingBottom:(NSUInteger)paddingBottom
                           paddingStyle:(MPSGraphPaddingStyle)paddingStyle
                             dataLayout:(MPSGraphTensorNamedDataLayout)dataLayout
                          weightsLayout:(MPSGraphTensorNamedDataLayout)weightsLayout;
@end

@interface MPSGraphPooling2DOpDescriptor : NSObject {
 @public
  NSDictionary* _settings;
  BOOL _ceilMode;
  BOOL _includeZeroPadToAverage;
}
+ (instancetype)descriptorWithKernelWidth:(NSUInteger)kernelWidth
                             kernelHeight:(NSUInteger)kernelHeight
                                strideInX:(NSUInteger)strideInX
                                strideInY:(NSUInteger)strideInY
                          dilationRateInX:(NSUInteger)dilationRateInX
                          dilationRateInY:(NSUInteger)dilationRateInY
                              paddingLeft:(NSUInteger)paddingLeft
                             paddingRight:(NSUInteger)paddingRight
                               paddingTop:(NSUInteger)paddingTop
                            paddingBottom:(NSUInteger)paddingBottom
                             paddingStyle:(MPSGraphPaddingStyle)paddingStyle
                               dataLayout:(MPSGraphTensorNamedDataLayout)dataLayout;
@property(nonatomic) BOOL ceilMode;
@property(nonatomic) BOOL includeZeroPadToAverage;
@end

#define MPS_GRAPH_UNARY(NAME) \
  -(MPSGraphTensor*)NAME : (MPSGraphTensor*)tensor name : (NSString*)name
#define MPS_GRAPH_BINARY(NAME)                                                               \
  -(MPSGraphTensor*)NAME##WithPrimaryTensor : (MPSGraphTensor*)primaryTensor secondaryTensor \
      : (MPSGraphTensor*)secondaryTensor name : (NSString*)name
#define MPS_GRAPH_REDUCTION(NAME) \
  -(MPSGraphTensor*)NAME : (MPSGraphTensor*)tensor axis : (NSInteger)axis name : (NSString*)name

/// What follows is written down under its selector.
// clang-format off: its lines move each time.
#define MPS_GRAPH_UNARIES(X)                                                                       \
  X(absoluteWithTensor)                                                                            \
  X(acosWithTensor)                                                                                \
  X(acoshWithTensor)                                                                               \
  X(asinWithTensor) X(asinhWithTensor) X(atanWithTensor) X(atanhWithTensor)                        \
      X(bitwiseNOTWithTensor) X(ceilWithTensor) X(cosWithTensor) X(coshWithTensor)                 \
          X(erfWithTensor) X(exponentBase2WithTensor) X(exponentWithTensor) X(floorWithTensor)     \
              X(identityWithTensor) X(isInfiniteWithTensor) X(isNaNWithTensor)                     \
                  X(logarithmBase10WithTensor) X(logarithmBase2WithTensor) X(logarithmWithTensor)  \
                      X(negativeWithTensor) X(notWithTensor) X(reLUWithTensor)                     \
                          X(reciprocalWithTensor) X(reverseSquareRootWithTensor) X(rintWithTensor) \
                              X(sigmoidWithTensor) X(signWithTensor) X(sinWithTensor)              \
                                  X(sinhWithTensor) X(squareRootWithTensor) X(tanWithTensor)       \
                                      X(tanhWithTensor) X(truncateWithTensor)
#define MPS_GRAPH_BINARIES(X)                                                                    \
  X(addition)                                                                                    \
  X(atan2)                                                                                       \
  X(bitwiseAND)                                                                                  \
  X(bitwiseOR) X(bitwiseXOR) X(division) X(equal) X(greaterThan) X(greaterThanOrEqualTo)         \
      X(lessThan) X(lessThanOrEqualTo) X(matrixMultiplication) X(maximum)                        \
          X(maximumWithNaNPropagation) X(minimum) X(minimumWithNaNPropagation) X(multiplication) \
              X(notEqual) X(power) X(subtraction)
#define MPS_GRAPH_REDUCTIONS(X) \
  X(reductionMaximumWithTensor) X(reductionSumWithTensor) X(softMaxWithTensor)

// clang-format on
#define MPS_GRAPH_DECLARE_UNARY(NAME) MPS_GRAPH_UNARY(NAME);
#define MPS_GRAPH_DECLARE_BINARY(NAME) MPS_GRAPH_BINARY(NAME);
#define MPS_GRAPH_DECLARE_REDUCTION(NAME) MPS_GRAPH_REDUCTION(NAME);

@interface MPSGraph : NSObject {
 @public
  NSMutableArray* _calls;
  NSUInteger _count;
}
MPS_GRAPH_UNARIES(MPS_GRAPH_DECLARE_UNARY)
MPS_GRAPH_BINARIES(MPS_GRAPH_DECLARE_BINARY)
MPS_GRAPH_REDUCTIONS(MPS_GRAPH_DECLARE_REDUCTION)

- (MPSGraphTensor*)placeholderWithShape:(MPSShape*)shape
                               dataType:(MPSDataType)dataType
                                   name:(NSString*)name;
- (MPSGraphTensor*)constantWithData:(NSData*)data
                              shape:(MPSShape*)shape
                           dataType:(MPSDataType)dataType;
- (MPSGraphTensor*)constantWithScalar:(double)scalar
                                shape:(MPSShape*)shape
                             dataType:(MPSDataType)dataType;
- (MPSGraphTensor*)coordinateAlongAxis:(NSInteger)axis
                             withShape:(MPSShape*)shape
                                  name:(NSString*)name;
- (MPSGraphTensor*)selectWithPredicateTensor:(MPSGraphTensor*)predicateTensor
                         truePredicateTensor:(MPSGraphTensor*)truePredicateTensor
                        falsePredicateTensor:(MPSGraphTensor*)falseSelectTensor
                                        name:(NSString*)name;
- (MPSGraphTensor*)leakyReLUWithTensor:(MPSGraphTensor*)tensor
                                 alpha:(double)alpha
                                  name:(NSString*)name;
- (MPSGraphTensor*)meanOfTensor:(MPSGraphTensor*)tensor
                           axes:(NSArray<NSNumber*>*)axes
                           name:(NSString*)name;
- (MPSGraphTensor*)varianceOfTensor:(MPSGraphTensor*)tensor
                         meanTensor:(MPSGraphTensor*)meanTensor
                               axes:(NSArray<NSNumber*>*)axes
                               name:(NSString*)name;
- (MPSGraphTensor*)normalizationWithTensor:(MPSGraphTensor*)tensor
                                meanTensor:(MPSGraphTensor*)mean
                            varianceTensor:(MPSGraphTensor*)variance
                               gammaTensor:(MPSGraphTensor*)gamma
                                betaTensor:(MPSGraphTensor*)beta
                                   epsilon:(float)epsilon
                                      name:(NSString*)name;
- (MPSGraphTensor*)convolution2DWithSourceTensor:(MPSGraphTensor*)source
                                   weightsTensor:(MPSGraphTensor*)weights
                                      descriptor:(MPSGraphConvolution2DOpDescriptor*)descriptor
                                            name:(NSString*)name;
- (MPSGraphTensor*)maxPooling2DWithSourceTensor:(MPSGraphTensor*)source
                                     descriptor:(MPSGraphPooling2DOpDescriptor*)descriptor
                                           name:(NSString*)name;
- (MPSGraphTensor*)avgPooling2DWithSourceTensor:(MPSGraphTensor*)source
                                     descriptor:(MPSGraphPooling2DOpDescriptor*)descriptor
                                           name:(NSString*)name;
- (MPSGraphTensor*)castTensor:(MPSGraphTensor*)tensor toType:(MPSDataType)type name:(NSString*)name;
- (MPSGraphTensor*)reshapeTensor:(MPSGraphTensor*)tensor
                       withShape:(MPSShape*)shape
                            name:(NSString*)name;
- (MPSGraphTensor*)broadcastTensor:(MPSGraphTensor*)tensor
                           toShape:(MPSShape*)shape
                              name:(NSString*)name;
- (MPSGraphTensor*)transposeTensor:(MPSGraphTensor*)tensor
                       permutation:(NSArray<NSNumber*>*)permutation
                              name:(NSString*)name;
- (MPSGraphTensor*)concatTensors:(NSArray<MPSGraphTensor*>*)tensors
                       dimension:(NSInteger)dimensionIndex
                            name:(NSString*)name;
- (MPSGraphTensor*)sliceTensor:(MPSGraphTensor*)tensor
                        starts:(NSArray<NSNumber*>*)starts
                          ends:(NSArray<NSNumber*>*)ends
                       strides:(NSArray<NSNumber*>*)strides
                          name:(NSString*)name;
- (MPSGraphTensor*)padTensor:(MPSGraphTensor*)tensor
             withPaddingMode:(MPSGraphPaddingMode)paddingMode
                 leftPadding:(MPSShape*)leftPadding
                rightPadding:(MPSShape*)rightPadding
               constantValue:(double)constantValue
                        name:(NSString*)name;
- (MPSGraphTensor*)gatherWithUpdatesTensor:(MPSGraphTensor*)updatesTensor
                             indicesTensor:(MPSGraphTensor*)indicesTensor
                                      axis:(NSUInteger)axis
                           batchDimensions:(NSUInteger)batchDimensions
                                      name:(NSString*)name;
- (MPSGraphTensor*)gatherNDWithUpdatesTensor:(MPSGraphTensor*)updatesTensor
                               indicesTensor:(MPSGraphTensor*)indicesTensor
                             batchDimensions:(NSUInteger)batchDimensions
                                        name:(NSString*)name;
- (MPSGraphTensor*)scatterNDWithDataTensor:(MPSGraphTensor*)dataTensor
                             updatesTensor:(MPSGraphTensor*)updatesTensor
                             indicesTensor:(MPSGraphTensor*)indicesTensor
                           batchDimensions:(NSUInteger)batchDimensions
                                      mode:(MPSGraphScatterMode)mode
                                      name:(NSString*)name;
- (MPSGraphExecutable*)compileWithDevice:(MPSGraphDevice*)device
                                   feeds:(NSDictionary<MPSGraphTensor*, MPSGraphShapedType*>*)feeds
                           targetTensors:(NSArray<MPSGraphTensor*>*)targetTensors
                        targetOperations:(NSArray*)targetOperations
                   compilationDescriptor:(id)compilationDescriptor;
@end
