#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/module/bundled_module.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/schema/bundled_program_generated.h>

namespace executorch {
namespace extension {
namespace {

namespace schema = bundled_program_flatbuffer;

using runtime::Error;
using testing::TempFile;
using testing::TinyProgram;
using testing::unused_path;

/// A bundle of a program that adds two float tensors [2, 3]; each case has inputs of `a` and `b`
/// and expects `sum` everywhere.
class Bundle {
 public:
  void add_case(float a, float b, float sum) {
    const flatbuffers::Offset<schema::Value> inputs[] = {tensor(a), tensor(b)};
    const flatbuffers::Offset<schema::Value> outputs[] = {tensor(sum)};
    const auto input_vector = fbb_.CreateVector(inputs, 2);
    cases_.push_back(
        schema::CreateBundledMethodTestCase(fbb_, input_vector, fbb_.CreateVector(outputs, 1)));
  }

  std::vector<uint8_t> build() {
    const auto name = fbb_.CreateString("forward");
    const auto suite = schema::CreateBundledMethodTestSuite(fbb_, name, fbb_.CreateVector(cases_));
    const auto suites = fbb_.CreateVector(&suite, 1);
    const std::vector<uint8_t> program = TinyProgram().build();
    fbb_.ForceVectorAlignment(program.size(), 1, 32);
    const auto bytes = fbb_.CreateVector(program);
    schema::FinishBundledProgramBuffer(fbb_, schema::CreateBundledProgram(fbb_, 2, suites, bytes));
    return {fbb_.GetBufferPointer(), fbb_.GetBufferPointer() + fbb_.GetSize()};
  }

 private:
  flatbuffers::Offset<schema::Value> tensor(float value) {
    const std::vector<float> data(6, value);
    fbb_.ForceVectorAlignment(data.size() * sizeof(float), 1, 16);
    const auto bytes = fbb_.CreateVector(reinterpret_cast<const uint8_t*>(data.data()),
                                         data.size() * sizeof(float));
    const auto sizes = fbb_.CreateVector(std::vector<int32_t>{2, 3});
    const auto order = fbb_.CreateVector(std::vector<uint8_t>{0, 1});
    const auto made =
        schema::CreateTensor(fbb_, executorch_flatbuffer::ScalarType::FLOAT, sizes, bytes, order);
    return schema::CreateValue(fbb_, schema::ValueUnion::Tensor, made.Union());
  }

  flatbuffers::FlatBufferBuilder fbb_;
  std::vector<flatbuffers::Offset<schema::BundledMethodTestCase>> cases_;
};

std::vector<uint8_t> two_cases() {
  Bundle bundle;
  bundle.add_case(1, 2, 3);
  bundle.add_case(1, 2, 4);
  return bundle.build();
}

/// At an address that is aligned as a bundle has to be.
class AlignedBytes {
 public:
  explicit AlignedBytes(const std::vector<uint8_t>& bytes) : chunks_(bytes.size() / 32 + 1) {
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(chunks_.data()));
  }
  const void* data() const { return chunks_.data(); }

 private:
  struct alignas(32) Chunk {
    uint8_t bytes[32];
  };
  std::vector<Chunk> chunks_;
};

TEST(BundledModuleTest, TestCasesOfAFileRunAndAreVerified) {
  const TempFile file(two_cases());
  auto module = BundledModule::from_file(file.path());
  ASSERT_TRUE(module.ok());
  const auto outputs = (*module)->execute("forward", /*testset_idx=*/size_t{0});
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ(outputs->at(0).toTensor().const_data_ptr<float>()[5], 3);
  EXPECT_EQ((*module)->verify_method_outputs("forward", 0), Error::Ok);
  ASSERT_TRUE((*module)->execute("forward", size_t{1}).ok());
  EXPECT_EQ((*module)->verify_method_outputs("forward", 1), Error::NotFound);
  EXPECT_EQ((*module)->verify_method_outputs("forward", 1, /*rtol=*/0.3), Error::Ok);
  EXPECT_EQ((*module)->execute("forward", size_t{2}).error(), Error::InvalidArgument);
  EXPECT_FALSE((*module)->execute("backward", size_t{0}).ok());
}

TEST(BundledModuleTest, BytesOfTheCallersAreUsedWhereTheyLie) {
  const std::vector<uint8_t> bytes = two_cases();
  const AlignedBytes aligned(bytes);
  ET_BUNDLED_MODULE_NAMESPACE::BundledModule module(aligned.data());
  EXPECT_TRUE(module.execute("forward", size_t{0}).ok());
  EXPECT_EQ(module.verify_method_outputs("forward", 0), Error::Ok);
  EXPECT_TRUE(BundledModule::from_buffer(aligned.data(), bytes.size()).ok());
}

TEST(BundledModuleTest, TheProgramMayOutliveTheModule) {
  const TempFile file(two_cases());
  std::shared_ptr<runtime::Program> program;
  {
    auto module = BundledModule::from_file(file.path());
    ASSERT_TRUE(module.ok());
    ASSERT_EQ((*module)->load(), Error::Ok);
    program = (*module)->program();
  }
  Module other(program);
  EXPECT_EQ(other.load_forward(), Error::Ok);
}

TEST(BundledModuleTest, WhatIsNoSoundBundleIsRefused) {
  EXPECT_EQ(BundledModule::from_file(unused_path()).error(), Error::AccessFailed);
  const TempFile program(TinyProgram().build());
  EXPECT_EQ(BundledModule::from_file(program.path()).error(), Error::NotSupported);
  const std::vector<uint8_t> bytes = two_cases();
  for (size_t size = 0; size < bytes.size(); size += 97) {
    const TempFile cut(std::vector<uint8_t>(bytes.begin(), bytes.begin() + size));
    EXPECT_FALSE(BundledModule::from_file(cut.path()).ok()) << size;
  }
  alignas(32) const char text[64] = "no bundle at all";
  BundledModule module(text);
  EXPECT_NE(module.load(), Error::Ok);
  BundledModule nothing(nullptr);
  EXPECT_NE(nothing.load(), Error::Ok);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
