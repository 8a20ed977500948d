/// @file
/// How a text is generated.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

NS_SWIFT_NAME(Config)
@interface ExecuTorchLLMConfig : NSObject <NSCopying> {
 @private
  BOOL _echoEnabled;
  NSInteger _maximumNewTokens;
  BOOL _warming;
  NSInteger _sequenceLength;
  double _temperature;
  NSInteger _bosCount;
  NSInteger _eosCount;
}

/// The prompt comes first in what is generated; YES unless set.
@property(nonatomic, getter=isEchoEnabled) BOOL echoEnabled;

/// The most tokens that are generated; -1 for as many as there is room for, which it is unless set.
@property(nonatomic) NSInteger maximumNewTokens;

/// A run to warm up: tokens are not shown.
@property(nonatomic, getter=isWarming) BOOL warming;

/// The most tokens of prompt and answer together; -1 for the model's limit, which it is unless set.
@property(nonatomic) NSInteger sequenceLength;

/// 0 takes the most probable token every time; 0.8 unless set.
@property(nonatomic) double temperature;

/// How many tokens of begin and of end are put around the prompt; none unless set.
@property(nonatomic) NSInteger bosCount;
@property(nonatomic) NSInteger eosCount;

- (instancetype)init;

/// Made and handed to `block` to be set up.
- (instancetype)initWithBlock:(void(NS_NOESCAPE ^)(ExecuTorchLLMConfig* config))block;

@end

NS_ASSUME_NONNULL_END
