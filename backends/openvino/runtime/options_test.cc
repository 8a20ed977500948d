#include <array>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include <executorch/backends/openvino/runtime/options.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace openvino {
namespace {

using runtime::BackendInitContext;
using runtime::BackendOption;
using runtime::BackendOptions;
using runtime::CompileSpec;
using runtime::Error;

class OptionsTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  Options options_;
};

std::string text_of(const BackendOption& option) {
  return std::get<std::array<char, runtime::kMaxOptionValueLength>>(option.value).data();
}

TEST_F(OptionsTest, LoadGoesBeforeBackendBeforeFileBeforeDefaults) {
  char device[] = {'G', 'P', 'U', '\0'};
  char hint[] = {'f', '1', '6'};
  const CompileSpec specs[] = {{"device", {device, sizeof(device)}},
                               {"compress_weights", {hint, sizeof(hint)}},
                               {"INFERENCE_PRECISION_HINT", {hint, sizeof(hint)}}};
  BackendOptions<3> of_backend;
  (void)of_backend.set_option("INFERENCE_NUM_THREADS", 1);
  (void)of_backend.set_option("ENABLE_CPU_PINNING", false);
  for (const BackendOption& option : of_backend.view()) {
    ASSERT_EQ(options_.set_option(option), Error::Ok);
  }
  BackendOptions<2> of_load;
  (void)of_load.set_option("INFERENCE_NUM_THREADS", 2);
  (void)of_load.set_option("not_a_property", 2);
  const BackendInitContext context(nullptr, nullptr, nullptr, nullptr, of_load.view());
  const auto settings = options_.settings(context, {specs, 3});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->device, "GPU");
  EXPECT_EQ(settings->properties, (Properties{{"ENABLE_CPU_PINNING", "NO"},
                                              {"INFERENCE_NUM_THREADS", "2"},
                                              {"INFERENCE_PRECISION_HINT", "f16"},
                                              {"PERFORMANCE_HINT", "LATENCY"}}));
}

TEST_F(OptionsTest, DefaultsAreThoseOfLowering) {
  const BackendInitContext context(nullptr);
  const auto settings = options_.settings(context, {});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->device, "CPU");
  EXPECT_EQ(settings->properties.at("INFERENCE_PRECISION_HINT"), "f32");
}

TEST_F(OptionsTest, WhatWasSetIsReadBackAndTakenBack) {
  BackendOption option = {};
  std::strcpy(option.key, "NUM_STREAMS");
  option.value = 3;
  ASSERT_EQ(options_.set_option(option), Error::Ok);
  option.value = false;
  options_.get_option(option);
  EXPECT_EQ(text_of(option), "3");
  option.value = std::array<char, runtime::kMaxOptionValueLength>{};
  ASSERT_EQ(options_.set_option(option), Error::Ok);
  option.value = true;
  options_.get_option(option);
  EXPECT_TRUE(std::holds_alternative<bool>(option.value));
}

TEST_F(OptionsTest, TheLibrarysPathIsText) {
  BackendOption option = {};
  std::strcpy(option.key, library_path_option_key);
  option.value = 3;
  EXPECT_EQ(options_.set_option(option), Error::InvalidArgument);
}

TEST_F(OptionsTest, SpecsWithoutValueAreRefused) {
  const CompileSpec specs[] = {{"device", {nullptr, 4}}};
  const BackendInitContext context(nullptr);
  EXPECT_EQ(options_.settings(context, {specs, 1}).error(), Error::InvalidProgram);
}

}  // namespace
}  // namespace openvino
}  // namespace backends
}  // namespace executorch
