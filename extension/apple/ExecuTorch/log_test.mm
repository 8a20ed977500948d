#include <gmock/gmock.h>
#include <gtest/gtest.h>

#import <ExecuTorch/ExecuTorch.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/runtime.h>

@interface Listener : NSObject <ExecuTorchLogSink> {
 @public
  NSMutableArray* lines;
}
@end

@implementation Listener

- (instancetype)init {
  if (self = [super init]) {
    lines = [[NSMutableArray alloc] init];
  }
  return self;
}

- (void)dealloc {
  [lines release];
  [super dealloc];
}

- (void)logWithLevel:(ExecuTorchLogLevel)level
           timestamp:(NSTimeInterval)timestamp
            filename:(NSString*)filename
                line:(NSUInteger)line
             message:(NSString*)message {
  EXPECT_GT(line, 0u);
  EXPECT_TRUE([filename hasSuffix:@"log_test.mm"]) << filename.UTF8String;
  EXPECT_GE(timestamp, 0);
  [lines addObject:[NSString stringWithFormat:@"%ld %@", static_cast<long>(level), message]];
}

@end

namespace {

TEST(LogTest, SinksHearOfMessagesUntilTheyAreRemoved) {
  executorch::runtime::runtime_init();
  @autoreleasepool {
    Listener* listener = [[[Listener alloc] init] autorelease];
    ExecuTorchLog* log = ExecuTorchLog.sharedLog;
    EXPECT_EQ(log, ExecuTorchLog.sharedLog);
    ET_LOG(Error, "before");
    [log addSink:listener];
    [log addSink:listener];
    ET_LOG(Error, "one %d", 1);
    ET_LOG(Info, "two");
    ET_LOG(Error, "no UTF-8: \xff");
    [log removeSink:listener];
    ET_LOG(Error, "after");
    EXPECT_TRUE([listener->lines isEqual:(@[ @"2 one 1", @"1 two", @"2 no UTF-8: ÿ" ])])
        << listener->lines.description.UTF8String;
  }
}

}  // namespace
