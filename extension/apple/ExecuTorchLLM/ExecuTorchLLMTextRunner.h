/// @file
/// Text in, text out.
#import <ExecuTorchLLM/ExecuTorchLLMConfig.h>

NS_ASSUME_NONNULL_BEGIN

/// A language model with its tokenizer.
///
/// Making one reads nothing. What was said stays in the model's cache, and the next prompt goes on
/// behind it, until -reset. One thread at a time, except for -stop.
NS_SWIFT_NAME(TextRunner)
@interface ExecuTorchLLMTextRunner : NSObject {
 @private
  void* _impl;
}

- (instancetype)initWithModelPath:(NSString*)modelPath tokenizerPath:(NSString*)tokenizerPath;

/// @param specialTokens Of tokenizers whose files do not have them (tiktoken's), in the order of
/// their numbers.
- (instancetype)initWithModelPath:(NSString*)modelPath
                    tokenizerPath:(NSString*)tokenizerPath
                    specialTokens:(NSArray<NSString*>*)specialTokens NS_DESIGNATED_INITIALIZER;

+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;

- (BOOL)isLoaded;

/// Reads the tokenizer and loads the model, once.
- (BOOL)loadWithError:(NSError* _Nullable* _Nullable)error NS_SWIFT_NAME(load());

/// Continues the prompt; loads if needed.
///
/// @param callback Told of each piece of text as it comes, on the calling thread; it may call
/// -stop.
- (BOOL)generateWithPrompt:(NSString*)prompt
                    config:(ExecuTorchLLMConfig*)config
             tokenCallback:(nullable void(NS_NOESCAPE ^)(NSString* token))callback
                     error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(generate(_:_:tokenCallback:));

/// Ends a run as soon as possible; any thread may call it.
- (void)stop;

/// Forgets what was said.
- (void)reset;

@end

/// By the names that the documentation has for it; released packages have the one above, and
/// TextRunner in Swift.
typedef ExecuTorchLLMTextRunner ExecuTorchTextLLMRunner NS_SWIFT_NAME(TextLLMRunner);

NS_ASSUME_NONNULL_END
