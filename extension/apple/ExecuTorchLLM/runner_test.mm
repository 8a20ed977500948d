#include <cstdlib>
#include <string>
#include <vector>

#import <ExecuTorchLLM/ExecuTorchLLM.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#import <ExecuTorch/ExecuTorchError.h>

#include "extension/apple/linux/leaks.h"

namespace {

using ::testing::HasSubstr;

NSString* path_of(const char* name) {
  return [NSString stringWithFormat:@"%s/%s", std::getenv("PROGRAMS"), name];
}

/// What a model answers whose next token is the letter of the sum of all before.
std::string following(int total, int count = 3) {
  std::string answer;
  for (int i = 0; i < count; ++i) {
    const char next = static_cast<char>('a' + total % 26);
    total += next;
    answer += next;
  }
  return answer;
}

int total(const std::string& text) {
  int sum = 0;
  for (const char byte : text) {
    sum += static_cast<unsigned char>(byte);
  }
  return sum;
}

/// Objects of each test go with it.
class RunnerTest : public ::testing::Test {
  // Before what it is to hold.
  NSAutoreleasePool* pool_ = [[NSAutoreleasePool alloc] init];

 protected:
  ~RunnerTest() override { [pool_ drain]; }

  ExecuTorchLLMTextRunner* text() {
    return
        [[[ExecuTorchLLMTextRunner alloc] initWithModelPath:path_of("text.pte")
                                              tokenizerPath:path_of("tokenizer.json")] autorelease];
  }

  ExecuTorchLLMMultimodalRunner* multimodal() {
    return [[[ExecuTorchLLMMultimodalRunner alloc] initWithModelPath:path_of("multimodal.pte")
                                                       tokenizerPath:path_of("tokenizer.json")]
        autorelease];
  }

  ExecuTorchLLMConfig* config =
      [[[ExecuTorchLLMConfig alloc] initWithBlock:^(ExecuTorchLLMConfig* set) {
        set.temperature = 0;
        set.maximumNewTokens = 3;
        set.echoEnabled = NO;
      }] autorelease];
  NSMutableString* said = [NSMutableString string];
  NSError* error = nil;
};

TEST_F(RunnerTest, ConfigsAreSetUpAndCopied) {
  ExecuTorchLLMConfig* usual = [[[ExecuTorchLLMConfig alloc] init] autorelease];
  EXPECT_TRUE(usual.isEchoEnabled);
  EXPECT_EQ(usual.temperature, 0.8);
  EXPECT_EQ(usual.sequenceLength, -1);
  ExecuTorchLLMConfig* copy = [[config copy] autorelease];
  copy.maximumNewTokens = 9;
  EXPECT_EQ(config.maximumNewTokens, 3);
  EXPECT_EQ(copy.temperature, 0);
}

TEST_F(RunnerTest, TextGoesOnUntilReset) {
  ExecuTorchLLMTextRunner* runner = text();
  EXPECT_FALSE(runner.isLoaded);
  EXPECT_TRUE([runner loadWithError:&error]) << error.description.UTF8String;
  EXPECT_TRUE(runner.isLoaded);
  NSMutableString* heard = said;
  const auto ask = [&](NSString* prompt) {
    [heard setString:@""];
    EXPECT_TRUE([runner generateWithPrompt:prompt
                                    config:config
                             tokenCallback:^(NSString* token) {
                               [heard appendString:token];
                             }
                                     error:&error])
        << error.description.UTF8String;
    return std::string(heard.UTF8String);
  };
  const std::string first = ask(@"hello");
  EXPECT_EQ(first, following(total("hello")));
  EXPECT_EQ(ask(@"you"), following(total("hello" + first + "you")));
  [runner reset];
  EXPECT_EQ(ask(@"hello"), first);
}

TEST_F(RunnerTest, CharactersComeWhole) {
  config.echoEnabled = YES;
  config.maximumNewTokens = 1;
  NSMutableString* heard = said;
  EXPECT_TRUE([text() generateWithPrompt:@"naïve ☃"
                                  config:config
                           tokenCallback:^(NSString* token) {
                             [heard appendString:token];
                           }
                                   error:&error]);
  EXPECT_TRUE([heard hasPrefix:@"naïve ☃"]);
}

TEST_F(RunnerTest, CallbacksMayStop) {
  config.maximumNewTokens = 20;
  ExecuTorchLLMTextRunner* runner = text();
  __block int pieces = 0;
  EXPECT_TRUE([runner generateWithPrompt:@"hello"
                                  config:config
                           tokenCallback:^(NSString*) {
                             if (++pieces == 2) {
                               [runner stop];
                             }
                           }
                                   error:&error]);
  EXPECT_EQ(pieces, 2);
  EXPECT_TRUE([runner generateWithPrompt:@"hello" config:config tokenCallback:nil error:nullptr]);
}

TEST_F(RunnerTest, ErrorsSayWhatAndWhy) {
  ExecuTorchLLMTextRunner* absent =
      [[[ExecuTorchLLMTextRunner alloc] initWithModelPath:path_of("text.pte")
                                            tokenizerPath:path_of("absent.json")] autorelease];
  EXPECT_FALSE([absent loadWithError:&error]);
  EXPECT_EQ(error.code, ExecuTorchErrorCodeInvalidArgument);
  EXPECT_THAT(error.localizedDescription.UTF8String, HasSubstr("absent.json"));
  EXPECT_FALSE([text() generateWithPrompt:@"" config:config tokenCallback:nil error:&error]);
  EXPECT_EQ(error.code, ExecuTorchErrorCodeInvalidArgument);
  // Before anything is loaded there is nothing to stop or to forget.
  [absent stop];
  [absent reset];
}

TEST_F(RunnerTest, PromptsOfTextPicturesAndSound) {
  std::vector<float> pixels;
  for (int i = 0; i < 24; ++i) {
    pixels.push_back(static_cast<float>(i));
  }
  const uint8_t frames[] = {0, 1, 2, 3, 4, 5};
  ExecuTorchLLMImage* image = [[[ExecuTorchLLMImage alloc]
      initWithFloatData:[NSData dataWithBytes:pixels.data() length:pixels.size() * sizeof(float)]
                  width:4
                 height:2
               channels:3] autorelease];
  ExecuTorchLLMAudio* audio =
      [[[ExecuTorchLLMAudio alloc] initWithData:[NSData dataWithBytes:frames length:sizeof(frames)]
                                      batchSize:1
                                           bins:2
                                         frames:3] autorelease];
  NSArray* inputs = @[
    [ExecuTorchLLMMultimodalInput inputWithText:@"see"],
    [ExecuTorchLLMMultimodalInput inputWithImage:image],
    [ExecuTorchLLMMultimodalInput inputWithAudio:audio]
  ];
  NSMutableString* heard = said;
  EXPECT_TRUE([multimodal() generateWithInputs:inputs
                                        config:config
                                 tokenCallback:^(NSString* token) {
                                   [heard appendString:token];
                                 }
                                         error:&error])
      << error.description.UTF8String;
  // An encoder's first position has the sum of the values, its 19 others and 1 other have 1.
  EXPECT_EQ(heard.UTF8String, following(total("see") + 276 + 19 + 15 + 1));
}

TEST_F(RunnerTest, DataHaveTheSizesThatAreSaid) {
  std::string reason;
  const LeaksAllowed with_the_exception;
  @try {
    [[[ExecuTorchLLMImage alloc] initWithData:[NSData data] width:4 height:2 channels:3] release];
  } @catch (NSException* exception) {
    reason = exception.reason.UTF8String;
  }
  EXPECT_EQ(reason, "0 bytes are not 3 x 2 x 4 values of 1");
  ExecuTorchLLMMultimodalInput* input = [ExecuTorchLLMMultimodalInput inputWithText:@"a"];
  EXPECT_EQ(input.image, nil);
  EXPECT_EQ(input.audio, nil);
  EXPECT_TRUE([input.text isEqualToString:@"a"]);
}

}  // namespace
