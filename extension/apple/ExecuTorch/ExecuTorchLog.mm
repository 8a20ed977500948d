#import "ExecuTorchLog.h"

#import <ExecuTorch/Reporting.h>
#include <executorch/runtime/platform/platform.h>

namespace {

using executorch::extension::apple::to_string;
using executorch::runtime::PalImpl;

ExecuTorchLogLevel level_of(et_pal_log_level_t level) {
  switch (level) {
    case et_pal_log_level_t::kDebug:
      return ExecuTorchLogLevelDebug;
    case et_pal_log_level_t::kInfo:
      return ExecuTorchLogLevelInfo;
    case et_pal_log_level_t::kError:
      return ExecuTorchLogLevelError;
    case et_pal_log_level_t::kFatal:
      return ExecuTorchLogLevelFatal;
    default:
      return ExecuTorchLogLevelUnknown;
  }
}

NSTimeInterval seconds_of(et_timestamp_t ticks) {
  const et_tick_ratio_t ratio = executorch::runtime::pal_ticks_to_ns_multiplier();
  return static_cast<double>(ticks) * static_cast<double>(ratio.numerator) /
         static_cast<double>(ratio.denominator) / 1e9;
}

/// What emitted messages before; null until sharedLog took over.
pal_emit_log_message_method former_emit = nullptr;

}  // namespace

@interface ExecuTorchLog ()
- (NSArray*)sinks;
@end

namespace {

void emit(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
          const char* function, size_t line, const char* message, size_t length) {
  @autoreleasepool {
    NSArray* sinks = ExecuTorchLog.sharedLog.sinks;
    if (sinks.count == 0) {
      former_emit(timestamp, level, filename, function, line, message, length);
      return;
    }
    NSString* text = to_string({message, length});
    NSString* file = to_string(filename);
    for (id<ExecuTorchLogSink> sink in sinks) {
      [sink logWithLevel:level_of(level)
               timestamp:seconds_of(timestamp)
                filename:file
                    line:line
                 message:text];
    }
  }
}

}  // namespace

@implementation ExecuTorchLog

+ (ExecuTorchLog*)sharedLog {
  // A static of a function is made once, whatever the threads.
  static ExecuTorchLog* const shared = [[self alloc] initOnce];
  return shared;
}

- (instancetype)initOnce {
  if (self = [super init]) {
    _sinks = [[NSMutableArray alloc] init];
    PalImpl pal = *executorch::runtime::get_pal_impl();
    former_emit = pal.emit_log_message;
    pal.emit_log_message = &emit;
    pal.source_filename = __FILE__;
    executorch::runtime::register_pal(pal);
  }
  return self;
}

- (NSArray*)sinks {
  @synchronized(self) {
    // A copy, since a sink may remove itself.
    return [[_sinks copy] autorelease];
  }
}

- (void)addSink:(id<ExecuTorchLogSink>)sink {
  @synchronized(self) {
    if ([_sinks indexOfObjectIdenticalTo:sink] == NSNotFound) {
      [_sinks addObject:sink];
    }
  }
}

- (void)removeSink:(id<ExecuTorchLogSink>)sink {
  @synchronized(self) {
    [_sinks removeObjectIdenticalTo:sink];
  }
}

@end
