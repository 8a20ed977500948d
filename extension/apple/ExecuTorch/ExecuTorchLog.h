/// @file
/// Where the runtime's log goes.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, ExecuTorchLogLevel) {
  ExecuTorchLogLevelDebug,
  ExecuTorchLogLevelInfo,
  ExecuTorchLogLevelError,
  ExecuTorchLogLevelFatal,
  ExecuTorchLogLevelUnknown,
} NS_SWIFT_NAME(LogLevel);

/// Who wants to hear of the log. Called on the thread that logs; it may log itself.
NS_SWIFT_NAME(LogSink)
@protocol ExecuTorchLogSink

/// @param timestamp Seconds since the process began to log.
/// @param filename, line Where in the runtime's sources.
- (void)logWithLevel:(ExecuTorchLogLevel)level
           timestamp:(NSTimeInterval)timestamp
            filename:(NSString*)filename
                line:(NSUInteger)line
             message:(NSString*)message NS_SWIFT_NAME(log(level:timestamp:filename:line:message:));

@end

/// The log of the process. Builds for release have their messages compiled out.
///
/// Until sharedLog is asked for, and whenever there is no sink, messages go where the platform
/// layer has them. Thread safe.
NS_SWIFT_NAME(Log)
@interface ExecuTorchLog : NSObject {
 @private
  NSMutableArray* _sinks;
}

@property(class, readonly) ExecuTorchLog* sharedLog NS_SWIFT_NAME(shared);

/// Kept until it is removed; adding one twice does nothing.
- (void)addSink:(id<ExecuTorchLogSink>)sink NS_SWIFT_NAME(add(sink:));

- (void)removeSink:(id<ExecuTorchLogSink>)sink NS_SWIFT_NAME(remove(sink:));

+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;

@end

NS_ASSUME_NONNULL_END
