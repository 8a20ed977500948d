/// @file
/// An MPSGraph that writes down how it is called: `test/recording.py` calculates what it would.

#import <MetalPerformanceShadersGraph/MetalPerformanceShadersGraph.h>

#include <executorch/backends/apple/mps/runtime/linux/mock.h>

using executorch::backends::mps::mock;

namespace {

NSNumber* number(double value) { return [NSNumber numberWithDouble:value]; }

NSNumber* whole(NSInteger value) { return [NSNumber numberWithLongLong:value]; }

NSString* name_of(MPSDataType type) {
  switch (type) {
    case MPSDataTypeFloat32:
      return @"float32";
    case MPSDataTypeFloat16:
      return @"float16";
    case MPSDataTypeInt8:
      return @"int8";
    case MPSDataTypeInt16:
      return @"int16";
    case MPSDataTypeInt32:
      return @"int32";
    case MPSDataTypeInt64:
      return @"int64";
    case MPSDataTypeUInt8:
      return @"uint8";
    case MPSDataTypeBool:
      return @"bool";
    default:
      return @"";
  }
}

}  // namespace

@interface MPSGraph (Record)
- (MPSGraphTensor*)record:(NSString*)name of:(NSArray*)operands with:(NSDictionary*)settings;
@end

@implementation MPSGraph

- (instancetype)init {
  self = [super init];
  _calls = [[NSMutableArray alloc] init];
  return self;
}

- (void)dealloc {
  [_calls release];
  [super dealloc];
}

- (MPSGraphTensor*)record:(NSString*)name of:(NSArray*)operands with:(NSDictionary*)settings {
  NSMutableArray* numbers = [NSMutableArray array];
  for (id one in operands) {
    // An operand that is not there is an NSNull.
    const bool is_tensor = [one isKindOfClass:[MPSGraphTensor class]];
    [numbers addObject:is_tensor ? whole(NSInteger(static_cast<MPSGraphTensor*>(one)->_number))
                                 : whole(-1)];
  }
  MPSGraphTensor* made = [[[MPSGraphTensor alloc] init] autorelease];
  made->_number = _count++;
  NSArray* call = [NSArray arrayWithObjects:name, numbers, settings, nil];
  NSData* line = [NSJSONSerialization dataWithJSONObject:call options:0 error:nullptr];
  if (line == nil) {
    [NSException raise:@"MPSGraph" format:@"%@: operands that cannot be written down", name];
  }
  [_calls addObject:line];
  return made;
}

#define SETTINGS(...) [NSDictionary dictionaryWithObjectsAndKeys:__VA_ARGS__, nil]
#define TENSORS(...) [NSArray arrayWithObjects:__VA_ARGS__, nil]

#define RECORD_UNARY(NAME)                                                          \
  MPS_GRAPH_UNARY(NAME) {                                                           \
    (void)name;                                                                     \
    return [self record:@ #NAME of:TENSORS(tensor) with:[NSDictionary dictionary]]; \
  }
#define RECORD_BINARY(NAME)                                     \
  MPS_GRAPH_BINARY(NAME) {                                      \
    (void)name;                                                 \
    return [self record:@ #NAME                                 \
                     of:TENSORS(primaryTensor, secondaryTensor) \
                   with:[NSDictionary dictionary]];             \
  }
#define RECORD_REDUCTION(NAME)                                                           \
  MPS_GRAPH_REDUCTION(NAME) {                                                            \
    (void)name;                                                                          \
    return [self record:@ #NAME of:TENSORS(tensor) with:SETTINGS(whole(axis), @"axis")]; \
  }

MPS_GRAPH_UNARIES(RECORD_UNARY)
MPS_GRAPH_BINARIES(RECORD_BINARY)
MPS_GRAPH_REDUCTIONS(RECORD_REDUCTION)

- (MPSGraphTensor*)placeholderWithShape:(MPSShape*)shape
                               dataType:(MPSDataType)dataType
                                   name:(NSString*)name {
  (void)name;
  return [self record:@"placeholder"
                   of:[NSArray array]
                 with:SETTINGS(shape, @"shape", name_of(dataType), @"type")];
}

- (MPSGraphTensor*)constantWithData:(NSData*)data
                              shape:(MPSShape*)shape
                           dataType:(MPSDataType)dataType {
  return [self record:@"constant"
                   of:[NSArray array]
                 with:SETTINGS([data base64EncodedStringWithOptions:0], @"data", shape, @"shape",
                               name_of(dataType), @"type")];
}

- (MPSGraphTensor*)constantWithScalar:(double)scalar
                                shape:(MPSShape*)shape
                             dataType:(MPSDataType)dataType {
  // JSON has no infinities.
  return [self record:@"filled"
                   of:[NSArray array]
                 with:SETTINGS([NSString stringWithFormat:@"%.17g", scalar], @"scalar", shape,
                               @"shape", name_of(dataType), @"type")];
}

- (MPSGraphTensor*)coordinateAlongAxis:(NSInteger)axis
                             withShape:(MPSShape*)shape
                                  name:(NSString*)name {
  (void)name;
  return [self record:@"coordinate"
                   of:[NSArray array]
                 with:SETTINGS(whole(axis), @"axis", shape, @"shape")];
}

- (MPSGraphTensor*)selectWithPredicateTensor:(MPSGraphTensor*)predicateTensor
                         truePredicateTensor:(MPSGraphTensor*)truePredicateTensor
                        falsePredicateTensor:(MPSGraphTensor*)falseSelectTensor
                                        name:(NSString*)name {
  (void)name;
  return [self record:@"select"
                   of:TENSORS(predicateTensor, truePredicateTensor, falseSelectTensor)
                 with:[NSDictionary dictionary]];
}

- (MPSGraphTensor*)leakyReLUWithTensor:(MPSGraphTensor*)tensor
                                 alpha:(double)alpha
                                  name:(NSString*)name {
  (void)name;
  return [self record:@"leakyReLU" of:TENSORS(tensor) with:SETTINGS(number(alpha), @"alpha")];
}

- (MPSGraphTensor*)meanOfTensor:(MPSGraphTensor*)tensor
                           axes:(NSArray<NSNumber*>*)axes
                           name:(NSString*)name {
  (void)name;
  return [self record:@"mean" of:TENSORS(tensor) with:SETTINGS(axes, @"axes")];
}

- (MPSGraphTensor*)varianceOfTensor:(MPSGraphTensor*)tensor
                         meanTensor:(MPSGraphTensor*)meanTensor
                               axes:(NSArray<NSNumber*>*)axes
                               name:(NSString*)name {
  (void)name;
  return [self record:@"variance" of:TENSORS(tensor, meanTensor) with:SETTINGS(axes, @"axes")];
}

- (MPSGraphTensor*)normalizationWithTensor:(MPSGraphTensor*)tensor
                                meanTensor:(MPSGraphTensor*)mean
                            varianceTensor:(MPSGraphTensor*)variance
                               gammaTensor:(MPSGraphTensor*)gamma
                                betaTensor:(MPSGraphTensor*)beta
                                   epsilon:(float)epsilon
                                      name:(NSString*)name {
  (void)name;
  const id none = [NSNull null];
  return [self record:@"normalization"
                   of:TENSORS(tensor, mean, variance, gamma == nil ? none : static_cast<id>(gamma),
                              beta == nil ? none : static_cast<id>(beta))
                 with:SETTINGS(number(double(epsilon)), @"epsilon")];
}

- (MPSGraphTensor*)convolution2DWithSourceTensor:(MPSGraphTensor*)source
                                   weightsTensor:(MPSGraphTensor*)weights
                                      descriptor:(MPSGraphConvolution2DOpDescriptor*)descriptor
                                            name:(NSString*)name {
  (void)name;
  return [self record:@"convolution2D" of:TENSORS(source, weights) with:descriptor->_settings];
}

- (NSDictionary*)settingsOf:(MPSGraphPooling2DOpDescriptor*)descriptor {
  NSMutableDictionary* made = [NSMutableDictionary dictionaryWithDictionary:descriptor->_settings];
  [made setObject:whole(descriptor->_ceilMode) forKey:@"ceil"];
  [made setObject:whole(descriptor->_includeZeroPadToAverage) forKey:@"counts_padding"];
  return made;
}

- (MPSGraphTensor*)maxPooling2DWithSourceTensor:(MPSGraphTensor*)source
                                     descriptor:(MPSGraphPooling2DOpDescriptor*)descriptor
                                           name:(NSString*)name {
  (void)name;
  return [self record:@"maxPooling2D" of:TENSORS(source) with:[self settingsOf:descriptor]];
}

- (MPSGraphTensor*)avgPooling2DWithSourceTensor:(MPSGraphTensor*)source
                                     descriptor:(MPSGraphPooling2DOpDescriptor*)descriptor
                                           name:(NSString*)name {
  (void)name;
  return [self record:@"avgPooling2D" of:TENSORS(source) with:[self settingsOf:descriptor]];
}

- (MPSGraphTensor*)castTensor:(MPSGraphTensor*)tensor
                       toType:(MPSDataType)type
                         name:(NSString*)name {
  (void)name;
  return [self record:@"cast" of:TENSORS(tensor) with:SETTINGS(name_of(type), @"type")];
}

- (MPSGraphTensor*)reshapeTensor:(MPSGraphTensor*)tensor
                       withShape:(MPSShape*)shape
                            name:(NSString*)name {
  (void)name;
  return [self record:@"reshape" of:TENSORS(tensor) with:SETTINGS(shape, @"shape")];
}

- (MPSGraphTensor*)broadcastTensor:(MPSGraphTensor*)tensor
                           toShape:(MPSShape*)shape
                              name:(NSString*)name {
  (void)name;
  return [self record:@"broadcast" of:TENSORS(tensor) with:SETTINGS(shape, @"shape")];
}

- (MPSGraphTensor*)transposeTensor:(MPSGraphTensor*)tensor
                       permutation:(NSArray<NSNumber*>*)permutation
                              name:(NSString*)name {
  (void)name;
  return [self record:@"transpose" of:TENSORS(tensor) with:SETTINGS(permutation, @"permutation")];
}

- (MPSGraphTensor*)concatTensors:(NSArray<MPSGraphTensor*>*)tensors
                       dimension:(NSInteger)dimensionIndex
                            name:(NSString*)name {
  (void)name;
  return [self record:@"concat" of:tensors with:SETTINGS(whole(dimensionIndex), @"axis")];
}

- (MPSGraphTensor*)sliceTensor:(MPSGraphTensor*)tensor
                        starts:(NSArray<NSNumber*>*)starts
                          ends:(NSArray<NSNumber*>*)ends
                       strides:(NSArray<NSNumber*>*)strides
                          name:(NSString*)name {
  (void)name;
  return [self record:@"slice"
                   of:TENSORS(tensor)
                 with:SETTINGS(starts, @"starts", ends, @"ends", strides, @"strides")];
}

- (MPSGraphTensor*)padTensor:(MPSGraphTensor*)tensor
             withPaddingMode:(MPSGraphPaddingMode)paddingMode
                 leftPadding:(MPSShape*)leftPadding
                rightPadding:(MPSShape*)rightPadding
               constantValue:(double)constantValue
                        name:(NSString*)name {
  (void)paddingMode;
  (void)name;
  return [self record:@"pad"
                   of:TENSORS(tensor)
                 with:SETTINGS(leftPadding, @"left", rightPadding, @"right",
                               [NSString stringWithFormat:@"%.17g", constantValue], @"value")];
}

- (MPSGraphTensor*)gatherWithUpdatesTensor:(MPSGraphTensor*)updatesTensor
                             indicesTensor:(MPSGraphTensor*)indicesTensor
                                      axis:(NSUInteger)axis
                           batchDimensions:(NSUInteger)batchDimensions
                                      name:(NSString*)name {
  (void)name;
  return [self record:@"gather"
                   of:TENSORS(updatesTensor, indicesTensor)
                 with:SETTINGS(whole(NSInteger(axis)), @"axis", whole(NSInteger(batchDimensions)),
                               @"batch")];
}

- (MPSGraphTensor*)gatherNDWithUpdatesTensor:(MPSGraphTensor*)updatesTensor
                               indicesTensor:(MPSGraphTensor*)indicesTensor
                             batchDimensions:(NSUInteger)batchDimensions
                                        name:(NSString*)name {
  (void)name;
  return [self record:@"gatherND"
                   of:TENSORS(updatesTensor, indicesTensor)
                 with:SETTINGS(whole(NSInteger(batchDimensions)), @"batch")];
}

- (MPSGraphTensor*)scatterNDWithDataTensor:(MPSGraphTensor*)dataTensor
                             updatesTensor:(MPSGraphTensor*)updatesTensor
                             indicesTensor:(MPSGraphTensor*)indicesTensor
                           batchDimensions:(NSUInteger)batchDimensions
                                      mode:(MPSGraphScatterMode)mode
                                      name:(NSString*)name {
  (void)name;
  return [self record:@"scatterND"
                   of:TENSORS(dataTensor, updatesTensor, indicesTensor)
                 with:SETTINGS(whole(NSInteger(batchDimensions)), @"batch", whole(mode), @"mode")];
}

- (MPSGraphExecutable*)compileWithDevice:(MPSGraphDevice*)device
                                   feeds:(NSDictionary<MPSGraphTensor*, MPSGraphShapedType*>*)feeds
                           targetTensors:(NSArray<MPSGraphTensor*>*)targetTensors
                        targetOperations:(NSArray*)targetOperations
                   compilationDescriptor:(id)compilationDescriptor {
  (void)device;
  (void)targetOperations;
  (void)compilationDescriptor;
  ++mock().compiles;
  if (mock().compiles_fail) {
    return nil;
  }
  mock().calls.clear();
  for (NSData* line in _calls) {
    mock().calls.append(static_cast<const char*>([line bytes]), [line length]);
    mock().calls.push_back('\n');
  }
  MPSGraphExecutable* made = [[[MPSGraphExecutable alloc] init] autorelease];
  NSArray* sorted = [[feeds allKeys] sortedArrayUsingSelector:@selector(backwards:)];
  made->_feedTensors = [sorted retain];
  made->_feeds = [feeds copy];
  made->_targetTensors = [[[targetTensors reverseObjectEnumerator] allObjects] retain];
  NSMutableArray* numbers = [NSMutableArray array];
  for (MPSGraphTensor* one in targetTensors) {
    [numbers addObject:whole(NSInteger(one->_number))];
  }
  NSData* targets = [NSJSONSerialization dataWithJSONObject:numbers options:0 error:nullptr];
  mock().calls.append(static_cast<const char*>([targets bytes]), [targets length]);
  return made;
}

@end

@implementation MPSGraphTensor (Order)
- (NSComparisonResult)backwards:(MPSGraphTensor*)other {
  return _number < other->_number ? NSOrderedDescending : NSOrderedAscending;
}
@end

@implementation MPSGraphConvolution2DOpDescriptor
- (void)dealloc {
  [_settings release];
  [super dealloc];
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
                          weightsLayout:(MPSGraphTensorNamedDataLayout)weightsLayout {
  const auto as_number = [](NSUInteger one) { return whole(NSInteger(one)); };
  MPSGraphConvolution2DOpDescriptor* made =
      [[[MPSGraphConvolution2DOpDescriptor alloc] init] autorelease];
  made->_settings = [SETTINGS(
      TENSORS(as_number(strideInY), as_number(strideInX)), @"stride",
      TENSORS(as_number(dilationRateInY), as_number(dilationRateInX)), @"dilation",
      as_number(groups), @"groups",
      TENSORS(as_number(paddingLeft), as_number(paddingRight), as_number(paddingTop),
              as_number(paddingBottom)),
      @"padding", TENSORS(as_number(paddingStyle), as_number(dataLayout), as_number(weightsLayout)),
      @"layouts") retain];
  return made;
}
@end

@implementation MPSGraphPooling2DOpDescriptor
- (void)dealloc {
  [_settings release];
  [super dealloc];
}
- (BOOL)ceilMode {
  return _ceilMode;
}
- (void)setCeilMode:(BOOL)ceilMode {
  _ceilMode = ceilMode;
}
- (BOOL)includeZeroPadToAverage {
  return _includeZeroPadToAverage;
}
- (void)setIncludeZeroPadToAverage:(BOOL)includeZeroPadToAverage {
  _includeZeroPadToAverage = includeZeroPadToAverage;
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
                               dataLayout:(MPSGraphTensorNamedDataLayout)dataLayout {
  const auto as_number = [](NSUInteger one) { return whole(NSInteger(one)); };
  MPSGraphPooling2DOpDescriptor* made = [[[MPSGraphPooling2DOpDescriptor alloc] init] autorelease];
  made->_settings = [SETTINGS(
      TENSORS(as_number(kernelHeight), as_number(kernelWidth)), @"kernel",
      TENSORS(as_number(strideInY), as_number(strideInX)), @"stride",
      TENSORS(as_number(dilationRateInY), as_number(dilationRateInX)), @"dilation",
      TENSORS(as_number(paddingLeft), as_number(paddingRight), as_number(paddingTop),
              as_number(paddingBottom)),
      @"padding", TENSORS(as_number(paddingStyle), as_number(dataLayout)), @"layouts") retain];
  return made;
}
@end
