#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include <executorch/runtime/backend/interface.h>

namespace {

using executorch::runtime::ArrayRef;
using executorch::runtime::Backend;
using executorch::runtime::BackendExecutionContext;
using executorch::runtime::BackendInitContext;
using executorch::runtime::BackendInterface;
using executorch::runtime::BackendOption;
using executorch::runtime::BackendOptionContext;
using executorch::runtime::BackendOptions;
using executorch::runtime::CompileSpec;
using executorch::runtime::DelegateHandle;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::get_backend_class;
using executorch::runtime::get_backend_name;
using executorch::runtime::get_num_registered_backends;
using executorch::runtime::get_option;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::register_backend;
using executorch::runtime::Result;
using executorch::runtime::set_option;
using executorch::runtime::Span;

// Only what is pure virtual.
class MinimalBackend : public BackendInterface {
 public:
  bool is_available() const override { return true; }
  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer*,
                               ArrayRef<CompileSpec>) const override {
    return nullptr;
  }
  Error execute(BackendExecutionContext&, DelegateHandle*, Span<EValue*>) const override {
    return Error::Ok;
  }
};

class TunableBackend : public MinimalBackend {
 public:
  Error set_option(BackendOptionContext&, const Span<BackendOption>& options) override {
    for (const BackendOption& option : options) {
      const int* value = std::get_if<int>(&option.value);
      if (std::strcmp(option.key, "threads") != 0 || value == nullptr) {
        return Error::InvalidArgument;
      }
      threads_ = *value;
    }
    return Error::Ok;
  }
  Error get_option(BackendOptionContext&, Span<BackendOption>& options) override {
    for (BackendOption& option : options) {
      option.value = threads_;
    }
    return Error::Ok;
  }

 private:
  int threads_ = 1;
};

MinimalBackend minimal;
TunableBackend tunable;

TEST(BackendRegistryTest, FindsBackendsByNameAndIndex) {
  const size_t before = get_num_registered_backends();
  EXPECT_EQ(get_backend_class("Minimal"), nullptr);
  ASSERT_EQ(register_backend({"Minimal", &minimal}), Error::Ok);
  EXPECT_EQ(get_backend_class("Minimal"), &minimal);
  EXPECT_EQ(get_backend_class("Minima"), nullptr);
  EXPECT_EQ(get_backend_class(nullptr), nullptr);
  ASSERT_EQ(get_num_registered_backends(), before + 1);
  EXPECT_STREQ(*get_backend_name(before), "Minimal");
  EXPECT_EQ(get_backend_name(before + 1).error(), Error::InvalidArgument);
}

TEST(BackendRegistryTest, RefusesDuplicatesAndNulls) {
  ASSERT_EQ(register_backend({"Duplicate", &minimal}), Error::Ok);
  EXPECT_EQ(register_backend({"Duplicate", &tunable}), Error::InvalidArgument);
  EXPECT_EQ(get_backend_class("Duplicate"), &minimal);
  EXPECT_EQ(register_backend({nullptr, &minimal}), Error::InvalidArgument);
  EXPECT_EQ(register_backend({"Nothing", nullptr}), Error::InvalidArgument);
}

TEST(BackendRegistryTest, OptionsReachTheBackend) {
  ASSERT_EQ(register_backend({"Tunable", &tunable}), Error::Ok);
  BackendOptions<1> options;
  ASSERT_EQ(options.set_option("threads", 3), Error::Ok);
  EXPECT_EQ(set_option("Tunable", options.view()), Error::Ok);

  BackendOptions<1> asked;
  ASSERT_EQ(asked.set_option("threads", 0), Error::Ok);
  EXPECT_EQ(get_option("Tunable", asked.view()), Error::Ok);
  int threads = 0;
  EXPECT_EQ(asked.get_option("threads", threads), Error::Ok);
  EXPECT_EQ(threads, 3);

  ASSERT_EQ(options.set_option("threads", "many"), Error::Ok);
  EXPECT_EQ(set_option("Tunable", options.view()), Error::InvalidArgument);
  EXPECT_EQ(set_option("Absent", options.view()), Error::NotFound);
  EXPECT_EQ(get_option("Absent", options.view()), Error::NotFound);
}

TEST(BackendRegistryTest, BackendsWithoutOptionsIgnoreThem) {
  BackendOptions<1> options;
  ASSERT_EQ(options.set_option("anything", true), Error::Ok);
  BackendOptionContext context;
  Span<BackendOption> view = options.view();
  EXPECT_EQ(minimal.BackendInterface::set_option(context, view), Error::Ok);
  EXPECT_EQ(minimal.BackendInterface::get_option(context, view), Error::Ok);
  minimal.destroy(nullptr);
}

TEST(BackendRegistryTest, TakesSixteen) {
  static std::array<std::string, 16> names;
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = "Filler" + std::to_string(i);
  }
  size_t next = 0;
  while (get_num_registered_backends() < 16) {
    ASSERT_EQ(register_backend({names[next++].c_str(), &minimal}), Error::Ok);
  }
  EXPECT_EQ(register_backend({"TheSeventeenth", &minimal}), Error::Internal);
  EXPECT_EQ(get_num_registered_backends(), 16u);
}

TEST(BackendContextTest, InitContextGivesWhatItWasGiven) {
  alignas(16) uint8_t memory[64];
  MemoryAllocator allocator(sizeof(memory), memory);
  BackendOptions<3> options;
  ASSERT_EQ(options.set_option("flag", true), Error::Ok);
  ASSERT_EQ(options.set_option("number", 5), Error::Ok);
  ASSERT_EQ(options.set_option("text", "hello"), Error::Ok);
  BackendInitContext context(&allocator, nullptr, "forward", nullptr,
                             {options.view().data(), options.view().size()});
  EXPECT_EQ(context.get_runtime_allocator(), &allocator);
  EXPECT_EQ(context.event_tracer(), nullptr);
  EXPECT_STREQ(context.get_method_name(), "forward");
  EXPECT_EQ(context.get_named_data_map(), nullptr);
  EXPECT_EQ(context.runtime_specs().size(), 3u);
  EXPECT_TRUE(*context.get_runtime_spec<bool>("flag"));
  EXPECT_EQ(*context.get_runtime_spec<int>("number"), 5);
  EXPECT_STREQ(*context.get_runtime_spec<const char*>("text"), "hello");
  EXPECT_EQ(context.get_runtime_spec<int>("absent").error(), Error::NotFound);
  EXPECT_EQ(context.get_runtime_spec<int>("flag").error(), Error::InvalidArgument);
}

TEST(BackendContextTest, ExecutionContextGivesScratchMemory) {
  alignas(16) uint8_t memory[64];
  MemoryAllocator allocator(sizeof(memory), memory);
  BackendExecutionContext context(nullptr, &allocator, "forward");
  void* scratch = context.allocate(16, 16);
  ASSERT_NE(scratch, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch) % 16, 0u);
  EXPECT_EQ(context.allocate(64), nullptr);
  EXPECT_EQ(context.get_temp_allocator(), &allocator);
  EXPECT_STREQ(context.get_method_name(), "forward");
  EXPECT_EQ(BackendExecutionContext().allocate(1), nullptr);
}

}  // namespace
