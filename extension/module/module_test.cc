#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>

namespace executorch {
namespace extension {
namespace {

using executorch::aten::ScalarType;
using runtime::Error;
using runtime::EValue;
using runtime::Program;
using runtime::Result;
using testing::TempFile;
using testing::TinyProgram;
using testing::unused_path;
using Second = TinyProgram::Second;

std::vector<float> values_of(const EValue& value) {
  const float* data = value.toTensor().const_data_ptr<float>();
  return std::vector<float>(data, data + value.toTensor().numel());
}

const std::vector<float> kSum = {11, 22, 33, 44, 55, 66};

class ModuleTest : public ::testing::Test {
 protected:
  ModuleTest()
      : add_(TinyProgram().build()),
        a_(make_tensor_ptr({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f})),
        b_(make_tensor_ptr({2, 3}, {10.f, 20.f, 30.f, 40.f, 50.f, 60.f})) {}

  TempFile add_;
  TensorPtr a_;
  TensorPtr b_;
};

TEST_F(ModuleTest, NothingLoadsBeforeItIsNeeded) {
  Module module(add_.path());
  EXPECT_FALSE(module.is_loaded());
  EXPECT_EQ(module.program(), nullptr);
  ASSERT_EQ(module.load(), Error::Ok);
  EXPECT_TRUE(module.is_loaded());
  EXPECT_FALSE(module.is_method_loaded("forward"));
  ASSERT_EQ(module.load_forward(), Error::Ok);
  EXPECT_TRUE(module.is_method_loaded("forward"));
}

// Writes the number of its arguments into the third.
void count_arguments(runtime::KernelRuntimeContext&, runtime::Span<EValue*> stack) {
  auto out = stack[2]->toTensor();
  std::fill_n(out.mutable_data_ptr<float>(), out.numel(), static_cast<float>(stack.size()));
}

TEST_F(ModuleTest, KernelsOfAMethodGoBeforeTheRegisteredOnes) {
  const runtime::Kernel kernel("tiny::add.out", count_arguments);
  Module module(add_.path());
  ASSERT_EQ(module.load_method("forward", nullptr, nullptr, nullptr,
                               {runtime::Kernel("other::op", nullptr), kernel}),
            Error::Ok);
  const auto result = module.forward({a_, b_});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(values_of(result->at(0)), std::vector<float>(6, 4.f));
  Module without(add_.path());
  ASSERT_EQ(without.load_forward(), Error::Ok);
  EXPECT_EQ(values_of(without.forward({a_, b_})->at(0)), kSum);
}

TEST_F(ModuleTest, KernelsOfAMethodMayBeSpecialized) {
  Module module(add_.path());
  ASSERT_EQ(module.load_forward(
                nullptr, nullptr, nullptr,
                {runtime::Kernel("tiny::add.out", "v1/4;0,1|4;0,1|4;0,1|4;0,1", count_arguments)}),
            Error::Ok);
  EXPECT_EQ(values_of(module.forward({a_, b_})->at(0)), kSum);
}

TEST_F(ModuleTest, LoadingTwiceDoesNothing) {
  Module module(add_.path());
  ASSERT_EQ(module.load(Program::Verification::InternalConsistency), Error::Ok);
  const auto program = module.program();
  EXPECT_EQ(module.load(), Error::Ok);
  EXPECT_EQ(module.program(), program);
  ASSERT_EQ(module.load_method("forward"), Error::Ok);
  runtime::Method* method = *module.method("forward");
  EXPECT_EQ(module.load_method("forward"), Error::Ok);
  EXPECT_EQ(*module.method("forward"), method);
}

TEST_F(ModuleTest, EveryLoadModeRuns) {
  for (const auto mode :
       {Module::LoadMode::File, Module::LoadMode::Mmap, Module::LoadMode::MmapUseMlock,
        Module::LoadMode::MmapUseMlockIgnoreErrors}) {
    Module module(add_.path(), mode);
    const auto outputs = module.forward({a_, b_});
    ASSERT_TRUE(outputs.ok());
    EXPECT_EQ(values_of(outputs->at(0)), kSum);
  }
}

TEST_F(ModuleTest, ConstantsInSegmentsAreFound) {
  TinyProgram program;
  program.second = Second::kSegment;
  const TempFile file(program.build());
  for (const auto mode : {Module::LoadMode::File, Module::LoadMode::Mmap}) {
    Module module(file.path(), mode);
    const auto outputs = module.forward(a_);
    ASSERT_TRUE(outputs.ok());
    EXPECT_EQ(values_of(outputs->at(0)), kSum);
  }
}

TEST_F(ModuleTest, RunsFromALoader) {
  auto loader = FileDataLoader::from(add_.path().c_str());
  ASSERT_TRUE(loader.ok());
  Module module(std::make_unique<FileDataLoader>(std::move(*loader)),
                std::make_unique<MallocMemoryAllocator>());
  EXPECT_EQ(values_of(module.forward({a_, b_})->at(0)), kSum);
}

TEST_F(ModuleTest, ProgramOutlivesTheModuleThatLoadedIt) {
  std::shared_ptr<Program> program;
  {
    Module first(add_.path());
    ASSERT_EQ(first.load(), Error::Ok);
    program = first.program();
  }
  Module second(program);
  EXPECT_TRUE(second.is_loaded());
  EXPECT_EQ(values_of(second.forward({a_, b_})->at(0)), kSum);
}

TEST_F(ModuleTest, ModulesOfOneProgramRunOnThreadsOfTheirOwn) {
  Module first(add_.path());
  ASSERT_EQ(first.load(), Error::Ok);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t]() {
      Module module(first.program());
      const auto a = full({2, 3}, t);
      for (int i = 0; i < 20; ++i) {
        const auto outputs = module.forward({a, b_});
        ASSERT_TRUE(outputs.ok());
        ASSERT_EQ(values_of(outputs->at(0))[5], static_cast<float>(60 + t));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_F(ModuleTest, ExternalDataComesFromOneOrSeveralFiles) {
  TinyProgram program;
  program.second = Second::kExternal;
  const TempFile file(program.build());
  const TempFile data(program.build_data());
  const TempFile other(program.build_data("other"));
  Module one(file.path(), data.path());
  ASSERT_EQ(one.load_forward(), Error::Ok);
  EXPECT_EQ(values_of(one.forward(a_)->at(0)), kSum);

  Module two(file.path(), std::vector<std::string>{other.path(), data.path()},
             Module::LoadMode::Mmap);
  EXPECT_EQ(values_of(two.forward(a_)->at(0)), kSum);

  auto loader = FileDataLoader::from(file.path().c_str());
  auto data_loader = FileDataLoader::from(data.path().c_str());
  Module three(std::make_unique<FileDataLoader>(std::move(*loader)), nullptr, nullptr, nullptr,
               std::make_unique<FileDataLoader>(std::move(*data_loader)));
  EXPECT_EQ(values_of(three.forward(a_)->at(0)), kSum);
}

TEST_F(ModuleTest, MissingOrWrongExternalDataIsAnError) {
  TinyProgram program;
  program.second = Second::kExternal;
  const TempFile file(program.build());
  const TempFile other(program.build_data("other"));
  const TempFile data(program.build_data());
  program.sizes = {1, 3};
  const TempFile small(program.build_data());
  EXPECT_NE(Module(file.path()).load_forward(), Error::Ok);
  EXPECT_NE(Module(file.path(), other.path()).load_forward(), Error::Ok);
  EXPECT_NE(Module(file.path(), small.path()).load_forward(), Error::Ok);
  EXPECT_EQ(Module(file.path(), unused_path()).load(), Error::AccessFailed);
  EXPECT_EQ(Module(file.path(), file.path()).load(), Error::InvalidExternalData);
  EXPECT_EQ(Module(file.path(), std::vector<std::string>{data.path(), data.path()}).load(),
            Error::InvalidArgument);
}

TEST_F(ModuleTest, FilesThatAreNoProgramAreErrors) {
  EXPECT_EQ(Module(unused_path()).load(), Error::AccessFailed);
  const TempFile empty(std::vector<uint8_t>{});
  const TempFile foreign(std::vector<uint8_t>(4096, 'x'));
  std::vector<uint8_t> bytes = TinyProgram().build();
  bytes.resize(bytes.size() / 2);
  const TempFile truncated(bytes);
  for (const TempFile* file : {&empty, &foreign, &truncated}) {
    Module module(file->path());
    EXPECT_NE(module.load(), Error::Ok);
    EXPECT_FALSE(module.is_loaded());
    EXPECT_FALSE(module.forward({a_, b_}).ok());
    EXPECT_FALSE(module.method_names().ok());
  }
  EXPECT_EQ(Module("").load(), Error::InvalidArgument);
}

TEST_F(ModuleTest, MethodsAreListedAndDescribed) {
  TinyProgram program;
  program.methods = {"forward", "encode"};
  const TempFile file(program.build());
  Module module(file.path());
  const auto names = module.method_names();
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(names->size(), 2u);
  EXPECT_EQ(names->count("encode"), 1u);
  EXPECT_EQ(*module.num_methods(), 2u);
  const auto meta = module.method_meta("encode");
  ASSERT_TRUE(meta.ok());
  EXPECT_STREQ(meta->name(), "encode");
  EXPECT_EQ(meta->num_inputs(), 2u);
  EXPECT_EQ(meta->input_tensor_meta(0)->scalar_type(), ScalarType::Float);
  EXPECT_EQ(meta->output_tensor_meta(0)->sizes().size(), 2u);
  EXPECT_FALSE(module.method_meta("decode").ok());
  EXPECT_FALSE(module.execute("decode", a_).ok());
}

TEST_F(ModuleTest, MethodsHaveMemoryOfTheirOwnUnlessShared) {
  TinyProgram program;
  program.methods = {"forward", "encode"};
  const TempFile file(program.build());
  const auto zero = zeros({2, 3});
  Module apart(file.path());
  const auto kept = apart.forward({a_, b_});
  ASSERT_TRUE(apart.execute("encode", {zero, zero}).ok());
  EXPECT_EQ(values_of(kept->at(0)), kSum);

  Module shared(file.path(), Module::LoadMode::File, nullptr, nullptr, nullptr,
                /*share_memory_arenas=*/true);
  const auto lost = shared.forward({a_, b_});
  ASSERT_TRUE(shared.execute("encode", {zero, zero}).ok());
  EXPECT_EQ(values_of(lost->at(0)), std::vector<float>(6, 0.f));
}

TEST_F(ModuleTest, UnloadedMethodsLoadAgain) {
  Module module(add_.path());
  EXPECT_FALSE(module.unload_forward());
  ASSERT_TRUE(module.forward({a_, b_}).ok());
  EXPECT_TRUE(module.unload_forward());
  EXPECT_FALSE(module.is_method_loaded("forward"));
  EXPECT_EQ(values_of(module.forward({a_, b_})->at(0)), kSum);
}

TEST_F(ModuleTest, GetGivesTheFirstOutput) {
  Module module(add_.path());
  EXPECT_EQ(values_of(*module.get({a_, b_})), kSum);
  EXPECT_EQ(values_of(*module.get("forward", {a_, b_})), kSum);
  EXPECT_FALSE(module.get().ok());
}

TEST_F(ModuleTest, StoredInputsStandInForMissingOnes) {
  Module module(add_.path());
  ASSERT_EQ(module.set_input(b_, 1), Error::Ok);
  for (int i = 0; i < 2; ++i) {
    const auto outputs = module.forward(a_);
    ASSERT_TRUE(outputs.ok());
    EXPECT_EQ(values_of(outputs->at(0)), kSum);
  }
  EXPECT_EQ(module.forward().error(), Error::InvalidArgument) << "input 0 was passed, not stored";
  ASSERT_EQ(module.set_inputs({a_, b_}), Error::Ok);
  EXPECT_EQ(values_of(module.forward()->at(0)), kSum);
  EXPECT_EQ(values_of(module.forward(b_)->at(0))[0], 20.f) << "what is passed wins";
  EXPECT_EQ(values_of(module.forward({EValue(), a_})->at(0))[0], 2.f)
      << "None stands for what is stored";
  ASSERT_EQ(module.set_input(EValue(), 1), Error::Ok);
  EXPECT_EQ(module.forward().error(), Error::InvalidArgument);
}

TEST_F(ModuleTest, WrongInputsAreErrorsAndDoNoHarm) {
  Module module(add_.path());
  EXPECT_EQ(module.forward({a_, b_, b_}).error(), Error::InvalidArgument);
  EXPECT_EQ(module.set_input(a_, 2), Error::InvalidArgument);
  EXPECT_EQ(module.set_inputs({a_}), Error::InvalidArgument);
  EXPECT_EQ(module.forward({make_tensor_ptr({2, 3}, {1, 2, 3, 4, 5, 6}), b_}).error(),
            Error::InvalidArgument);
  EXPECT_FALSE(module.forward({zeros({3, 3}), b_}).ok());
  EXPECT_FALSE(module.forward({zeros({6}), b_}).ok());
  EXPECT_FALSE(module.forward({zeros_strided({2, 3}, {1, 2}), b_}).ok());
  EXPECT_FALSE(module.forward({static_cast<int64_t>(3), b_}).ok());
  EXPECT_EQ(values_of(module.forward({a_, b_})->at(0)), kSum);
}

TEST_F(ModuleTest, OutputsGoWhereTheCallerWants) {
  TinyProgram program;
  program.plan_outputs = false;
  const TempFile file(program.build());
  Module module(file.path());
  const auto output = zeros({2, 3});
  ASSERT_EQ(module.set_output(output), Error::Ok);
  ASSERT_TRUE(module.forward({a_, b_}).ok());
  EXPECT_EQ(values_of(EValue(output)), kSum);
  const auto other = zeros({2, 3});
  ASSERT_EQ(module.set_outputs({other}), Error::Ok);
  ASSERT_TRUE(module.forward({a_, b_}).ok());
  EXPECT_EQ(values_of(EValue(other)), kSum);
  EXPECT_EQ(values_of(*module.get_output()), kSum);

  EXPECT_EQ(module.set_output(static_cast<int64_t>(1)), Error::InvalidArgument);
  EXPECT_EQ(module.set_output(zeros({2, 2})), Error::InvalidArgument);
  EXPECT_EQ(module.set_output(zeros({2, 3}, ScalarType::Double)), Error::InvalidArgument);
  EXPECT_EQ(module.set_output(output, 1), Error::InvalidArgument);
  EXPECT_EQ(module.set_outputs({output, output}), Error::InvalidArgument);
}

TEST_F(ModuleTest, PlannedOutputsStayWhereTheyAre) {
  Module module(add_.path());
  EXPECT_EQ(module.set_output(zeros({2, 3})), Error::InvalidState);
}

TEST_F(ModuleTest, OutputsCanBeReadAgain) {
  Module module(add_.path());
  ASSERT_TRUE(module.forward({a_, b_}).ok());
  EXPECT_EQ(values_of(module.get_outputs()->at(0)), kSum);
  EXPECT_EQ(values_of(*module.get_output("forward", 0)), kSum);
  EXPECT_EQ(module.get_output(1).error(), Error::InvalidArgument);
}

TEST_F(ModuleTest, UnplannedInputsAreReadInPlace) {
  TinyProgram program;
  program.plan_inputs = false;
  const TempFile file(program.build());
  Module module(file.path());
  EXPECT_EQ(values_of(module.forward({a_, b_})->at(0)), kSum);
}

TEST_F(ModuleTest, DynamicShapesFollowTheInputs) {
  TinyProgram program;
  program.dynamic = true;
  const TempFile file(program.build());
  Module module(file.path());
  for (const int rows : {1, 2}) {
    const auto outputs = module.forward({ones({rows, 3}), ones({rows, 3})});
    ASSERT_TRUE(outputs.ok());
    EXPECT_EQ(outputs->at(0).toTensor().size(0), rows);
    EXPECT_EQ(values_of(outputs->at(0)), std::vector<float>(3 * rows, 2.f));
  }
  EXPECT_FALSE(module.forward({ones({3, 3}), ones({3, 3})}).ok());
}

TEST_F(ModuleTest, OperatorsWithoutKernelAreAnError) {
  TinyProgram program;
  program.operator_name = "tiny::missing";
  const TempFile file(program.build());
  Module module(file.path());
  EXPECT_EQ(module.load_forward(), Error::OperatorMissing);
  EXPECT_FALSE(module.is_method_loaded("forward"));
  EXPECT_EQ(module.forward({a_, b_}).error(), Error::OperatorMissing);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
