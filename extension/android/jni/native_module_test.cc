#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/extension/android/jni/fake_jvm.h>
#include <executorch/extension/android/jni/native_module.h>
#include <executorch/extension/android/jni/text.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace extension {
namespace jni {
namespace {

using extension::testing::TempFile;
using extension::testing::TinyProgram;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::FakeJvm;
using ::testing::HasSubstr;

constexpr jint kTensor = 5;
constexpr jlong kFloat32 = 6;

class NativeModuleTest : public ::testing::Test {
 protected:
  jlong load(const std::string& path, std::vector<jobject> data_paths = {}) {
    return Java_org_pytorch_executorch_NativeModule_load(
        env(), nullptr, jvm_.string(to_utf16(path)), jvm_.array(std::move(data_paths)), 1);
  }
  void destroy(jlong module) {
    Java_org_pytorch_executorch_NativeModule_destroy(env(), nullptr, module);
  }
  /// The outputs, with `numbers` of the inputs and an object for each of them.
  FakeJvm::Object* execute(jlong module, jobject numbers, std::vector<jobject> objects) {
    objects.insert(objects.begin(), numbers);
    return FakeJvm::of(Java_org_pytorch_executorch_NativeModule_execute(
        env(), nullptr, module, jvm_.string(u"forward"), jvm_.array(std::move(objects))));
  }
  /// Expects an exception, and gives its message.
  std::string message(jint code) {
    const FakeJvm::Object* exception = jvm_.take_exception();
    if (exception == nullptr) {
      return "nothing was thrown";
    }
    const bool argument = code == 0x12;  // InvalidArgument
    EXPECT_EQ(exception->type, argument
                                   ? "org/pytorch/executorch/ExecutorchInvalidArgumentException"
                                   : "org/pytorch/executorch/ExecutorchRuntimeException");
    EXPECT_EQ(exception->code, code);
    return to_utf8(exception->text);
  }
  JNIEnv* env() { return jvm_.env(); }

  FakeJvm jvm_;
  float a_[6] = {1, 2, 3, 4, 5, 6};
  float b_[6] = {10, 20, 30, 40, 50, 60};
};

TEST_F(NativeModuleTest, AddsTwoTensors) {
  const TempFile file(TinyProgram().build());
  const jlong module = load(file.path());
  ASSERT_NE(module, 0) << message(0);
  const FakeJvm::Object* result =
      execute(module, jvm_.longs({kTensor, kFloat32, 2, 2, 3, kTensor, kFloat32, 2, 2, 3}),
              {jvm_.buffer(a_, sizeof(a_)), jvm_.buffer(b_, sizeof(b_))});
  ASSERT_NE(result, nullptr) << message(0);
  ASSERT_EQ(result->items.size(), 2u);
  EXPECT_THAT(result->items[0]->longs, ElementsAre(kTensor, kFloat32, 2, 2, 3));
  ASSERT_EQ(result->items[1]->capacity, 24);
  EXPECT_EQ(static_cast<float*>(result->items[1]->address)[5], 66);
  destroy(module);
}

TEST_F(NativeModuleTest, NamesAndMethods) {
  TinyProgram program;
  program.methods = {"forward", "encode"};
  const TempFile file(program.build());
  const jlong module = load(file.path());
  ASSERT_NE(module, 0);
  const auto* names =
      FakeJvm::of(Java_org_pytorch_executorch_NativeModule_methodNames(env(), nullptr, module));
  ASSERT_EQ(names->items.size(), 2u);
  EXPECT_EQ(names->items[1]->text, u"encode");
  Java_org_pytorch_executorch_NativeModule_loadMethod(env(), nullptr, module,
                                                      jvm_.string(u"encode"));
  EXPECT_EQ(jvm_.take_exception(), nullptr);
  Java_org_pytorch_executorch_NativeModule_loadMethod(env(), nullptr, module,
                                                      jvm_.string(u"absent"));
  EXPECT_THAT(message(0x12), HasSubstr("absent"));
  EXPECT_NE(Java_org_pytorch_executorch_NativeModule_backendNames(env(), nullptr), nullptr);
  destroy(module);
}

TEST_F(NativeModuleTest, FailuresBecomeExceptions) {
  EXPECT_EQ(load("/no/such/model.pte"), 0);
  EXPECT_THAT(message(0x22), HasSubstr("/no/such/model.pte"));
  EXPECT_EQ(Java_org_pytorch_executorch_NativeModule_load(env(), nullptr, nullptr, nullptr, 0), 0);
  EXPECT_THAT(message(0x12), HasSubstr("null"));
  const TempFile file(TinyProgram().build());
  EXPECT_EQ(load(file.path(), {nullptr}), 0);
  EXPECT_THAT(message(0x12), HasSubstr("data file is null"));
  EXPECT_EQ(Java_org_pytorch_executorch_NativeModule_methodNames(env(), nullptr, 0), nullptr);
  EXPECT_THAT(message(0x12), HasSubstr("null"));
}

TEST_F(NativeModuleTest, WrongInputsBecomeExceptions) {
  const TempFile file(TinyProgram().build());
  const jlong module = load(file.path());
  const jobject good = jvm_.buffer(b_, sizeof(b_));
  const auto refused = [&](const char* reason, std::vector<jlong> numbers,
                           std::vector<jobject> objects) {
    EXPECT_EQ(execute(module, jvm_.longs(std::move(numbers)), std::move(objects)), nullptr);
    EXPECT_THAT(message(0x12), HasSubstr(reason));
  };
  // Of the first input; the second is what it should be.
  const auto first_refused = [&](const char* reason, std::vector<jlong> numbers, jobject object) {
    numbers.insert(numbers.end(), {kTensor, kFloat32, 2, 2, 3});
    refused(reason, std::move(numbers), {object, good});
  };
  first_refused("direct buffer", {kTensor, kFloat32, 2, 2, 3}, nullptr);
  first_refused("direct buffer", {kTensor, kFloat32, 2, 2, 3}, jvm_.buffer(nullptr, -1));
  first_refused("needs 24 bytes", {kTensor, kFloat32, 2, 2, 3}, jvm_.buffer(a_, 20));
  first_refused("size -2", {kTensor, kFloat32, 2, -2, 3}, good);
  first_refused("size 4294967298", {kTensor, kFloat32, 2, 4294967298, 3}, good);
  first_refused("dtype -1", {kTensor, int64_t{1} << 33, 2, 2, 3}, good);
  first_refused("string input is null", {4, 0}, nullptr);
  first_refused("kind 77", {77, 0}, nullptr);
  first_refused("kind -1", {int64_t{1} << 32, 0}, nullptr);
  first_refused("Input 0 is a Int", {1, 3}, nullptr);
  first_refused("belong together", {kTensor, kFloat32, -1}, good);
  first_refused("belong together", {kTensor, kFloat32, 100}, good);
  refused("has 2 inputs", {}, {});
  refused("belong together", {}, {good});
  refused("belong together", {1}, {good});
  refused("belong together", {kTensor, kFloat32}, {good});
  refused("belong together", {1, 0}, {});
  EXPECT_EQ(execute(module, nullptr, {good}), nullptr);
  EXPECT_THAT(message(0x12), HasSubstr("belong together"));
  EXPECT_EQ(Java_org_pytorch_executorch_NativeModule_execute(env(), nullptr, module,
                                                             jvm_.string(u"forward"), nullptr),
            nullptr);
  EXPECT_THAT(message(0x12), HasSubstr("null or empty"));
  destroy(module);
}

// Java's tensors are contiguous, so the program is the one that is not.
TEST_F(NativeModuleTest, InputsOfAnotherKindAreNamed) {
  constexpr jlong kInt32 = 3;
  const auto said = [&](std::vector<uint8_t> dim_order, jlong dtype, std::vector<jlong> sizes) {
    TinyProgram program;
    program.dim_order = std::move(dim_order);
    const TempFile file(program.build());
    const jlong module = load(file.path());
    std::vector<jlong> numbers = {kTensor, dtype, static_cast<jlong>(sizes.size())};
    numbers.insert(numbers.end(), sizes.begin(), sizes.end());
    numbers.insert(numbers.end(), {kTensor, kFloat32, 2, 2, 3});
    EXPECT_EQ(execute(module, jvm_.longs(std::move(numbers)),
                      {jvm_.buffer(a_, sizeof(a_)), jvm_.buffer(b_, sizeof(b_))}),
              nullptr);
    destroy(module);
    return message(0x12);
  };
  EXPECT_THAT(said({0, 1}, kInt32, {2, 3}), HasSubstr("Input 0 has dtype Int, expected Float"));
  EXPECT_THAT(said({0, 1}, kFloat32, {6}),
              HasSubstr("Input 0 has shape (6) of 1 dimensions, expected 2 like (2, 3)"));
  EXPECT_THAT(said({1, 0}, kFloat32, {2, 3}),
              HasSubstr("Input 0 has dim order (0, 1), expected (1, 0)"));
}

TEST_F(NativeModuleTest, NumbersAndTextPass) {
  runtime::testing::ProgramBuilder b;
  const std::vector<int32_t> values = {b.add_int(-7), b.add_double(0.5), b.add_bool(true),
                                       b.add_string("\xF0\x9F\x98\x80"), b.add_none()};
  b.set_inputs(values);
  b.set_outputs(values);
  const runtime::testing::PteFile program = b.build();
  const TempFile file(program.data(), program.size());
  const jlong module = load(file.path());
  double half = 0.5;
  jlong half_bits = 0;
  std::memcpy(&half_bits, &half, sizeof(half));
  const std::vector<jlong> numbers = {1, -7, 2, half_bits, 3, 1, 4, 0, 0, 0};
  const FakeJvm::Object* result =
      execute(module, jvm_.longs(numbers),
              {nullptr, nullptr, nullptr, jvm_.string(u"\xD83D\xDE00"), nullptr});
  ASSERT_NE(result, nullptr) << message(0);
  EXPECT_THAT(result->items[0]->longs, ElementsAreArray(numbers));
  EXPECT_EQ(result->items[4]->text, u"\xD83D\xDE00");
  destroy(module);
}

TEST(TextTest, Utf8AndUtf16) {
  const std::string good = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
  EXPECT_EQ(to_utf16(good), u"aé€\xD83D\xDE00z");
  EXPECT_EQ(to_utf8(to_utf16(good)), good);
  EXPECT_EQ(to_utf8(std::u16string(1, u'\xD83D')), "\xEF\xBF\xBD");
  EXPECT_EQ(to_utf8(std::u16string(1, u'\xDE00')), "\xEF\xBF\xBD");
  // Stray and missing continuation bytes, overlong forms, surrogates, too large, cut off.
  for (const char* bad : {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80",
                          "\xF4\x90\x80\x80", "\xFF", "\xF0\x9F\x98", "\xE2\x82"}) {
    const std::u16string wide = to_utf16(bad);
    EXPECT_EQ(wide, std::u16string(std::strlen(bad), u'\xFFFD')) << bad;
  }
}

TEST(TextTest, WhatIsWholeOfTextInPieces) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
  const size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
  for (size_t size = 0; size <= text.size(); ++size) {
    EXPECT_EQ(whole_characters(text.substr(0, size)), whole[size]) << size;
  }
  // What never becomes a character does not wait for more.
  EXPECT_EQ(whole_characters("\x80\x80\x80\x80"), 4u);
  EXPECT_EQ(whole_characters("\xE2\x82\xAC\x82"), 4u);
}

}  // namespace
}  // namespace jni
}  // namespace extension
}  // namespace executorch
