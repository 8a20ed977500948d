#import "ExecuTorchLLMConfig.h"

@implementation ExecuTorchLLMConfig

@synthesize echoEnabled = _echoEnabled;
@synthesize maximumNewTokens = _maximumNewTokens;
@synthesize warming = _warming;
@synthesize sequenceLength = _sequenceLength;
@synthesize temperature = _temperature;
@synthesize bosCount = _bosCount;
@synthesize eosCount = _eosCount;

- (instancetype)init {
  if (self = [super init]) {
    _echoEnabled = YES;
    _maximumNewTokens = -1;
    _sequenceLength = -1;
    _temperature = 0.8;
  }
  return self;
}

- (instancetype)initWithBlock:(void(NS_NOESCAPE ^)(ExecuTorchLLMConfig* config))block {
  if (self = [self init]) {
    block(self);
  }
  return self;
}

- (id)copyWithZone:(NSZone*)zone {
  ExecuTorchLLMConfig* made = [[ExecuTorchLLMConfig allocWithZone:zone] init];
  made.echoEnabled = _echoEnabled;
  made.maximumNewTokens = _maximumNewTokens;
  made.warming = _warming;
  made.sequenceLength = _sequenceLength;
  made.temperature = _temperature;
  made.bosCount = _bosCount;
  made.eosCount = _eosCount;
  return made;
}

@end
