#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#import <ExecuTorch/ExecuTorch.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>

namespace {

using executorch::extension::testing::TempFile;
using executorch::extension::testing::TinyProgram;
using ::testing::HasSubstr;

NSString* path_of(const TempFile& file) {
  return [NSString stringWithUTF8String:file.path().c_str()];
}

ExecuTorchTensor* six_from(float first) {
  NSMutableArray* numbers = [NSMutableArray array];
  for (int i = 0; i < 6; ++i) {
    [numbers addObject:@(first + static_cast<float>(i))];
  }
  return [[[ExecuTorchTensor alloc] initWithScalars:numbers
                                              shape:@[ @2, @3 ]
                                           dataType:ExecuTorchDataTypeFloat] autorelease];
}

/// Objects of each test go with it.
class ModuleTest : public ::testing::Test {
 protected:
  ~ModuleTest() override { [pool_ drain]; }

  ExecuTorchModule* open(const TinyProgram& program = {}) {
    files_.push_back(std::make_unique<TempFile>(program.build()));
    return [[[ExecuTorchModule alloc] initWithFilePath:path_of(*files_.back())
                                              loadMode:ExecuTorchModuleLoadModeMmap] autorelease];
  }

  NSError* error = nil;

 private:
  NSAutoreleasePool* pool_ = [[NSAutoreleasePool alloc] init];
  std::vector<std::unique_ptr<TempFile>> files_;
};

TEST_F(ModuleTest, LoadsWhatIsAskedFor) {
  ExecuTorchModule* module = open({{"forward", "other"}});
  EXPECT_FALSE(module.isLoaded);
  EXPECT_TRUE([module load:&error]);
  EXPECT_TRUE(module.isLoaded);
  EXPECT_FALSE([module isMethodLoaded:@"other"]);
  EXPECT_TRUE([module loadMethod:@"other" error:&error]);
  EXPECT_TRUE([module isMethodLoaded:@"other"]);
  EXPECT_TRUE([module unloadMethod:@"other"]);
  EXPECT_FALSE([module isMethodLoaded:@"other"]);
  EXPECT_TRUE(
      ([[module methodNames:&error] isEqual:[NSSet setWithObjects:@"forward", @"other", nil]]));
  EXPECT_TRUE([open() loadWithVerification:ExecuTorchVerificationInternalConsistency error:&error]);
}

TEST_F(ModuleTest, Runs) {
  ExecuTorchModule* module = open();
  NSArray<ExecuTorchValue*>* outputs = [module forwardWithTensors:@[ six_from(1), six_from(10) ]
                                                            error:&error];
  ASSERT_EQ(outputs.count, 1u) << error.description.UTF8String;
  ExecuTorchTensor* sum = [[outputs objectAtIndex:0] tensorValue];
  EXPECT_TRUE([sum.scalars isEqual:(@[ @11, @13, @15, @17, @19, @21 ])]);

  // What a call returned is its own: the next one does not write into it.
  NSArray* values = @[
    [ExecuTorchValue valueWithTensor:six_from(0)], [ExecuTorchValue valueWithTensor:six_from(0)]
  ];
  EXPECT_NE([module executeMethod:@"forward" withInputs:values error:&error], nil);
  EXPECT_TRUE([sum.scalars isEqual:(@[ @11, @13, @15, @17, @19, @21 ])]);
}

TEST_F(ModuleTest, ResultsOutliveTheModule) {
  ExecuTorchTensor* sum = nil;
  {
    NSAutoreleasePool* inner = [[NSAutoreleasePool alloc] init];
    NSArray<ExecuTorchValue*>* outputs = [open() forwardWithTensors:@[ six_from(1), six_from(1) ]
                                                              error:nullptr];
    sum = [[[outputs objectAtIndex:0] tensorValue] retain];
    [inner drain];
  }
  EXPECT_TRUE([sum.scalars isEqual:(@[ @2, @4, @6, @8, @10, @12 ])]);
  [sum release];
}

TEST_F(ModuleTest, StoredInputsAreKept) {
  ExecuTorchModule* module = open();
  {
    NSAutoreleasePool* inner = [[NSAutoreleasePool alloc] init];
    NSArray* values = @[
      [ExecuTorchValue valueWithTensor:six_from(1)], [ExecuTorchValue valueWithTensor:six_from(2)]
    ];
    EXPECT_TRUE([module setInputs:values error:nullptr]);
    [inner drain];
  }
  NSArray<ExecuTorchValue*>* outputs = [module forward:&error];
  ASSERT_EQ(outputs.count, 1u) << error.description.UTF8String;
  EXPECT_TRUE([[[outputs objectAtIndex:0] tensorValue].scalars.firstObject isEqual:@3]);
  outputs = [module forwardWithTensor:six_from(5) error:&error];
  EXPECT_TRUE([[[outputs objectAtIndex:0] tensorValue].scalars.firstObject isEqual:@7]);
}

TEST_F(ModuleTest, WeightsInFilesOfTheirOwn) {
  TinyProgram program;
  program.second = TinyProgram::Second::kExternal;
  const TempFile file(program.build());
  const TempFile data(program.build_data());
  ExecuTorchModule* module =
      [[[ExecuTorchModule alloc] initWithFilePath:path_of(file)
                                    dataFilePaths:@[ path_of(data) ]] autorelease];
  NSArray<ExecuTorchValue*>* outputs = [module forwardWithTensor:six_from(1) error:&error];
  ASSERT_EQ(outputs.count, 1u) << error.description.UTF8String;
  EXPECT_TRUE([[[outputs objectAtIndex:0] tensorValue].scalars
      isEqual:(@[ @11, @22, @33, @44, @55, @66 ])]);
}

TEST_F(ModuleTest, DescribesMethods) {
  ExecuTorchMethodMetadata* metadata = [open() methodMetadata:@"forward" error:&error];
  ASSERT_NE(metadata, nil) << error.description.UTF8String;
  EXPECT_TRUE([metadata.name isEqualToString:@"forward"]);
  EXPECT_TRUE(([metadata.inputValueTags
      isEqual:(@[ @(ExecuTorchValueTagTensor), @(ExecuTorchValueTagTensor) ])]));
  EXPECT_TRUE(([metadata.outputValueTags isEqual:@[ @(ExecuTorchValueTagTensor) ]]));
  ExecuTorchTensorMetadata* first = [metadata.inputTensorMetadata objectForKey:@0];
  EXPECT_TRUE(([first.shape isEqual:(@[ @2, @3 ])]));
  EXPECT_EQ(first.dataType, ExecuTorchDataTypeFloat);
  EXPECT_TRUE(first.isMemoryPlanned);
  EXPECT_EQ(metadata.outputTensorMetadata.count, 1u);
  EXPECT_EQ(metadata.backendNames.count, 0u);
  EXPECT_EQ(metadata.attributeTensorMetadata.count, 0u);
  EXPECT_EQ(metadata.instructionCount, 1);
  EXPECT_GT(metadata.memoryPlannedBufferSizes.count, 0u);
}

TEST_F(ModuleTest, ErrorsSayWhatAndWhy) {
  ExecuTorchModule* absent =
      [[[ExecuTorchModule alloc] initWithFilePath:@"/nonexistent.pte"] autorelease];
  EXPECT_FALSE([absent load:&error]);
  EXPECT_EQ(error.code, ExecuTorchErrorCodeAccessFailed);
  EXPECT_THAT(error.localizedDescription.UTF8String, HasSubstr("nonexistent.pte"));

  const TempFile noise("no program at all, but long enough for its header", 49);
  ExecuTorchModule* damaged =
      [[[ExecuTorchModule alloc] initWithFilePath:path_of(noise)] autorelease];
  EXPECT_EQ([damaged methodNames:&error], nil);
  EXPECT_EQ(error.code, ExecuTorchErrorCodeInvalidProgram);

  ExecuTorchModule* module = open();
  EXPECT_FALSE([module loadMethod:@"backward" error:&error]);
  EXPECT_THAT(error.localizedDescription.UTF8String, HasSubstr("backward"));
  EXPECT_EQ([module methodMetadata:@"backward" error:&error], nil);

  EXPECT_EQ([module forwardWithTensor:six_from(1) error:&error], nil);
  EXPECT_EQ(error.code, ExecuTorchErrorCodeInvalidArgument);
  ExecuTorchTensor* wrong = [ExecuTorchTensor onesTensorWithShape:@[ @2, @3 ]
                                                         dataType:ExecuTorchDataTypeLong];
  EXPECT_EQ(([module forwardWithTensors:@[ six_from(1), wrong ] error:&error]), nil);
  EXPECT_THAT(error.localizedDescription.UTF8String, HasSubstr("Long"));
  // Who does not want the error need not take it.
  EXPECT_EQ([module forwardWithTensor:six_from(1) error:nullptr], nil);

  TinyProgram unknown;
  unknown.operator_name = "tiny::unheard_of";
  EXPECT_FALSE([open(unknown) loadMethod:@"forward" error:&error]);
  EXPECT_EQ(error.code, ExecuTorchErrorCodeOperatorMissing);
  EXPECT_THAT(error.localizedDescription.UTF8String, HasSubstr("unheard_of"));
  EXPECT_THAT(error.localizedDescription.UTF8String, HasSubstr("-force_load"));
}

TEST_F(ModuleTest, ThreadsWaitForEachOther) {
  ExecuTorchModule* module = open();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([module, thread] {
      [NSThread currentThread];
      for (int i = 0; i < 50; ++i) {
        @autoreleasepool {
          NSArray* inputs =
              @[ six_from(static_cast<float>(thread)), six_from(static_cast<float>(i)) ];
          NSArray<ExecuTorchValue*>* outputs = [module forwardWithTensors:inputs error:nullptr];
          EXPECT_TRUE(
              [[[outputs objectAtIndex:0] tensorValue].scalars.firstObject isEqual:@(thread + i)]);
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
