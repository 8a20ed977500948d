#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/extension/c_api/c_usage.h>
#include <executorch/extension/c_api/executorch_c.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace extension {
namespace {

using runtime::Error;
using runtime::testing::ProgramBuilder;
using runtime::testing::PteFile;
using ::testing::HasSubstr;
using ::testing::StrEq;
using testing::TempFile;
using testing::TinyProgram;

executorch_error code(Error error) { return static_cast<executorch_error>(error); }

struct Destroy {
  void operator()(executorch_module* module) const { executorch_module_destroy(module); }
};
using ModulePtr = std::unique_ptr<executorch_module, Destroy>;

ModulePtr load(const PteFile& file) {
  executorch_module* module = nullptr;
  EXPECT_EQ(executorch_module_load_from_memory(file.data(), file.size(), nullptr, &module), 0u)
      << executorch_last_message();
  return ModulePtr(module);
}

PteFile tiny(const TinyProgram& program = {}) {
  const std::vector<uint8_t> bytes = program.build();
  return PteFile(bytes.data(), bytes.size());
}

/// A float tensor of which every field can be spoiled.
struct Input {
  Input() {
    value.kind = EXECUTORCH_KIND_TENSOR;
    value.as.tensor = {data, sizes, nullptr, 2, sizeof(data), EXECUTORCH_DTYPE_FLOAT32};
  }
  float data[6] = {1, 2, 3, 4, 5, 6};
  int32_t sizes[2] = {2, 3};
  executorch_value value{};
};

executorch_error run(executorch_module* module, const executorch_value& first) {
  const Input second;
  const executorch_value inputs[] = {first, second.value};
  executorch_value output;
  return executorch_module_execute(module, "forward", inputs, 2, &output, 1);
}

TEST(CApiTest, RunsFromC) {
  const PteFile file = tiny();
  EXPECT_EQ(c_usage_add(file.data(), file.size()), nullptr);
  const TempFile on_disk(TinyProgram().build());
  EXPECT_EQ(c_usage_add_from_file(on_disk.path().c_str()), nullptr);
}

TEST(CApiTest, TheReadmeSaysWhyThereIsNoModel) {
  EXPECT_EQ(c_usage_readme(), 1) << "there is no model.pte in the test's directory";
  EXPECT_THAT(executorch_last_message(), HasSubstr("model.pte"));
}

TEST(CApiTest, ErrorsHaveNamesAndReasons) {
  EXPECT_STREQ(executorch_error_name(0), "Ok");
  EXPECT_STREQ(executorch_error_name(code(Error::InvalidProgram)), "InvalidProgram");
  executorch_module* module = nullptr;
  EXPECT_EQ(executorch_module_load("/no/such/model.pte", nullptr, &module),
            code(Error::AccessFailed));
  EXPECT_EQ(module, nullptr);
  EXPECT_THAT(executorch_last_message(), HasSubstr("/no/such/model.pte"));
  alignas(16) const uint8_t garbage[256] = {};
  EXPECT_EQ(executorch_module_load_from_memory(garbage, sizeof(garbage), nullptr, &module),
            code(Error::InvalidProgram));
  EXPECT_THAT(executorch_last_message(), HasSubstr("InvalidProgram"));
}

TEST(CApiTest, MethodsAreListedLoadedAndUnloaded) {
  TinyProgram program;
  program.methods = {"forward", "other"};
  const PteFile file = tiny(program);
  const ModulePtr module = load(file);
  size_t count = 0;
  ASSERT_EQ(executorch_module_num_methods(module.get(), &count), 0u);
  ASSERT_EQ(count, 2u);
  const char* name = nullptr;
  ASSERT_EQ(executorch_module_method_name(module.get(), 1, &name), 0u);
  EXPECT_STREQ(name, "other");
  EXPECT_EQ(executorch_module_method_name(module.get(), 2, &name), code(Error::InvalidArgument));
  EXPECT_EQ(executorch_module_unload_method(module.get(), "other"), code(Error::NotFound));
  EXPECT_EQ(executorch_module_load_method(module.get(), "other"), 0u);
  EXPECT_EQ(executorch_module_unload_method(module.get(), "other"), 0u);
  EXPECT_EQ(executorch_module_load_method(module.get(), "absent"), code(Error::InvalidArgument));
  EXPECT_THAT(executorch_last_message(), HasSubstr("absent"));
}

TEST(CApiTest, InputsAndOutputsAreDescribed) {
  const PteFile file = tiny();
  const ModulePtr module = load(file);
  size_t count = 0;
  ASSERT_EQ(executorch_module_num_inputs(module.get(), "forward", &count), 0u);
  EXPECT_EQ(count, 2u);
  ASSERT_EQ(executorch_module_num_outputs(module.get(), "forward", &count), 0u);
  EXPECT_EQ(count, 1u);
  executorch_value info;
  ASSERT_EQ(executorch_module_input_info(module.get(), "forward", 1, &info), 0u);
  EXPECT_EQ(info.kind, EXECUTORCH_KIND_TENSOR);
  EXPECT_EQ(info.as.tensor.data, nullptr);
  ASSERT_EQ(info.as.tensor.rank, 2u);
  EXPECT_EQ(info.as.tensor.sizes[1], 3);
  EXPECT_EQ(info.as.tensor.dim_order[1], 1);
  EXPECT_EQ(info.as.tensor.nbytes, 24u);
  ASSERT_EQ(executorch_module_output_info(module.get(), "forward", 0, &info), 0u);
  EXPECT_EQ(info.as.tensor.dtype, EXECUTORCH_DTYPE_FLOAT32);
  EXPECT_EQ(executorch_module_input_info(module.get(), "forward", 2, &info),
            code(Error::InvalidArgument));
  EXPECT_EQ(executorch_module_output_info(module.get(), "forward", 1, &info),
            code(Error::InvalidArgument));
}

TEST(CApiTest, MalformedInputsAreRefused) {
  const PteFile file = tiny();
  const ModulePtr module = load(file);
  const auto refused = [&](const char* reason, const auto& spoil) {
    Input input;
    spoil(input);
    EXPECT_EQ(run(module.get(), input.value), code(Error::InvalidArgument)) << reason;
    EXPECT_THAT(executorch_last_message(), HasSubstr(reason));
  };
  static const uint8_t repeated[] = {0, 0};
  static const uint8_t columns_first[] = {1, 0};
  refused("rank 17", [](Input& i) { i.value.as.tensor.rank = 17; });
  refused("no sizes", [](Input& i) { i.value.as.tensor.sizes = nullptr; });
  refused("dtype 30", [](Input& i) { i.value.as.tensor.dtype = 30; });
  refused("dtype -1", [](Input& i) { i.value.as.tensor.dtype = -1; });
  refused("negative or too large", [](Input& i) { i.sizes[0] = -2; });
  refused("24 bytes of data, found 20", [](Input& i) { i.value.as.tensor.nbytes = 20; });
  refused("24 bytes of data", [](Input& i) { i.value.as.tensor.data = nullptr; });
  refused("not aligned to its 4-byte elements",
          [](Input& i) { i.value.as.tensor.data = reinterpret_cast<char*>(i.data) + 1; });
  refused("no permutation", [](Input& i) { i.value.as.tensor.dim_order = repeated; });
  refused("kind 6", [](Input& i) { i.value.kind = EXECUTORCH_KIND_OTHER; });
  refused("Input 0 has dtype Int",
          [](Input& i) { i.value.as.tensor.dtype = EXECUTORCH_DTYPE_INT32; });
  refused("Input 0 has shape (6) of 1 dimensions, expected 2", [](Input& i) {
    i.value.as.tensor.rank = 1;
    i.sizes[0] = 6;
  });
  refused("Input 0 has dim order (1, 0), expected (0, 1)",
          [](Input& i) { i.value.as.tensor.dim_order = columns_first; });
  refused("null pointer", [](Input& i) {
    i.value.kind = EXECUTORCH_KIND_STRING;
    i.value.as.string_value = {nullptr, 3};
  });
  Input narrow;
  narrow.sizes[1] = 2;
  EXPECT_EQ(run(module.get(), narrow.value), code(Error::NotSupported));
  EXPECT_THAT(executorch_last_message(), HasSubstr("Input 0 cannot take the shape (2, 2)"));
  EXPECT_EQ(run(module.get(), Input().value), 0u) << "works after all that";
}

TEST(CApiTest, NullPointersAndWrongCountsAreRefused) {
  const PteFile file = tiny();
  const ModulePtr module = load(file);
  const executorch_error invalid = code(Error::InvalidArgument);
  executorch_value value;
  size_t count = 0;
  EXPECT_EQ(executorch_module_load(nullptr, nullptr, nullptr), invalid);
  EXPECT_EQ(executorch_module_load_from_memory(nullptr, 0, nullptr, nullptr), invalid);
  EXPECT_EQ(executorch_module_num_methods(nullptr, &count), invalid);
  EXPECT_EQ(executorch_module_num_inputs(module.get(), nullptr, &count), invalid);
  EXPECT_EQ(executorch_module_num_outputs(module.get(), "forward", nullptr), invalid);
  EXPECT_EQ(executorch_module_execute(module.get(), "forward", nullptr, 2, &value, 1), invalid);
  EXPECT_EQ(executorch_module_execute(module.get(), "forward", &value, 1, nullptr, 0), invalid);
  EXPECT_THAT(executorch_last_message(), HasSubstr("has 2 inputs"));
  executorch_module* made = nullptr;
  executorch_module_options options{};
  EXPECT_EQ(executorch_module_load("x", &options, &made), invalid);
  EXPECT_THAT(executorch_last_message(), HasSubstr("struct_size"));
  options.struct_size = sizeof(options);
  options.load_mode = 9;
  EXPECT_EQ(executorch_module_load("x", &options, &made), invalid);
  options.load_mode = EXECUTORCH_LOAD_FILE;
  options.num_data_paths = 1;
  EXPECT_EQ(executorch_module_load("x", &options, &made), invalid);
  executorch_module_destroy(nullptr);
}

TEST(CApiTest, OptionsOfOlderAndNewerCallers) {
  const PteFile file = tiny();
  const auto load_with = [&](const void* options) {
    executorch_module* module = nullptr;
    const executorch_error error = executorch_module_load_from_memory(
        file.data(), file.size(), static_cast<const executorch_module_options*>(options), &module);
    executorch_module_destroy(module);
    return error;
  };
  // An older one ends before what it did not know; what lies behind is not looked at.
  executorch_module_options older;
  std::memset(&older, 0xff, sizeof(older));
  older.struct_size = offsetof(executorch_module_options, load_mode);
  older.data_paths = nullptr;
  older.num_data_paths = 0;
  EXPECT_EQ(load_with(&older), 0u) << executorch_last_message();
  struct {
    executorch_module_options known;
    size_t unknown[2];
  } newer{};
  newer.known.struct_size = sizeof(newer);
  EXPECT_EQ(load_with(&newer), 0u) << executorch_last_message();
  newer.unknown[1] = 1;
  EXPECT_EQ(load_with(&newer), code(Error::InvalidArgument));
  EXPECT_THAT(executorch_last_message(), HasSubstr("newer library"));
}

TEST(CApiTest, WeightsComeFromFiles) {
  TinyProgram program;
  program.second = TinyProgram::Second::kExternal;
  const TempFile weights(program.build_data());
  const TempFile on_disk(program.build());
  const PteFile file = tiny(program);
  const char* const paths[] = {weights.path().c_str()};
  executorch_module_options options{};
  options.struct_size = sizeof(options);
  options.data_paths = paths;
  options.num_data_paths = 1;
  executorch_module* modules[2] = {};
  ASSERT_EQ(executorch_module_load(on_disk.path().c_str(), &options, &modules[0]), 0u);
  ASSERT_EQ(executorch_module_load_from_memory(file.data(), file.size(), &options, &modules[1]),
            0u);
  for (executorch_module* module : modules) {
    const ModulePtr owner(module);
    const Input input;
    executorch_value output;
    ASSERT_EQ(executorch_module_execute(module, "forward", &input.value, 1, &output, 1), 0u)
        << executorch_last_message();
    EXPECT_EQ(static_cast<float*>(output.as.tensor.data)[5], 66);
  }
}

TEST(CApiTest, UnplannedOutputsGoWhereTheyAreTold) {
  TinyProgram program;
  program.plan_outputs = false;
  const PteFile file = tiny(program);
  const ModulePtr module = load(file);
  float sum[6] = {};
  EXPECT_NE(executorch_module_set_output_data(module.get(), "forward", 0, sum, 4), 0u);
  ASSERT_EQ(executorch_module_set_output_data(module.get(), "forward", 0, sum, sizeof(sum)), 0u);
  ASSERT_EQ(run(module.get(), Input().value), 0u) << executorch_last_message();
  EXPECT_EQ(sum[5], 12);
  executorch_value output;
  ASSERT_EQ(executorch_module_get_output(module.get(), "forward", 0, &output), 0u);
  EXPECT_EQ(output.as.tensor.data, sum);
  EXPECT_EQ(executorch_module_get_output(module.get(), "forward", 1, &output),
            code(Error::InvalidArgument));
}

TEST(CApiTest, EveryKindOfValueComesOut) {
  ProgramBuilder b;
  const int number = b.add_int(7);
  b.set_inputs({number, b.add_none()});
  b.set_outputs({number, b.add_double(0.5), b.add_bool(true), b.add_string("text"), b.add_none(),
                 b.add_int_list({number})});
  const PteFile file = b.build();
  const ModulePtr module = load(file);
  executorch_value inputs[2] = {};
  inputs[0].kind = EXECUTORCH_KIND_INT;
  inputs[0].as.int_value = 7;
  executorch_value outputs[6];
  ASSERT_EQ(executorch_module_execute(module.get(), "forward", inputs, 2, outputs, 6), 0u)
      << executorch_last_message();
  const int32_t kinds[] = {EXECUTORCH_KIND_INT,    EXECUTORCH_KIND_DOUBLE, EXECUTORCH_KIND_BOOL,
                           EXECUTORCH_KIND_STRING, EXECUTORCH_KIND_NONE,   EXECUTORCH_KIND_OTHER};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(outputs[i].kind, kinds[i]) << i;
    executorch_value info;
    ASSERT_EQ(executorch_module_output_info(module.get(), "forward", i, &info), 0u);
    EXPECT_EQ(info.kind, kinds[i]) << i;
  }
  EXPECT_EQ(outputs[0].as.int_value, 7);
  EXPECT_EQ(outputs[1].as.double_value, 0.5);
  EXPECT_TRUE(outputs[2].as.bool_value);
  const executorch_string text = outputs[3].as.string_value;
  EXPECT_EQ(std::string(text.data, text.size), "text");
}

TEST(CApiTest, BackendsOfAMethodAreNamedBeforeItIsLoaded) {
  ProgramBuilder b;
  b.add_delegate("NoSuchBackend", {});
  const PteFile file = b.build();
  const ModulePtr module = load(file);
  size_t count = 0;
  ASSERT_EQ(executorch_module_method_num_backends(module.get(), "forward", &count), 0u);
  ASSERT_EQ(count, 1u);
  const char* name = nullptr;
  ASSERT_EQ(executorch_module_method_backend_name(module.get(), "forward", 0, &name), 0u);
  EXPECT_STREQ(name, "NoSuchBackend");
  EXPECT_EQ(executorch_module_method_backend_name(module.get(), "forward", 1, &name),
            code(Error::InvalidArgument));
  EXPECT_NE(executorch_module_method_num_backends(module.get(), "other", &count), 0u);
  EXPECT_NE(executorch_module_method_num_backends(module.get(), "forward", nullptr), 0u);
}

TEST(CApiTest, TheRegistriesAreListed) {
  const PteFile file = tiny();
  bool found = false;
  for (size_t i = 0; i < executorch_num_operators(); ++i) {
    found = found || std::strcmp(executorch_operator_name(i), "tiny::add.out") == 0;
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(executorch_operator_name(executorch_num_operators()), nullptr);
  EXPECT_EQ(executorch_backend_name(executorch_num_backends()), nullptr);
  EXPECT_EQ(executorch_dtype_size(EXECUTORCH_DTYPE_COMPLEX64), 8u);
  EXPECT_EQ(executorch_dtype_size(EXECUTORCH_DTYPE_BFLOAT16), 2u);
  EXPECT_EQ(executorch_dtype_size(30), 0u);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
