// Applications on top of Module and TensorPtr: every documented way to make a tensor and to run a
// program, and what they answer when something is wrong.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/kernel/kernel_includes.h>

using namespace ::executorch::extension;
namespace helpers = ::executorch::extension::testing;
using ::executorch::aten::Device;
using ::executorch::aten::DeviceType;
using ::executorch::aten::ScalarType;
using ::executorch::aten::Tensor;
using ::executorch::aten::TensorShapeDynamism;
using ::executorch::runtime::Error;
using ::executorch::runtime::EValue;
using ::executorch::runtime::KernelRuntimeContext;

namespace {

Tensor& add_out(KernelRuntimeContext& context, const Tensor& a, const Tensor& b, Tensor& out) {
  ET_KERNEL_CHECK(context, executorch::runtime::resize_tensor(out, a.sizes()) == Error::Ok,
                  InvalidArgument, out);
  for (ssize_t i = 0; i < out.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = a.const_data_ptr<float>()[i] + b.const_data_ptr<float>()[i];
  }
  return out;
}
EXECUTORCH_LIBRARY(usage, "add.out", add_out);

template <typename T>
std::vector<T> values_of(const Tensor& tensor) {
  const T* data = tensor.const_data_ptr<T>();
  return std::vector<T>(data, data + tensor.numel());
}

template <typename T>
std::vector<T> values_of(const TensorPtr& tensor) {
  return values_of<T>(*tensor);
}

class ModuleUsage : public ::testing::Test {
 protected:
  ModuleUsage() : ModuleUsage(helpers::TinyProgram()) {}
  explicit ModuleUsage(helpers::TinyProgram program)
      : bytes_(with_own_kernel(program).build()), file_(bytes_.data(), bytes_.size()) {}

  std::string path() const { return file_.path(); }

  static helpers::TinyProgram with_own_kernel(helpers::TinyProgram program) {
    program.operator_name = "usage::add";
    return program;
  }

  std::vector<uint8_t> bytes_;
  helpers::TempFile file_;
  std::vector<float> a_ = {1, 2, 3, 4, 5, 6};
  std::vector<float> b_ = {10, 20, 30, 40, 50, 60};
  std::vector<float> sum_ = {11, 22, 33, 44, 55, 66};
};

TEST_F(ModuleUsage, TheFirstPageOfTheDocuments) {
  Module module(path());
  EXPECT_FALSE(module.is_loaded());
  const auto error = module.load();
  ASSERT_EQ(error, Error::Ok);
  EXPECT_TRUE(module.is_loaded());
  const auto names = module.method_names();
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(names->count("forward"), 1u);
  const auto meta = module.method_meta("forward");
  ASSERT_TRUE(meta.ok());
  EXPECT_STREQ(meta->name(), "forward");
  EXPECT_EQ(meta->num_inputs(), 2u);
  const auto input = meta->input_tensor_meta(0);
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input->scalar_type(), ScalarType::Float);
  EXPECT_EQ(input->sizes()[1], 3);

  auto first = from_blob(a_.data(), {2, 3});
  auto second = from_blob(b_.data(), {2, 3});
  const auto result = module.forward({first, second});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(values_of<float>(result->at(0).toTensor()), sum_);
}

TEST_F(ModuleUsage, EveryLoadModeRuns) {
  for (const auto mode :
       {Module::LoadMode::File, Module::LoadMode::Mmap, Module::LoadMode::MmapUseMlockIgnoreErrors,
        Module::LoadMode::MmapUseMadvise}) {
    Module module(path(), mode);
    ASSERT_EQ(module.load(Program::Verification::InternalConsistency), Error::Ok);
    const auto output =
        module.get("forward", {from_blob(a_.data(), {2, 3}), from_blob(b_.data(), {2, 3})});
    ASSERT_TRUE(output.ok());
    EXPECT_EQ(values_of<float>(output->toTensor()), sum_);
  }
}

TEST_F(ModuleUsage, InputsMayBeStoredAndOutputsReadAgain) {
  Module module(path());
  const auto second = make_tensor_ptr({2, 3}, b_);
  ASSERT_EQ(module.set_input(second, 1), Error::Ok);
  ASSERT_TRUE(module.forward(make_tensor_ptr({2, 3}, a_)).ok());
  EXPECT_EQ(values_of<float>(module.get_output()->toTensor()), sum_);
  const auto first = make_tensor_ptr({2, 3}, a_);
  ASSERT_EQ(module.set_inputs({first, second}), Error::Ok);
  const auto results = module.execute("forward");
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(module.get_outputs()->size(), 1u);
  EXPECT_EQ(module.set_input(second, 2), Error::InvalidArgument);
  EXPECT_TRUE(module.unload_forward());
  EXPECT_FALSE(module.unload_method("forward"));
}

TEST_F(ModuleUsage, ProgramsAreSharedAndAllocatorsGiven) {
  auto loader = FileDataLoader::from(path().c_str());
  ASSERT_TRUE(loader.ok());
  Module module(std::make_unique<FileDataLoader>(std::move(loader.get())),
                std::make_unique<MallocMemoryAllocator>(),
                std::make_unique<MallocMemoryAllocator>());
  ASSERT_EQ(module.load_forward(), Error::Ok);
  const std::shared_ptr<Program> program = module.program();
  Module other(program);
  const auto result = other.forward({make_tensor_ptr({2, 3}, a_), make_tensor_ptr({2, 3}, b_)});
  ASSERT_TRUE(result.ok());
  auto method = other.method("forward");
  ASSERT_TRUE(method.ok());
  EXPECT_EQ((*method)->inputs_size(), 2u);
  EXPECT_FALSE((*method)->in_progress());
  EXPECT_EQ(other.backend_options().size(), 0u);
}

TEST_F(ModuleUsage, MistakesAreErrors) {
  EXPECT_EQ(Module("/nonexistent/model.pte").load(), Error::AccessFailed);
  EXPECT_EQ(Module("/nonexistent/model.pte", Module::LoadMode::Mmap).forward().error(),
            Error::AccessFailed);
  Module module(path());
  EXPECT_EQ(module.execute("backward").error(), Error::InvalidArgument);
  EXPECT_EQ(module.forward().error(), Error::InvalidArgument);
  EXPECT_EQ(module.forward(make_tensor_ptr({2, 3}, a_)).error(), Error::InvalidArgument);
  EXPECT_EQ(module.forward({EValue(1.0), EValue(2.0)}).error(), Error::InvalidArgument);
  const auto ints = make_tensor_ptr({2, 3}, std::vector<int32_t>(6, 1));
  EXPECT_EQ(module.forward({ints, ints}).error(), Error::InvalidArgument);
  const auto small = make_tensor_ptr({1, 3}, {1.f, 2.f, 3.f});
  EXPECT_FALSE(module.forward({small, small}).ok());
  Module nothing(std::unique_ptr<executorch::runtime::DataLoader>{});
  EXPECT_EQ(nothing.load(), Error::InvalidArgument);
}

class ExternalDataUsage : public ModuleUsage {
 protected:
  static helpers::TinyProgram program() {
    helpers::TinyProgram program;
    program.second = helpers::TinyProgram::Second::kExternal;
    return program;
  }
  ExternalDataUsage()
      : ModuleUsage(program()),
        weights_(program().build_data()),
        others_(program().build_data("other")),
        weights_file_(weights_.data(), weights_.size()),
        others_file_(others_.data(), others_.size()) {}

  std::vector<uint8_t> weights_;
  std::vector<uint8_t> others_;
  helpers::TempFile weights_file_;
  helpers::TempFile others_file_;
};

TEST_F(ExternalDataUsage, WeightsComeFromFilesOfTheirOwn) {
  Module one(path(), weights_file_.path());
  Module two(path(), std::vector<std::string>{others_file_.path(), weights_file_.path()});
  for (Module* module : {&one, &two}) {
    const auto result = module->forward(make_tensor_ptr({2, 3}, a_));
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(values_of<float>(result->at(0).toTensor()), sum_);
  }
  EXPECT_EQ(Module(path(), others_file_.path()).load_forward(), Error::NotFound);
}

TEST_F(ExternalDataUsage, DataMapsAreMerged) {
  auto first_loader =
      MmapDataLoader::from(weights_file_.path().c_str(), MmapDataLoader::MlockConfig::UseMadvise);
  auto second_loader = FileDataLoader::from(others_file_.path().c_str());
  ASSERT_TRUE(first_loader.ok());
  ASSERT_TRUE(second_loader.ok());
  auto first = FlatTensorDataMap::load(&first_loader.get());
  auto second = FlatTensorDataMap::load(&second_loader.get());
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  std::vector<const NamedDataMap*> maps = {&first.get(), &second.get()};
  executorch::runtime::Result<merged_data_map::MergedDataMap> merged =
      merged_data_map::MergedDataMap::load(
          executorch::runtime::Span<const NamedDataMap*>(maps.data(), maps.size()));
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->get_num_keys().get(), 2u);
  EXPECT_STREQ(merged->get_key(1).get(), "other");
  EXPECT_EQ(merged->get_tensor_layout("b")->sizes().size(), 2u);
  auto data = merged->get_data("b");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->size(), 24u);
  data->Free();
  EXPECT_EQ(merged->get_data("c").error(), Error::NotFound);
}

TEST(TensorPtrUsage, TensorsOwnWhatTheyAreMadeOf) {
  const TensorPtr tensors[] = {
      make_tensor_ptr({2, 2}, {1.f, 2.f, 3.f, 4.f}),
      make_tensor_ptr({2, 2}, std::vector<float>{1, 2, 3, 4}),
      make_tensor_ptr({2, 2}, {1.f, 2.f, 3.f, 4.f}, {0, 1}),
      make_tensor_ptr({2, 2}, std::vector<float>{1, 2, 3, 4}, {0, 1}),
      make_tensor_ptr({2, 2}, {1.f, 2.f, 3.f, 4.f}, {}, {2, 1}),
      make_tensor_ptr({2, 2}, std::vector<int32_t>{1, 2, 3, 4}, {}, {}, ScalarType::Float,
                      TensorShapeDynamism::STATIC),
  };
  for (const TensorPtr& tensor : tensors) {
    EXPECT_EQ(values_of<float>(tensor), values_of<float>(tensors[0]));
    EXPECT_EQ(tensor->size(1), 2);
  }
  EXPECT_EQ(make_tensor_ptr({1, 2, 3})->scalar_type(), ScalarType::Int);
  EXPECT_EQ(make_tensor_ptr({int64_t{1}, int64_t{2}})->dim(), 1);
  EXPECT_EQ(make_tensor_ptr(3.5)->scalar_type(), ScalarType::Double);
  EXPECT_EQ(make_tensor_ptr({1.0, 2.0}, ScalarType::Half)->nbytes(), 4u);
  // Bytes are the memory of another dtype.
  const TensorPtr bytes =
      make_tensor_ptr({1}, std::vector<uint8_t>{0, 0, 128, 63}, ScalarType::Float);
  EXPECT_EQ(values_of<float>(bytes), std::vector<float>{1});
  EXPECT_EQ(make_tensor_ptr({2}, std::vector<uint8_t>(8))->scalar_type(), ScalarType::Float);
  const TensorPtr last = make_tensor_ptr({2, 2}, {1.f, 3.f, 2.f, 4.f}, {1, 0});
  EXPECT_EQ(last->strides()[0], 1);
  EXPECT_EQ(last->strides()[1], 2);
}

TEST(TensorPtrUsage, BlobsStayWithTheirOwner) {
  float data[] = {1, 2, 3, 4, 5, 6};
  int freed = 0;
  const auto count = [&freed](void*) { ++freed; };
  const Device cpu(DeviceType::CPU, 0);
  {
    const TensorPtr tensors[] = {
        from_blob(data, {2, 3}),
        from_blob(data, {2, 3}, ScalarType::Float),
        from_blob(data, {2, 3}, ScalarType::Float, cpu),
        from_blob(data, {2, 3}, {3, 1}),
        from_blob(data, {2, 3}, {3, 1}, ScalarType::Float, cpu),
        from_blob(data, {2, 3}, ScalarType::Float, cpu, count),
        from_blob(data, {2, 3}, {3, 1}, ScalarType::Float, cpu, count, TensorShapeDynamism::STATIC),
        for_blob(data, {2, 3}).dim_order({0, 1}).deleter(count).make_tensor_ptr(),
        make_tensor_ptr({2, 3}, data),
        make_tensor_ptr({2, 3}, data, ScalarType::Float, cpu),
        make_tensor_ptr({2, 3}, data, {0, 1}, {3, 1}, ScalarType::Float, cpu,
                        TensorShapeDynamism::DYNAMIC_BOUND, count),
        make_tensor_ptr({2, 3}, data, ScalarType::Float, cpu, TensorShapeDynamism::STATIC, count),
    };
    for (const TensorPtr& tensor : tensors) {
      EXPECT_EQ(tensor->const_data_ptr<float>(), data);
      EXPECT_EQ(tensor->size(1), 3);
    }
  }
  EXPECT_EQ(freed, 5);
}

TEST(TensorPtrUsage, ViewsAndClones) {
  const TensorPtr original = make_tensor_ptr({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  const TensorPtr view = make_tensor_ptr(*original, {3, 2});
  const TensorPtr shared = make_tensor_ptr(original, {6});
  const TensorPtr copy = clone_tensor_ptr(original);
  const TensorPtr doubles = clone_tensor_ptr(*original, ScalarType::Double);
  original->mutable_data_ptr<float>()[0] = 9;
  EXPECT_EQ(view->const_data_ptr<float>()[0], 9);
  EXPECT_EQ(shared->const_data_ptr<float>()[0], 9);
  EXPECT_EQ(copy->const_data_ptr<float>()[0], 1);
  EXPECT_EQ(values_of<double>(doubles), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  TensorPtr resized = make_tensor_ptr({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  EXPECT_EQ(resize_tensor_ptr(resized, {2, 2}), Error::Ok);
  EXPECT_EQ(resized->numel(), 4);
  EXPECT_NE(resize_tensor_ptr(resized, {2, 2, 2}), Error::Ok);
}

TEST(TensorPtrUsage, Makers) {
  EXPECT_EQ(values_of<float>(zeros({2})), (std::vector<float>{0, 0}));
  EXPECT_EQ(values_of<float>(ones_like(zeros({2}))), (std::vector<float>{1, 1}));
  EXPECT_EQ(values_of<int64_t>(full({2}, 7, ScalarType::Long)), (std::vector<int64_t>{7, 7}));
  EXPECT_EQ(values_of<double>(scalar_tensor(2.5, ScalarType::Double)), std::vector<double>{2.5});
  EXPECT_EQ(empty_strided({2, 2}, {1, 2})->strides()[1], 2);
  for (const float value : values_of<float>(rand({16}))) {
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 1);
  }
  for (const int32_t value : values_of<int32_t>(randint(3, 5, {16}))) {
    EXPECT_TRUE(value == 3 || value == 4);
  }
  const auto tensor = make_tensor_ptr({2, 2}, {1.f, 2.f, 3.f, 4.f});
  auto accessor = make_tensor_accessor<float, 2>(*tensor);
  ASSERT_TRUE(accessor.ok());
  (*accessor)[1][0] = 8;
  EXPECT_EQ(tensor->const_data_ptr<float>()[2], 8);
  const auto wrong = make_tensor_accessor<float, 3>(*tensor);
  EXPECT_EQ(wrong.error(), Error::InvalidArgument);
}

}  // namespace
