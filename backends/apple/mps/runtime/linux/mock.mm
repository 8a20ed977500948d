/// @file
/// A Metal that evaluates nothing. An executable wants its inputs and results the other way round
/// than they were made, holds their types and sizes against the graph's, and fills result k with
/// 100 k and the sum of each input of floats times its place (from 1 on).

#include <cstdlib>

#import <MetalPerformanceShadersGraph/MetalPerformanceShadersGraph.h>

#include <executorch/backends/apple/mps/runtime/linux/mock.h>

namespace executorch {
namespace backends {
namespace mps {

Mock& mock() {
  static Mock one;
  return one;
}

}  // namespace mps
}  // namespace backends
}  // namespace executorch

using executorch::backends::mps::mock;

@interface MockBuffer : NSObject <MTLBuffer> {
 @public
  NSMutableData* _data;
}
@end

@implementation MockBuffer
- (void)dealloc {
  [_data release];
  [super dealloc];
}
- (void*)contents {
  return [_data mutableBytes];
}
- (NSUInteger)length {
  return [_data length];
}
@end

@interface MockQueue : NSObject <MTLCommandQueue>
@end

@implementation MockQueue
@end

@interface MockDevice : NSObject <MTLDevice>
@end

@implementation MockDevice
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  (void)options;
  if (!mock().has_memory) {
    return nil;
  }
  MockBuffer* made = [[MockBuffer alloc] init];
  made->_data = [[NSMutableData dataWithLength:length] retain];
  return made;
}
- (id<MTLCommandQueue>)newCommandQueue {
  return [[MockQueue alloc] init];
}
@end

id<MTLDevice> MTLCreateSystemDefaultDevice(void) {
  return mock().has_device ? [[MockDevice alloc] init] : nil;
}

@implementation MPSCommandBuffer
+ (instancetype)commandBufferFromCommandQueue:(id<MTLCommandQueue>)commandQueue {
  (void)commandQueue;
  return [[[MPSCommandBuffer alloc] init] autorelease];
}
- (void)commit {
  _isFailed = mock().commands_fail;
}
- (void)waitUntilCompleted {
}
- (MTLCommandBufferStatus)status {
  return _isFailed ? MTLCommandBufferStatusError : MTLCommandBufferStatusCompleted;
}
- (NSError*)error {
  return _isFailed ? [NSError errorWithDomain:@"MTLCommandBufferErrorDomain" code:1 userInfo:nil]
                   : nil;
}
@end

@implementation MPSGraphTensor
- (id)copyWithZone:(NSZone*)zone {
  (void)zone;
  return [self retain];
}
@end

@implementation MPSGraphShapedType
- (instancetype)initWithShape:(MPSShape*)shape dataType:(MPSDataType)dataType {
  self = [super init];
  _shape = [shape copy];
  _dataType = dataType;
  return self;
}
- (void)dealloc {
  [_shape release];
  [super dealloc];
}
@end

@implementation MPSGraphTensorData
- (instancetype)initWithMTLBuffer:(id<MTLBuffer>)buffer
                            shape:(MPSShape*)shape
                         dataType:(MPSDataType)dataType {
  self = [super init];
  _buffer = [buffer retain];
  _shape = [shape copy];
  _dataType = dataType;
  return self;
}
- (void)dealloc {
  [_buffer release];
  [_shape release];
  [super dealloc];
}
@end

@implementation MPSGraphDevice
+ (instancetype)deviceWithMTLDevice:(id<MTLDevice>)metalDevice {
  (void)metalDevice;
  return [[[MPSGraphDevice alloc] init] autorelease];
}
@end

@implementation MPSGraphExecutable
- (void)dealloc {
  [_feedTensors release];
  [_targetTensors release];
  [_feeds release];
  [super dealloc];
}
- (NSArray<MPSGraphTensor*>*)feedTensors {
  return _feedTensors;
}
- (NSArray<MPSGraphTensor*>*)targetTensors {
  return _targetTensors;
}
- (void)hold:(MPSGraphTensorData*)data against:(MPSGraphShapedType*)shaped {
  if (![data->_shape isEqualToArray:shaped->_shape] || data->_dataType != shaped->_dataType) {
    [NSException raise:@"MPSGraph" format:@"an input of another type or shape"];
  }
}
- (NSArray<MPSGraphTensorData*>*)encodeToCommandBuffer:(MPSCommandBuffer*)commandBuffer
                                           inputsArray:(NSArray<MPSGraphTensorData*>*)inputsArray
                                          resultsArray:(NSArray<MPSGraphTensorData*>*)resultsArray
                                   executionDescriptor:(id)executionDescriptor {
  (void)commandBuffer;
  (void)executionDescriptor;
  if (mock().commands_raise || [inputsArray count] != [_feedTensors count] ||
      [resultsArray count] != [_targetTensors count]) {
    [NSException raise:@"MPSGraph" format:@"other inputs or results"];
  }
  double sum = 0;
  const NSUInteger count = [inputsArray count];
  for (NSUInteger i = 0; i < count; ++i) {
    MPSGraphTensorData* data = [inputsArray objectAtIndex:i];
    [self hold:data against:[_feeds objectForKey:[_feedTensors objectAtIndex:i]]];
    const float* numbers = static_cast<const float*>([data->_buffer contents]);
    const NSUInteger length =
        data->_dataType == MPSDataTypeFloat32 ? [data->_buffer length] / 4 : 0;
    for (NSUInteger k = 0; k < length; ++k) {
      sum += double(count - i) * double(numbers[k]);
    }
  }
  for (NSUInteger i = 0; i < [resultsArray count]; ++i) {
    MPSGraphTensorData* data = [resultsArray objectAtIndex:i];
    float* numbers = static_cast<float*>([data->_buffer contents]);
    for (NSUInteger k = 0; k < [data->_buffer length] / 4; ++k) {
      numbers[k] = static_cast<float>(sum + 100.0 * double([resultsArray count] - 1 - i));
    }
  }
  return resultsArray;
}
@end
