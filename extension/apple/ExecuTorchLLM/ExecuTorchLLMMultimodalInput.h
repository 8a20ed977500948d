/// @file
/// Parts of a prompt: text, pictures and sound.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

/// A picture as the model's encoder takes it: channels, rows and columns, in this order.
NS_SWIFT_NAME(Image)
@interface ExecuTorchLLMImage : NSObject <NSCopying> {
 @private
  NSData* _data;
  NSInteger _width;
  NSInteger _height;
  NSInteger _channels;
  BOOL _isFloat;
}

@property(nonatomic, readonly) NSData* data;
@property(nonatomic, readonly) NSInteger width;
@property(nonatomic, readonly) NSInteger height;
@property(nonatomic, readonly) NSInteger channels;

/// Whether values are floats, and not bytes.
@property(nonatomic, readonly) BOOL isFloat;

/// Values are bytes. Raises NSInvalidArgumentException unless there are as many as the sizes ask
/// for; so do the others.
- (instancetype)initWithData:(NSData*)data
                       width:(NSInteger)width
                      height:(NSInteger)height
                    channels:(NSInteger)channels;

/// Values are floats.
- (instancetype)initWithFloatData:(NSData*)data
                            width:(NSInteger)width
                           height:(NSInteger)height
                         channels:(NSInteger)channels
    NS_SWIFT_NAME(init(float:width:height:channels:));

+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;

@end

/// Sound as the model's encoder takes it: batches, bins and frames of a spectrogram.
NS_SWIFT_NAME(Audio)
@interface ExecuTorchLLMAudio : NSObject <NSCopying> {
 @private
  NSData* _data;
  NSInteger _batchSize;
  NSInteger _bins;
  NSInteger _frames;
  BOOL _isFloat;
}

@property(nonatomic, readonly) NSData* data;
@property(nonatomic, readonly) NSInteger batchSize;
@property(nonatomic, readonly) NSInteger bins;
@property(nonatomic, readonly) NSInteger frames;
@property(nonatomic, readonly) BOOL isFloat;

- (instancetype)initWithData:(NSData*)data
                   batchSize:(NSInteger)batchSize
                        bins:(NSInteger)bins
                      frames:(NSInteger)frames;
- (instancetype)initWithFloatData:(NSData*)data
                        batchSize:(NSInteger)batchSize
                             bins:(NSInteger)bins
                           frames:(NSInteger)frames
    NS_SWIFT_NAME(init(float:batchSize:bins:frames:));

+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;

@end

typedef NS_ENUM(NSInteger, ExecuTorchLLMMultimodalInputType) {
  ExecuTorchLLMMultimodalInputTypeText,
  ExecuTorchLLMMultimodalInputTypeImage,
  ExecuTorchLLMMultimodalInputTypeAudio,
} NS_SWIFT_NAME(MultimodalInputType);

/// A part of a prompt.
NS_SWIFT_NAME(MultimodalInput)
@interface ExecuTorchLLMMultimodalInput : NSObject <NSCopying> {
 @private
  ExecuTorchLLMMultimodalInputType _type;
  id _contents;
}

@property(nonatomic, readonly) ExecuTorchLLMMultimodalInputType type;

/// What it is; nil of an input of another type.
@property(nonatomic, readonly, nullable) NSString* text;
@property(nonatomic, readonly, nullable) ExecuTorchLLMImage* image;
@property(nonatomic, readonly, nullable) ExecuTorchLLMAudio* audio;

+ (instancetype)inputWithText:(NSString*)text NS_SWIFT_NAME(init(_:));
+ (instancetype)inputWithImage:(ExecuTorchLLMImage*)image NS_SWIFT_NAME(init(_:));
+ (instancetype)inputWithAudio:(ExecuTorchLLMAudio*)audio NS_SWIFT_NAME(init(_:));

+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;

@end

NS_ASSUME_NONNULL_END
