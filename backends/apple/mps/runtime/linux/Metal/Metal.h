/// @file
/// What the delegate uses of Apple's Metal, as its documentation declares it, for machines without.
/// `mock.mm` answers.
#pragma once

#import <Foundation/Foundation.h>

typedef NS_ENUM(NSUInteger, MTLResourceOptions) {
  MTLResourceStorageModeShared = 0,
};

typedef NS_ENUM(NSUInteger, MTLCommandBufferStatus) {
  MTLCommandBufferStatusCompleted = 4,
  MTLCommandBufferStatusError = 5,
};

@protocol MTLBuffer <NSObject>
- (void*)contents;
@property(readonly) NSUInteger length;
@end

@protocol MTLCommandQueue <NSObject>
@end

@protocol MTLDevice <NSObject>
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLCommandQueue>)newCommandQueue;
@end

#ifdef __cplusplus
extern "C"
#endif
    id<MTLDevice> MTLCreateSystemDefaultDevice(void);
