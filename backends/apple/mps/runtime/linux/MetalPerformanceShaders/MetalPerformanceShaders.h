/// @file
/// What the delegate uses of Apple's Metal Performance Shaders, as their documentation declares it.
#pragma once

#import <Metal/Metal.h>

typedef NS_ENUM(uint32_t, MPSDataType) {
  MPSDataTypeInvalid = 0,
  MPSDataTypeFloat32 = 0x10000000 | 32,
  MPSDataTypeFloat16 = 0x10000000 | 16,
  MPSDataTypeInt8 = 0x20000000 | 8,
  MPSDataTypeInt16 = 0x20000000 | 16,
  MPSDataTypeInt32 = 0x20000000 | 32,
  MPSDataTypeInt64 = 0x20000000 | 64,
  MPSDataTypeUInt8 = 8,
  MPSDataTypeBool = 0x80000000 | 8,
};

typedef NSArray<NSNumber*> MPSShape;

@interface MPSCommandBuffer : NSObject {
 @public
  BOOL _isFailed;
}
+ (instancetype)commandBufferFromCommandQueue:(id<MTLCommandQueue>)commandQueue;
- (void)commit;
- (void)waitUntilCompleted;
@property(readonly) MTLCommandBufferStatus status;
@property(readonly) NSError* error;
@end
