#include <gmock/gmock.h>
#include <gtest/gtest.h>

#import <ExecuTorch/ExecuTorch.h>

namespace {

TEST(ValueTest, AnswersForItsKindOnly) {
  @autoreleasepool {
    ExecuTorchValue* integer = [ExecuTorchValue valueWithInteger:-7];
    EXPECT_EQ(integer.tag, ExecuTorchValueTagInteger);
    EXPECT_TRUE(integer.isInteger);
    EXPECT_EQ(integer.integerValue, -7);
    EXPECT_EQ(integer.doubleValue, 0);
    EXPECT_EQ(integer.tensorValue, nil);
    EXPECT_EQ(integer.stringValue, nil);
    EXPECT_FALSE(integer.boolValue);

    ExecuTorchValue* real = [ExecuTorchValue valueWithDouble:2.5];
    EXPECT_TRUE(real.isDouble && real.isFloat);
    EXPECT_EQ(real.floatValue, 2.5f);
    EXPECT_EQ(real.integerValue, 0);

    ExecuTorchValue* truth = [ExecuTorchValue valueWithBoolean:YES];
    EXPECT_TRUE(truth.isBoolean && truth.boolValue);

    NSMutableString* text = [NSMutableString stringWithString:@"naïve"];
    ExecuTorchValue* string = [ExecuTorchValue valueWithString:text];
    [text appendString:@"!"];
    EXPECT_TRUE([string.stringValue isEqualToString:@"naïve"]);

    ExecuTorchTensor* tensor = [[[ExecuTorchTensor alloc] initWithFloat:1] autorelease];
    EXPECT_EQ([ExecuTorchValue valueWithTensor:tensor].tensorValue, tensor);

    ExecuTorchValue* none = [[[ExecuTorchValue alloc] init] autorelease];
    EXPECT_TRUE(none.isNone);
    EXPECT_EQ(none.tag, ExecuTorchValueTagNone);
  }
}

TEST(ValueTest, IsComparedByContents) {
  @autoreleasepool {
    ExecuTorchValue* one = [ExecuTorchValue valueWithInteger:1];
    EXPECT_TRUE([one isEqual:[ExecuTorchValue valueWithInteger:1]]);
    EXPECT_FALSE([one isEqual:[ExecuTorchValue valueWithInteger:2]]);
    EXPECT_FALSE([one isEqual:[ExecuTorchValue valueWithDouble:1]]);
    EXPECT_FALSE([one isEqual:@1]);
    EXPECT_EQ(one.hash, [ExecuTorchValue valueWithInteger:1].hash);
    EXPECT_EQ([[one copy] autorelease], one);
    ExecuTorchTensor* tensor = [[[ExecuTorchTensor alloc] initWithFloat:1] autorelease];
    ExecuTorchTensor* other = [[tensor copy] autorelease];
    EXPECT_TRUE(
        [[ExecuTorchValue valueWithTensor:tensor] isEqual:[ExecuTorchValue valueWithTensor:other]]);
    EXPECT_TRUE([one.description isEqualToString:@"Value {Int: 1}"]);
  }
}

}  // namespace
