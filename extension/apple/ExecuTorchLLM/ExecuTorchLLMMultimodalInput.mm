#import "ExecuTorchLLMMultimodalInput.h"

namespace {

/// A copy of the data; raises unless it has a value for each position.
NSData* checked(NSData* data, NSInteger a, NSInteger b, NSInteger c, BOOL is_float) {
  const unsigned long long size = is_float ? sizeof(float) : 1;
  const auto positive = [](NSInteger n) { return n > 0 && n <= INT32_MAX; };
  // Three positive 31-bit numbers need 93 bits.
  if (!positive(a) || !positive(b) || !positive(c) ||
      static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) *
              static_cast<unsigned __int128>(c) * size !=
          data.length) {
    [NSException raise:NSInvalidArgumentException
                format:@"%lu bytes are not %ld x %ld x %ld values of %llu",
                       static_cast<unsigned long>(data.length), static_cast<long>(a),
                       static_cast<long>(b), static_cast<long>(c), size];
  }
  return [data copy];
}

}  // namespace

@implementation ExecuTorchLLMImage

@synthesize data = _data;
@synthesize width = _width;
@synthesize height = _height;
@synthesize channels = _channels;
@synthesize isFloat = _isFloat;

- (instancetype)initWithData:(NSData*)data
                       width:(NSInteger)width
                      height:(NSInteger)height
                    channels:(NSInteger)channels
                     isFloat:(BOOL)isFloat {
  if (self = [super init]) {
    _data = checked(data, channels, height, width, isFloat);
    _width = width;
    _height = height;
    _channels = channels;
    _isFloat = isFloat;
  }
  return self;
}

- (instancetype)initWithData:(NSData*)data
                       width:(NSInteger)width
                      height:(NSInteger)height
                    channels:(NSInteger)channels {
  return [self initWithData:data width:width height:height channels:channels isFloat:NO];
}

- (instancetype)initWithFloatData:(NSData*)data
                            width:(NSInteger)width
                           height:(NSInteger)height
                         channels:(NSInteger)channels {
  return [self initWithData:data width:width height:height channels:channels isFloat:YES];
}

- (void)dealloc {
  [_data release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  return [self retain];
}

@end

@implementation ExecuTorchLLMAudio

@synthesize data = _data;
@synthesize batchSize = _batchSize;
@synthesize bins = _bins;
@synthesize frames = _frames;
@synthesize isFloat = _isFloat;

- (instancetype)initWithData:(NSData*)data
                   batchSize:(NSInteger)batchSize
                        bins:(NSInteger)bins
                      frames:(NSInteger)frames
                     isFloat:(BOOL)isFloat {
  if (self = [super init]) {
    _data = checked(data, batchSize, bins, frames, isFloat);
    _batchSize = batchSize;
    _bins = bins;
    _frames = frames;
    _isFloat = isFloat;
  }
  return self;
}

- (instancetype)initWithData:(NSData*)data
                   batchSize:(NSInteger)batchSize
                        bins:(NSInteger)bins
                      frames:(NSInteger)frames {
  return [self initWithData:data batchSize:batchSize bins:bins frames:frames isFloat:NO];
}

- (instancetype)initWithFloatData:(NSData*)data
                        batchSize:(NSInteger)batchSize
                             bins:(NSInteger)bins
                           frames:(NSInteger)frames {
  return [self initWithData:data batchSize:batchSize bins:bins frames:frames isFloat:YES];
}

- (void)dealloc {
  [_data release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  return [self retain];
}

@end

@implementation ExecuTorchLLMMultimodalInput

@synthesize type = _type;

- (instancetype)initWithType:(ExecuTorchLLMMultimodalInputType)type contents:(id)contents {
  if (self = [super init]) {
    _type = type;
    _contents = [contents copy];
  }
  return self;
}

+ (instancetype)inputWithText:(NSString*)text {
  return [[[self alloc] initWithType:ExecuTorchLLMMultimodalInputTypeText
                            contents:text] autorelease];
}

+ (instancetype)inputWithImage:(ExecuTorchLLMImage*)image {
  return [[[self alloc] initWithType:ExecuTorchLLMMultimodalInputTypeImage
                            contents:image] autorelease];
}

+ (instancetype)inputWithAudio:(ExecuTorchLLMAudio*)audio {
  return [[[self alloc] initWithType:ExecuTorchLLMMultimodalInputTypeAudio
                            contents:audio] autorelease];
}

- (void)dealloc {
  [_contents release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  return [self retain];
}

- (NSString*)text {
  return _type == ExecuTorchLLMMultimodalInputTypeText ? _contents : nil;
}

- (ExecuTorchLLMImage*)image {
  return _type == ExecuTorchLLMMultimodalInputTypeImage ? _contents : nil;
}

- (ExecuTorchLLMAudio*)audio {
  return _type == ExecuTorchLLMMultimodalInputTypeAudio ? _contents : nil;
}

@end
