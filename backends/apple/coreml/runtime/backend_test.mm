#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/apple/coreml/runtime/CoreMLBackend.h>
#include <executorch/backends/apple/coreml/runtime/blobs_for_tests.h>
#include <executorch/backends/apple/coreml/runtime/linux/mock.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/executor/testing/test_data_map.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace coreml {
namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorShapeDynamism;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::BackendInterface;
using runtime::BackendOption;
using runtime::BackendOptionContext;
using runtime::BackendOptions;
using runtime::CompileSpec;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;
using runtime::testing::TensorFactory;

constexpr char kMetadata[] =
    R"({"inputNames": ["y", "x"], "outputNames": ["sum"], "identifier": "abc"})";
constexpr char kModel[] = R"({
  "inputs": [{"name": "x", "shape": [2], "type": "float32"}, {"name": "y", "shape": [2, 1], "type": "float32"}],
  "outputs": [{"name": "sum", "shape": [2, 3], "type": "float32"}]})";

std::string ports(const std::string& inputs, const std::string& outputs, bool has_state = false) {
  return "{\"inputs\": [" + inputs + "], \"outputs\": [" + outputs + "], \"states\": [" +
         (has_state ? R"({"name": "cache", "shape": [1], "type": "float16"})" : "") + "]}";
}

std::string port(const std::string& name, const std::string& shape, const std::string& type,
                 const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "shape": )" + shape + R"(, "type": ")" + type + "\"" +
         more + "}";
}

constexpr char kOneIn[] = R"({"inputNames": ["x"], "outputNames": ["out"], "identifier": "abc"})";

class CoreMLBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime::runtime_init();
    mock() = Mock();
    const char* const room = std::getenv("TEST_TMPDIR");
    directory_ = std::string(room == nullptr ? "/tmp" : room) + "/coreml_XXXXXX";
    ASSERT_NE(::mkdtemp(directory_.data()), nullptr);
    backend_ = runtime::get_backend_class(coreml_backend_key);
    ASSERT_NE(backend_, nullptr);
    EXPECT_TRUE(backend_->is_available());
    set(compute_units_option_key, "all");
    ASSERT_EQ(set(cache_directory_option_key, directory_.c_str()), Error::Ok);
  }

  void TearDown() override {
    if (handle_ != nullptr) {
      backend_->destroy(handle_);
    }
  }

  Error set(const char* key, const char* text) {
    BackendOptions<1> options;
    if (std::string(key) == cache_directory_option_key) {
      EXPECT_EQ(options.set_option(cache_directory_option_key, text), Error::Ok);
    } else {
      EXPECT_EQ(options.set_option(compute_units_option_key, text), Error::Ok);
    }
    BackendOptionContext context;
    return backend_->set_option(context, options.view());
  }

  /// Loads a delegate; the bytes are only there while it is loaded.
  Error load(const std::string& bytes, const char* units = nullptr,
             Span<const BackendOption> given = {}) {
    if (handle_ != nullptr) {
      backend_->destroy(handle_);
      handle_ = nullptr;
    }
    std::string copy = bytes;
    FreeableBuffer processed(copy.data(), copy.size(), nullptr);
    BackendInitContext context(nullptr, nullptr, "forward", named_.get(), given);
    std::string text = units == nullptr ? "all" : units;
    const CompileSpec specs[] = {{"compute_units", {text.data(), text.size()}},
                                 {"model_type", {nullptr, 0}}};
    const Result<DelegateHandle*> made = backend_->init(context, &processed, {specs, 2});
    if (made.ok()) {
      handle_ = *made;
    }
    return made.ok() ? Error::Ok : made.error();
  }

  Error run(std::vector<EValue> values) {
    std::vector<EValue*> args;
    for (EValue& one : values) {
      args.push_back(&one);
    }
    BackendExecutionContext context;
    return backend_->execute(context, handle_, {args.data(), args.size()});
  }

  std::string directory_;
  BackendInterface* backend_ = nullptr;
  DelegateHandle* handle_ = nullptr;
  std::unique_ptr<runtime::NamedDataMap> named_;
  TensorFactory<ScalarType::Float> floats_;
};

TEST_F(CoreMLBackendTest, ArgumentsAreBoundByName) {
  ASSERT_EQ(load(blob_of_model(kMetadata, kModel)), Error::Ok);
  EXPECT_EQ(backend_->num_outputs(handle_), 1u);
  Tensor out = floats_.zeros({2, 3});
  // The delegate's first argument is y, the model's second input.
  ASSERT_EQ(run({floats_.make({2, 1}, {1, 2}), floats_.make({2}, {10, 20}), out}), Error::Ok);
  EXPECT_EQ(out.const_data_ptr<float>()[0], 30 + 2 * 3);
  EXPECT_EQ(out.const_data_ptr<float>()[5], 30 + 2 * 3);
}

TEST_F(CoreMLBackendTest, ModelsAreCompiledOnce) {
  const std::string bytes = blob_of_model(kMetadata, kModel);
  ASSERT_EQ(load(bytes), Error::Ok);
  ASSERT_EQ(load(bytes), Error::Ok);
  EXPECT_EQ(mock().compiles, 1);
  EXPECT_EQ(mock().loads, 2);
  ASSERT_EQ(load(blob_of_model(kMetadata, kModel, "model.mlmodelc")), Error::Ok);
  EXPECT_EQ(mock().compiles, 1);
}

TEST_F(CoreMLBackendTest, CompiledModelsThatDoNotLoadAreMadeAnewOnce) {
  const std::string bytes = blob_of_model(kMetadata, kModel);
  ASSERT_EQ(load(bytes), Error::Ok);
  mock().failing_loads = 1;
  ASSERT_EQ(load(bytes), Error::Ok);
  EXPECT_EQ(mock().compiles, 2);
  mock().failing_loads = 2;
  EXPECT_EQ(load(bytes), Error::Internal);
  EXPECT_EQ(mock().compiles, 3);
  ASSERT_EQ(load(bytes), Error::Ok);
  EXPECT_EQ(mock().compiles, 4);
}

TEST_F(CoreMLBackendTest, ComputeUnitsComeFromTheCallTheBackendOrTheFile) {
  const std::string bytes = blob_of_model(kMetadata, kModel);
  ASSERT_EQ(set(compute_units_option_key, ""), Error::Ok);
  ASSERT_EQ(load(bytes, "cpu_and_ne"), Error::Ok);
  EXPECT_EQ(mock().last_units, 3);
  ASSERT_EQ(set(compute_units_option_key, "cpu_and_gpu"), Error::Ok);
  ASSERT_EQ(load(bytes, "cpu_and_ne"), Error::Ok);
  EXPECT_EQ(mock().last_units, 1);
  BackendOptions<1> given;
  ASSERT_EQ(given.set_option(compute_units_option_key, "cpu_only"), Error::Ok);
  ASSERT_EQ(load(bytes, "cpu_and_ne", given.view()), Error::Ok);
  EXPECT_EQ(mock().last_units, 0);
  EXPECT_EQ(set(compute_units_option_key, "gpu"), Error::InvalidArgument);
  ASSERT_EQ(set(compute_units_option_key, ""), Error::Ok);
  EXPECT_EQ(load(bytes, "fast"), Error::InvalidArgument);
}

TEST_F(CoreMLBackendTest, OutputsOfOtherLayoutsAreCopied) {
  mock().ignores_backings = true;
  ASSERT_EQ(load(blob_of_model(kMetadata, kModel)), Error::Ok);
  Tensor out = floats_.zeros({2, 3});
  ASSERT_EQ(run({floats_.ones({2, 1}), floats_.ones({2}), out}), Error::Ok);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(out.const_data_ptr<float>()[i], 2 + 2 * 2) << i;
  }
}

TEST_F(CoreMLBackendTest, NumbersAreConverted) {
  const std::string model = ports(port("x", "[3]", "int32"), port("out", "[1]", "float16"));
  ASSERT_EQ(load(blob_of_model(kOneIn, model)), Error::Ok);
  TensorFactory<ScalarType::Long> longs;
  TensorFactory<ScalarType::Double> doubles;
  TensorFactory<ScalarType::Bool> bools;
  Tensor out = doubles.zeros({});
  ASSERT_EQ(run({longs.make({3}, {1, -2, 7}), out}), Error::Ok);
  EXPECT_EQ(out.const_data_ptr<double>()[0], 6);
  ASSERT_EQ(run({bools.make({3}, {true, false, true}), out}), Error::Ok);
  EXPECT_EQ(out.const_data_ptr<double>()[0], 2);
  EXPECT_EQ(run({longs.make({3}, {1, int64_t(1) << 31, 7}), out}), Error::InvalidArgument);
  Tensor truth = bools.zeros({1});
  ASSERT_EQ(run({longs.make({3}, {1, 1, 7}), truth}), Error::Ok);
  EXPECT_TRUE(truth.const_data_ptr<bool>()[0]);
}

TEST_F(CoreMLBackendTest, SizesComeAsNumbers) {
  ASSERT_EQ(
      load(blob_of_model(kOneIn, ports(port("x", "[1]", "int32"), port("out", "[1]", "float32")))),
      Error::Ok);
  Tensor out = floats_.zeros({1});
  ASSERT_EQ(run({EValue(int64_t(41)), out}), Error::Ok);
  EXPECT_EQ(out.const_data_ptr<float>()[0], 41);
  ASSERT_EQ(run({EValue(true), out}), Error::Ok);
  EXPECT_EQ(out.const_data_ptr<float>()[0], 1);
  EXPECT_EQ(run({EValue(int64_t(1) << 40), out}), Error::InvalidArgument);
  EXPECT_EQ(run({EValue(), out}), Error::InvalidArgument);
}

TEST_F(CoreMLBackendTest, ShapesChangeWithinTheirBounds) {
  const std::string model = ports(port("x", "[2, 3]", "float32", ", \"ranges\": [[1, 4], [3, 3]]"),
                                  port("out", "[]", "float32"));
  ASSERT_EQ(load(blob_of_model(kOneIn, model)), Error::Ok);
  Tensor out = floats_.zeros({4, 3}, TensorShapeDynamism::DYNAMIC_BOUND);
  ASSERT_EQ(run({floats_.ones({1, 3}), out}), Error::Ok);
  EXPECT_EQ(out.size(0), 1);
  EXPECT_EQ(out.const_data_ptr<float>()[2], 3);
  ASSERT_EQ(run({floats_.ones({4, 3}), out}), Error::Ok);
  EXPECT_EQ(out.size(0), 4);
  EXPECT_EQ(run({floats_.ones({7, 3}), out}), Error::InvalidArgument);
  EXPECT_EQ(run({floats_.ones({2, 2}), out}), Error::InvalidArgument);
  Tensor small = floats_.zeros({2, 3}, TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_NE(run({floats_.ones({4, 3}), small}), Error::Ok);
}

TEST_F(CoreMLBackendTest, ShapesThatAreEnumerated) {
  const std::string model =
      ports(port("x", "[1, 5]", "float32", ", \"enumerated\": [[1, 5], [4, 6]]"),
            port("out", "[]", "float32"));
  ASSERT_EQ(load(blob_of_model(kOneIn, model)), Error::Ok);
  Tensor out = floats_.zeros({4, 6}, TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(run({floats_.ones({4, 6}), out}), Error::Ok);
  EXPECT_EQ(run({floats_.ones({1, 5}), out}), Error::Ok);
  EXPECT_EQ(run({floats_.ones({1, 6}), out}), Error::InvalidArgument);
}

TEST_F(CoreMLBackendTest, OtherOrdersOfDimensionsLieAsTheyAre) {
  ASSERT_EQ(load(blob_of_model(kOneIn, ports(port("x", "[1, 3, 4, 2]", "float32"),
                                             port("out", "[1, 3, 4, 2]", "float32")))),
            Error::Ok);
  Tensor x = floats_.full_channels_last({1, 2, 3, 4}, 1);
  Tensor out = floats_.full_channels_last({1, 2, 3, 4}, 0);
  ASSERT_EQ(run({x, out}), Error::Ok);
  EXPECT_EQ(out.const_data_ptr<float>()[23], 24);
  EXPECT_EQ(run({floats_.ones({1, 2, 3, 4}), out}), Error::InvalidArgument);
}

TEST_F(CoreMLBackendTest, StateIsTheDelegatesOwn) {
  const std::string bytes = blob_of_model(
      kOneIn, ports(port("x", "[1]", "float32"), port("out", "[1]", "float32"), true));
  ASSERT_EQ(load(bytes), Error::Ok);
  Tensor out = floats_.zeros({1});
  for (const float want : {1.0f, 1001.0f, 2001.0f}) {
    ASSERT_EQ(run({floats_.ones({1}), out}), Error::Ok);
    EXPECT_EQ(out.const_data_ptr<float>()[0], want);
  }
  ASSERT_EQ(load(bytes), Error::Ok);
  ASSERT_EQ(run({floats_.ones({1}), out}), Error::Ok);
  EXPECT_EQ(out.const_data_ptr<float>()[0], 1);
}

TEST_F(CoreMLBackendTest, ModelsWithOtherPortsAreRefused) {
  const std::string x = port("x", "[1]", "float32");
  const std::string out = port("out", "[1]", "float32");
  for (const std::string& model :
       {ports("", out), ports(x, ""), ports(port("z", "[1]", "float32"), out),
        ports(x + "," + port("z", "[1]", "float32"), out), ports(x, port("z", "[1]", "float32"))}) {
    EXPECT_EQ(load(blob_of_model(kOneIn, model)), Error::DelegateInvalidCompatibility) << model;
  }
  EXPECT_EQ(load(blob_of_model(kOneIn, "no model")), Error::DelegateInvalidCompatibility);
  EXPECT_EQ(load("no directory"), Error::DelegateInvalidCompatibility);
}

TEST_F(CoreMLBackendTest, ArgumentsThatDoNotFitAreRefused) {
  ASSERT_EQ(load(blob_of_model(kMetadata, kModel)), Error::Ok);
  const Tensor y = floats_.ones({2, 1});
  const Tensor x = floats_.ones({2});
  Tensor out = floats_.zeros({2, 3});
  EXPECT_EQ(run({y, x}), Error::InvalidArgument);
  EXPECT_EQ(run({x, y, out}), Error::InvalidArgument);
  EXPECT_EQ(run({y, x, EValue(1.0)}), Error::InvalidArgument);
  Tensor other = floats_.zeros({6});
  EXPECT_EQ(run({y, x, other}), Error::InvalidArgument);
  const auto never = [](const Tensor&) { return false; };
  BackendExecutionContext context(nullptr, nullptr, nullptr, never);
  EValue values[] = {y, x, out};
  EValue* args[] = {&values[0], &values[1], &values[2]};
  EXPECT_EQ(backend_->execute(context, handle_, {args, 3}), Error::InvalidProgram);
  args[1] = nullptr;
  EXPECT_EQ(backend_->execute(context, handle_, {args, 3}), Error::InvalidArgument);
  EXPECT_EQ(run({y, x, out}), Error::Ok);
}

TEST_F(CoreMLBackendTest, MethodsAreFunctionsOfTheModelThatTheyShare) {
  const auto method = [](const char* name) {
    return "\"" + std::string(name) + R"(": {"inputNames": ["x"], "outputNames": ["out"]})";
  };
  const std::string page =
      R"({"identifier": "abc", "methods": {)" + method("forward") + ", " + method("prefill") + "}}";
  const std::string out = port("out", "[1]", "float32");
  const std::string model = R"({"functions": {"forward": )" +
                            ports(port("x", "[1]", "float32"), out) + R"(, "prefill": )" +
                            ports(port("x", "[8]", "float32"), out) + "}}";
  auto named = std::make_unique<runtime::testing::TestDataMap>();
  named->add("coreml_abc", blob_of_model(page, model));
  named_ = std::move(named);
  const auto reference = [](const std::string& key, const char* function) {
    return R"(CMJR{"version": 1, "key": ")" + key + R"(", "functionName": ")" + function + "\"}";
  };
  Tensor result = floats_.zeros({1});
  ASSERT_EQ(load(reference("coreml_abc", "forward")), Error::Ok);
  ASSERT_EQ(run({floats_.ones({1}), result}), Error::Ok);
  EXPECT_EQ(result.const_data_ptr<float>()[0], 1);
  ASSERT_EQ(load(reference("coreml_abc", "prefill") + std::string(8, '\0')), Error::Ok);
  ASSERT_EQ(run({floats_.ones({8}), result}), Error::Ok);
  EXPECT_EQ(result.const_data_ptr<float>()[0], 8);
  // Compiled once for both.
  EXPECT_EQ(mock().compiles, 1);
  EXPECT_EQ(load(reference("coreml_abc", "decode")), Error::DelegateInvalidCompatibility);
  EXPECT_EQ(load(reference("coreml_abc", "")), Error::DelegateInvalidCompatibility);
  EXPECT_EQ(load(reference("other", "forward")), Error::NotFound);
  EXPECT_EQ(load("CMJR{}"), Error::DelegateInvalidCompatibility);
  EXPECT_EQ(load("CMJR"), Error::DelegateInvalidCompatibility);
  named_.reset();
  EXPECT_EQ(load(reference("coreml_abc", "forward")), Error::NotFound);
}

TEST_F(CoreMLBackendTest, FailuresOfCoreMLAreSaid) {
  ASSERT_EQ(load(blob_of_model(kMetadata, kModel)), Error::Ok);
  Tensor out = floats_.zeros({2, 3});
  mock().predictions_fail = true;
  EXPECT_EQ(run({floats_.ones({2, 1}), floats_.ones({2}), out}), Error::Internal);
  mock().predictions_fail = false;
  mock().predictions_raise = true;
  EXPECT_EQ(run({floats_.ones({2, 1}), floats_.ones({2}), out}), Error::Internal);
  mock().predictions_raise = false;
  EXPECT_EQ(run({floats_.ones({2, 1}), floats_.ones({2}), out}), Error::Ok);
}

}  // namespace
}  // namespace coreml
}  // namespace backends
}  // namespace executorch
