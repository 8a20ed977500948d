#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace extension {
namespace {

using runtime::BackendOptions;
using runtime::Error;
using runtime::LoadBackendOptionsMap;
using runtime::Result;
using runtime::testing::ProgramBuilder;
using runtime::testing::PteFile;

// Remembers the option "threads" of each delegate it initializes; -1 where there is none.
class ListeningBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<runtime::DelegateHandle*> init(runtime::BackendInitContext& context,
                                        runtime::FreeableBuffer*,
                                        runtime::ArrayRef<runtime::CompileSpec>) const override {
    const Result<int> option = context.get_runtime_spec<int>("threads");
    seen.push_back(option.ok() ? *option : -1);
    return nullptr;
  }

  Error execute(runtime::BackendExecutionContext&, runtime::DelegateHandle*,
                runtime::Span<runtime::EValue*>) const override {
    return Error::Ok;
  }

  mutable std::vector<int> seen;
};

ListeningBackend backend;
const Error registered = runtime::register_backend({"ListeningBackend", &backend});

class ModuleBackendOptionsTest : public ::testing::Test {
 protected:
  ModuleBackendOptionsTest() : file_(two_methods()), module_(loader(file_)) {
    EXPECT_EQ(registered, Error::Ok);
    backend.seen.clear();
  }

  static PteFile two_methods() {
    ProgramBuilder builder;
    for (const char* name : {"forward", "other"}) {
      builder.begin_method(name);
      const int value = builder.add_planned_tensor({2});
      builder.call_delegate(builder.add_delegate("ListeningBackend", {1}), {value});
      builder.set_inputs({value});
      builder.set_outputs({value});
    }
    return builder.build();
  }

  static std::unique_ptr<runtime::DataLoader> loader(const PteFile& file) {
    return std::make_unique<BufferDataLoader>(file.data(), file.size());
  }

  PteFile file_;
  Module module_;
};

TEST_F(ModuleBackendOptionsTest, WithoutOptionsThereAreNone) {
  ASSERT_EQ(module_.load_forward(), Error::Ok);
  EXPECT_EQ(backend.seen, std::vector<int>{-1});
}

TEST_F(ModuleBackendOptionsTest, OptionsOfLoadReachEveryMethodAndAreCopied) {
  {
    BackendOptions<1> options;
    ASSERT_EQ(options.set_option("threads", 3), Error::Ok);
    LoadBackendOptionsMap map;
    ASSERT_EQ(map.set_options("ListeningBackend", options.view()), Error::Ok);
    ASSERT_EQ(module_.load(map), Error::Ok);
    ASSERT_EQ(options.set_option("threads", 99), Error::Ok);
  }
  ASSERT_EQ(module_.load_forward(), Error::Ok);
  ASSERT_EQ(module_.load_method("other"), Error::Ok);
  EXPECT_EQ(backend.seen, (std::vector<int>{3, 3}));
}

TEST_F(ModuleBackendOptionsTest, OptionsOfAMethodComeFirst) {
  BackendOptions<1> three;
  BackendOptions<1> five;
  ASSERT_EQ(three.set_option("threads", 3), Error::Ok);
  ASSERT_EQ(five.set_option("threads", 5), Error::Ok);
  LoadBackendOptionsMap of_load;
  LoadBackendOptionsMap of_method;
  ASSERT_EQ(of_load.set_options("ListeningBackend", three.view()), Error::Ok);
  ASSERT_EQ(of_method.set_options("ListeningBackend", five.view()), Error::Ok);
  ASSERT_EQ(module_.load(of_load, runtime::Program::Verification::InternalConsistency), Error::Ok);
  ASSERT_EQ(module_.load_method("forward", nullptr, nullptr, &of_method), Error::Ok);
  ASSERT_EQ(module_.load_method("other"), Error::Ok);
  EXPECT_EQ(backend.seen, (std::vector<int>{5, 3}));
}

TEST_F(ModuleBackendOptionsTest, AFailedLoadChangesNothing) {
  const std::vector<uint8_t> junk(100, 'x');
  Module broken(std::make_unique<BufferDataLoader>(junk.data(), junk.size()));
  EXPECT_NE(broken.load(LoadBackendOptionsMap()), Error::Ok);
  EXPECT_FALSE(broken.is_loaded());
}

}  // namespace
}  // namespace extension
}  // namespace executorch
