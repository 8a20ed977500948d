#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#import <ExecuTorch/ExecuTorch.h>

#include "extension/apple/linux/leaks.h"

namespace {

using ::testing::HasSubstr;

/// Why `block` raised NSInvalidArgumentException; empty if it did not.
std::string refusal(void (^block)(void)) {
  const LeaksAllowed with_the_exception;
  @try {
    block();
  } @catch (NSException* exception) {
    EXPECT_TRUE([exception.name isEqualToString:NSInvalidArgumentException]);
    return exception.reason.UTF8String;
  }
  return "";
}

/// Objects of each test go with it.
class TensorTest : public ::testing::Test {
 protected:
  ~TensorTest() override { [pool_ drain]; }

 private:
  NSAutoreleasePool* pool_ = [[NSAutoreleasePool alloc] init];
};

ExecuTorchTensor* floats(NSArray<NSNumber*>* scalars, NSArray<NSNumber*>* shape) {
  return [[[ExecuTorchTensor alloc] initWithScalars:scalars
                                              shape:shape
                                           dataType:ExecuTorchDataTypeFloat] autorelease];
}

TEST_F(TensorTest, SaysWhatItIs) {
  ExecuTorchTensor* tensor = floats(@[ @1, @2, @3, @4, @5, @6 ], @[ @2, @3 ]);
  EXPECT_EQ(tensor.dataType, ExecuTorchDataTypeFloat);
  EXPECT_TRUE([tensor.shape isEqual:(@[ @2, @3 ])]);
  EXPECT_TRUE([tensor.strides isEqual:(@[ @3, @1 ])]);
  EXPECT_TRUE([tensor.dimensionOrder isEqual:(@[ @0, @1 ])]);
  EXPECT_EQ(tensor.shapeDynamism, ExecuTorchShapeDynamismDynamicBound);
  EXPECT_EQ(tensor.count, 6);
  EXPECT_TRUE([tensor.scalars isEqual:(@[ @1, @2, @3, @4, @5, @6 ])]);
  EXPECT_THAT(tensor.description.UTF8String, HasSubstr("shape: [2,3]"));
}

TEST_F(TensorTest, BorrowsCopiesOrKeeps) {
  float numbers[] = {1, 2};
  ExecuTorchTensor* borrowed =
      [[[ExecuTorchTensor alloc] initWithBytesNoCopy:numbers
                                               shape:@[ @2 ]
                                            dataType:ExecuTorchDataTypeFloat] autorelease];
  ExecuTorchTensor* copied =
      [[[ExecuTorchTensor alloc] initWithBytes:numbers
                                         shape:@[ @2 ]
                                      dataType:ExecuTorchDataTypeFloat] autorelease];
  NSMutableData* data = [NSMutableData dataWithBytes:numbers length:sizeof(numbers)];
  const NSUInteger before = data.retainCount;
  ExecuTorchTensor* kept = [[ExecuTorchTensor alloc] initWithData:data
                                                            shape:@[ @2 ]
                                                         dataType:ExecuTorchDataTypeFloat];
  EXPECT_EQ(data.retainCount, before + 1);
  numbers[0] = 7;
  EXPECT_TRUE([borrowed.scalars isEqual:(@[ @7, @2 ])]);
  EXPECT_TRUE([copied.scalars isEqual:(@[ @1, @2 ])]);
  [kept mutableBytesWithHandler:^(void* pointer, NSInteger count, ExecuTorchDataType dataType) {
    EXPECT_EQ(count, 2);
    EXPECT_EQ(dataType, ExecuTorchDataTypeFloat);
    static_cast<float*>(pointer)[1] = 9;
  }];
  EXPECT_EQ(static_cast<const float*>(data.bytes)[1], 9);
  [kept release];
  EXPECT_EQ(data.retainCount, before);
}

TEST_F(TensorTest, ViewsShareAndCopiesDoNot) {
  ExecuTorchTensor* tensor = floats(@[ @1, @2, @3, @4 ], @[ @4 ]);
  ExecuTorchTensor* view = [[[ExecuTorchTensor alloc] initWithTensor:tensor] autorelease];
  ExecuTorchTensor* copy = [[tensor copy] autorelease];
  EXPECT_TRUE([view isEqual:tensor]);
  EXPECT_TRUE([copy isEqual:tensor]);
  EXPECT_EQ(view.hash, tensor.hash);
  [tensor mutableBytesWithHandler:^(void* pointer, NSInteger, ExecuTorchDataType) {
    *static_cast<float*>(pointer) = 8;
  }];
  EXPECT_TRUE([view isEqual:tensor]);
  EXPECT_FALSE([copy isEqual:tensor]);
  // The view's shape is its own.
  ASSERT_TRUE([view resizeToShape:@[ @2 ] error:nullptr]);
  EXPECT_TRUE([tensor.shape isEqual:@[ @4 ]]);
  EXPECT_FALSE([view isEqual:tensor]);
}

TEST_F(TensorTest, OfEveryKindOfNumber) {
  const std::vector<ExecuTorchDataType> types = {
      ExecuTorchDataTypeByte,   ExecuTorchDataTypeChar,   ExecuTorchDataTypeShort,
      ExecuTorchDataTypeInt,    ExecuTorchDataTypeLong,   ExecuTorchDataTypeHalf,
      ExecuTorchDataTypeFloat,  ExecuTorchDataTypeDouble, ExecuTorchDataTypeBFloat16,
      ExecuTorchDataTypeUInt16, ExecuTorchDataTypeUInt32, ExecuTorchDataTypeUInt64};
  for (const ExecuTorchDataType type : types) {
    ExecuTorchTensor* tensor = [[[ExecuTorchTensor alloc] initWithScalars:@[ @0, @1, @100 ]
                                                                 dataType:type] autorelease];
    EXPECT_EQ(tensor.dataType, type);
    EXPECT_TRUE([tensor.scalars isEqual:(@[ @0, @1, @100 ])]) << type;
  }
  ExecuTorchTensor* truth =
      [[[ExecuTorchTensor alloc] initWithScalars:@[ @0, @2 ]
                                        dataType:ExecuTorchDataTypeBool] autorelease];
  EXPECT_TRUE([truth.scalars isEqual:(@[ @false, @true ])]);
}

TEST_F(TensorTest, NumbersSayWhatTheyAre) {
  const auto type = [](NSArray<NSNumber*>* scalars) {
    return [[[[ExecuTorchTensor alloc] initWithScalars:scalars] autorelease] dataType];
  };
  EXPECT_EQ(type(@[ @1, @2 ]), ExecuTorchDataTypeLong);
  EXPECT_EQ(type(@[ @1.5 ]), ExecuTorchDataTypeDouble);
  EXPECT_EQ(type(@[ @1.5f ]), ExecuTorchDataTypeFloat);
  EXPECT_EQ(type(@[ [NSNumber numberWithBool:YES] ]), ExecuTorchDataTypeBool);
  EXPECT_EQ(type(@[]), ExecuTorchDataTypeFloat);
  ExecuTorchTensor* one = [[[ExecuTorchTensor alloc] initWithFloat:42] autorelease];
  EXPECT_EQ(one.dataType, ExecuTorchDataTypeFloat);
  EXPECT_EQ(one.shape.count, 0u);
  EXPECT_TRUE([one.scalars isEqual:@[ @42 ]]);
  EXPECT_EQ(one.shapeDynamism, ExecuTorchShapeDynamismStatic);
}

TEST_F(TensorTest, ShrinksAndGrowsWithinItsMemory) {
  ExecuTorchTensor* tensor = floats(@[ @1, @2, @3, @4 ], @[ @2, @2 ]);
  NSError* error = nil;
  EXPECT_TRUE(([tensor resizeToShape:@[ @1, @3 ] error:&error]));
  EXPECT_EQ(tensor.count, 3);
  EXPECT_TRUE(([tensor resizeToShape:@[ @4, @1 ] error:&error]));
  EXPECT_FALSE(([tensor resizeToShape:@[ @5, @1 ] error:&error]));
  EXPECT_TRUE([error.domain isEqualToString:ExecuTorchErrorDomain]);
  EXPECT_EQ(error.code, ExecuTorchErrorCodeNotSupported);
  EXPECT_GT(error.localizedDescription.length, 20u);
  EXPECT_TRUE(([tensor.shape isEqual:(@[ @4, @1 ])]));
}

TEST_F(TensorTest, OtherLayouts) {
  ExecuTorchTensor* tensor =
      [[[ExecuTorchTensor alloc] initWithScalars:@[ @1, @2, @3, @4, @5, @6 ]
                                           shape:@[ @2, @3 ]
                                         strides:@[ @1, @2 ]
                                  dimensionOrder:@[]
                                        dataType:ExecuTorchDataTypeInt
                                   shapeDynamism:ExecuTorchShapeDynamismStatic] autorelease];
  EXPECT_TRUE(([tensor.dimensionOrder isEqual:(@[ @1, @0 ])]));
  ExecuTorchTensor* same =
      [[[ExecuTorchTensor alloc] initWithScalars:@[ @1, @2, @3, @4, @5, @6 ]
                                           shape:@[ @2, @3 ]
                                         strides:@[]
                                  dimensionOrder:@[ @1, @0 ]
                                        dataType:ExecuTorchDataTypeInt
                                   shapeDynamism:ExecuTorchShapeDynamismDynamicBound] autorelease];
  EXPECT_TRUE([same isEqualToTensor:tensor]);
}

TEST_F(TensorTest, RefusesWhatDoesNotBelongTogether) {
  static float numbers[6];
  const auto make = [](NSArray* shape, NSArray* strides, NSArray* order,
                       ExecuTorchDataType type = ExecuTorchDataTypeFloat) {
    return refusal(^{
      [[[ExecuTorchTensor alloc] initWithBytesNoCopy:numbers
                                               shape:shape
                                             strides:strides
                                      dimensionOrder:order
                                            dataType:type
                                       shapeDynamism:ExecuTorchShapeDynamismStatic] release];
    });
  };
  EXPECT_EQ(make(@[ @2, @3 ], @[], @[]), "");
  EXPECT_THAT(make(@[ @-1 ], @[], @[]), HasSubstr("A shape has -1"));
  EXPECT_THAT(make(@[ @2147483648 ], @[], @[]), HasSubstr("A shape has 2147483648"));
  EXPECT_THAT(make(@[ @2147483647, @2147483647, @2147483647 ], @[], @[]), HasSubstr("too many"));
  EXPECT_THAT(make(@[ @2, @3 ], @[], (@[ @0, @0 ])), HasSubstr("no order of 2"));
  EXPECT_THAT(make(@[ @2, @3 ], @[], @[ @0 ]), HasSubstr("no order of 2"));
  EXPECT_THAT(make(@[ @2, @3 ], @[ @1 ], @[]), HasSubstr("1 strides"));
  EXPECT_THAT(make(@[ @2, @3 ], (@[ @6, @1 ]), @[]), HasSubstr("leave gaps"));
  EXPECT_THAT(make(@[ @2, @3 ], (@[ @1, @2 ]), (@[ @0, @1 ])), HasSubstr("leave gaps"));
  EXPECT_THAT(make(@[ @2, @3 ], @[], @[], ExecuTorchDataTypeUndefined), HasSubstr("no data type"));
  EXPECT_THAT(refusal(^{
                floats(@[ @1 ], @[ @2 ]);
              }),
              HasSubstr("1 scalars"));
  EXPECT_THAT(refusal(^{
                [[[ExecuTorchTensor alloc] initWithData:[NSData data]
                                                  shape:@[ @2 ]
                                               dataType:ExecuTorchDataTypeLong] release];
              }),
              HasSubstr("16 bytes, the data has 0"));
  EXPECT_THAT(refusal(^{
                [floats(@[ @1.5 ], @[ @1 ]) copyToDataType:ExecuTorchDataTypeInt];
              }),
              HasSubstr("Float cannot become Int"));
}

TEST_F(TensorTest, Factories) {
  NSArray* shape = @[ @3, @4 ];
  ExecuTorchTensor* ones = [ExecuTorchTensor onesTensorWithShape:shape
                                                        dataType:ExecuTorchDataTypeInt];
  EXPECT_EQ(ones.dataType, ExecuTorchDataTypeInt);
  for (NSNumber* one in ones.scalars) {
    EXPECT_EQ(one.intValue, 1);
  }
  ExecuTorchTensor* zeros = [ExecuTorchTensor zerosTensorLikeTensor:ones];
  EXPECT_EQ(zeros.dataType, ExecuTorchDataTypeInt);
  EXPECT_TRUE([zeros.shape isEqual:shape]);
  EXPECT_TRUE([zeros.scalars.firstObject isEqual:@0]);
  EXPECT_TRUE(
      ([[ExecuTorchTensor
            fullTensorWithShape:@[ @2 ]
                         scalar:@2.5
                       dataType:ExecuTorchDataTypeDouble].scalars isEqual:(@[ @2.5, @2.5 ])]));
  EXPECT_EQ(
      ([ExecuTorchTensor emptyTensorWithShape:@[ @0, @5 ] dataType:ExecuTorchDataTypeHalf].count),
      0);
}

TEST_F(TensorTest, RandomFactories) {
  NSArray* shape = @[ @1000 ];
  for (NSNumber* number in [ExecuTorchTensor randTensorWithShape:shape
                                                        dataType:ExecuTorchDataTypeFloat]
           .scalars) {
    EXPECT_TRUE(number.floatValue >= 0 && number.floatValue < 1);
  }
  double sum = 0;
  for (NSNumber* number in [ExecuTorchTensor randnTensorWithShape:shape
                                                         dataType:ExecuTorchDataTypeDouble]
           .scalars) {
    sum += number.doubleValue;
  }
  EXPECT_LT(std::abs(sum / 1000), 0.25);
  for (NSNumber* number in [ExecuTorchTensor randintTensorWithLow:-3
                                                             high:4
                                                            shape:shape
                                                         dataType:ExecuTorchDataTypeLong]
           .scalars) {
    EXPECT_TRUE(number.intValue >= -3 && number.intValue < 4);
  }
  EXPECT_THAT(refusal(^{
                [ExecuTorchTensor randintTensorWithLow:1
                                                  high:1
                                                 shape:shape
                                              dataType:ExecuTorchDataTypeLong];
              }),
              HasSubstr("no integer in [1, 1)"));
}

TEST_F(TensorTest, SizesOfTypesAndShapes) {
  EXPECT_EQ(ExecuTorchSizeOfDataType(ExecuTorchDataTypeComplexDouble), 16);
  EXPECT_EQ(ExecuTorchSizeOfDataType(ExecuTorchDataTypeUndefined), 0);
  EXPECT_EQ(ExecuTorchElementCountOfShape(@[]), 1);
  EXPECT_EQ(ExecuTorchElementCountOfShape(@[ @2, @0 ]), 0);
}

}  // namespace
