// Programs on the lower interface, as firmware and runners have them: a backend, a data loader, an
// event tracer and a platform of their own, and a method that is loaded into fixed memory.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/evalue_util/print_evalue.h>
#include <executorch/extension/runner_util/inputs.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/profiler.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/platform/test/stub_platform.h>

using namespace torch::executor;
using executorch::etdump::ETDumpGen;
using executorch::runtime::Backend;
using executorch::runtime::BackendExecutionContext;
using executorch::runtime::BackendInitContext;
using executorch::runtime::BackendInterface;
using executorch::runtime::BackendOption;
using executorch::runtime::BackendOptionContext;
using executorch::runtime::BackendOptions;
using executorch::runtime::LoadBackendOptionsMap;
using executorch::runtime::MethodMeta;
using executorch::runtime::testing::ProgramBuilder;
using executorch::runtime::testing::PteFile;

namespace {

/// Adds a constant, which comes from the compile specs, to its input.
class AddingBackend final : public ::executorch::runtime::BackendInterface {
 public:
  ~AddingBackend() override = default;

  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> compile_specs) const override {
    MemoryAllocator* allocator = context.get_runtime_allocator();
    Handle* handle = ET_ALLOCATE_INSTANCE_OR_RETURN_ERROR(allocator, Handle);
    new (handle) Handle();
    for (const CompileSpec& spec : compile_specs) {
      if (std::strcmp(spec.key, "amount") == 0 && spec.value.nbytes == 1) {
        handle->amount = static_cast<float>(*static_cast<const char*>(spec.value.buffer) - '0');
      }
    }
    const Result<int> times = context.get_runtime_spec<int>("times");
    handle->amount *= static_cast<float>(times.ok() ? times.get() : 1);
    ET_CHECK_OR_RETURN_ERROR(processed->size() == 3, DelegateInvalidCompatibility,
                             "%zu bytes are no program of this backend", processed->size());
    processed->Free();
    return handle;
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    ET_CHECK_OR_RETURN_ERROR(args.size() == 2 && args[0]->isTensor() && args[1]->isTensor(),
                             InvalidArgument, "an input and an output are needed");
    const EventTracerEntry entry = event_tracer_start_profiling_delegate(
        context.event_tracer(), "add", kUnsetDelegateDebugIntId);
    const Tensor& input = args[0]->toTensor();
    Tensor& output = args[1]->toTensor();
    for (ssize_t i = 0; i < input.numel(); ++i) {
      output.mutable_data_ptr<float>()[i] =
          input.const_data_ptr<float>()[i] + static_cast<Handle*>(handle)->amount;
    }
    event_tracer_end_profiling_delegate(context.event_tracer(), entry, "metadata", 8);
    event_tracer_log_output_delegate(context.event_tracer(), "sum", kUnsetDelegateDebugIntId,
                                     output);
    return Error::Ok;
  }

  void destroy(DelegateHandle* handle) const override {
    if (handle != nullptr) {
      static_cast<Handle*>(handle)->~Handle();
      ++num_destroyed;
    }
  }

  Error set_option(BackendOptionContext& context,
                   const Span<BackendOption>& backend_options) override {
    (void)context;
    for (const BackendOption& option : backend_options) {
      if (std::strcmp(option.key, "precision") == 0) {
        if (const auto* value = std::get_if<int>(&option.value)) {
          precision_ = *value;
        }
      }
    }
    return Error::Ok;
  }

  Error get_option(BackendOptionContext& context, Span<BackendOption>& backend_options) override {
    (void)context;
    for (BackendOption& option : backend_options) {
      if (std::strcmp(option.key, "precision") == 0) {
        option.value = precision_;
      }
    }
    return Error::Ok;
  }

  mutable int num_destroyed = 0;

 private:
  struct Handle {
    float amount = 0;
  };
  int precision_ = 16;
};

AddingBackend adding_backend;
Backend backend{"AddingBackend", &adding_backend};
static auto success_with_compiler = register_backend(backend);

/// Reads from memory and counts, as loaders for flash do.
class FlashLoader final : public DataLoader {
 public:
  explicit FlashLoader(const PteFile& file) : data_(file.data()), size_(file.size()) {}

  Result<FreeableBuffer> load(size_t offset, size_t size,
                              const DataLoader::SegmentInfo& segment_info) const override {
    ET_CHECK_OR_RETURN_ERROR(offset <= size_ && size <= size_ - offset, InvalidArgument,
                             "[%zu, +%zu) of %zu", offset, size, size_);
    if (segment_info.segment_type == DataLoader::SegmentInfo::Type::Backend) {
      ++backend_segments;
    }
    return FreeableBuffer(
        data_ + offset, size, [](void* context, void*, size_t) { ++*static_cast<int*>(context); },
        &num_freed);
  }

  Result<size_t> size() const override { return size_; }

  Error load_into(size_t offset, size_t size, const DataLoader::SegmentInfo&,
                  void* buffer) const override {
    std::memcpy(buffer, data_ + offset, size);
    return Error::Ok;
  }

  mutable int backend_segments = 0;
  mutable int num_freed = 0;

 private:
  const uint8_t* data_;
  size_t size_;
};

/// Writes down what happens.
class NotingTracer : public EventTracer {
 public:
  std::vector<std::string> notes;

  void create_event_block(const char* name) override { notes.push_back(name); }
  EventTracerEntry start_profiling(const char* name, ChainID chain_id,
                                   DebugHandle debug_handle) override {
    (void)chain_id;
    (void)debug_handle;
    notes.push_back(name);
    return EventTracerEntry();
  }
  void end_profiling(EventTracerEntry prof_entry) override { (void)prof_entry; }
  EventTracerEntry start_profiling_delegate(const char* name,
                                            DelegateDebugIntId delegate_debug_index) override {
    (void)delegate_debug_index;
    notes.push_back(std::string("delegate ") + name);
    return EventTracerEntry();
  }
  void end_profiling_delegate(EventTracerEntry, const void* metadata, size_t length) override {
    notes.push_back(std::string(static_cast<const char*>(metadata), length));
  }
  void log_profiling_delegate(const char*, DelegateDebugIntId, et_timestamp_t, et_timestamp_t,
                              const void*, size_t) override {}
  void track_allocation(AllocatorID, size_t) override {}
  AllocatorID track_allocator(const char*) override { return 0; }
  Result<bool> log_evalue(const EValue& evalue, LoggedEValueType) override {
    notes.push_back(evalue.isTensor() ? "tensor" : "value");
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId,
                                                const Tensor&) override {
    notes.push_back(std::string("output ") + name);
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const ArrayRef<Tensor>) override {
    return false;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const int&) override {
    return false;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const bool&) override {
    return false;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const double&) override {
    return false;
  }
  void set_delegation_intermediate_output_filter(EventTracerFilterBase*) override {}
};

/// Lets through what has a certain name.
class NameFilter final : public EventTracerFilterBase {
 public:
  Result<bool> filter(const char* name, DelegateDebugIntId) override {
    return name != nullptr && std::strcmp(name, "sum") == 0;
  }
};

class RunnerUsage : public ::testing::Test {
 protected:
  RunnerUsage() : file_(delegated()), loader_(file_) { runtime_init(); }

  static PteFile delegated(const std::vector<uint8_t>& processed = {1, 2, 3}) {
    ProgramBuilder builder;
    builder.begin_method("forward");
    const int input = builder.add_planned_tensor({2, 2});
    const int output = builder.add_planned_tensor({2, 2});
    builder.call_delegate(
        builder.add_delegate("AddingBackend", processed, false, {{"amount", "3"}}),
        {input, output});
    builder.set_inputs({input});
    builder.set_outputs({output});
    return builder.build();
  }

  /// The memory that the method asks for, as every runner prepares it.
  MemoryManager& memory_for(const MethodMeta& meta) {
    for (size_t id = 0; id < meta.num_memory_planned_buffers(); ++id) {
      const size_t size = static_cast<size_t>(meta.memory_planned_buffer_size(id).get());
      planned_buffers_.push_back(std::make_unique<uint8_t[]>(size));
      planned_spans_.push_back({planned_buffers_.back().get(), size});
    }
    planned_memory_ = std::make_unique<HierarchicalAllocator>(
        Span<Span<uint8_t>>(planned_spans_.data(), planned_spans_.size()));
    manager_ = std::make_unique<MemoryManager>(&method_allocator_, planned_memory_.get(),
                                               &temp_allocator_);
    return *manager_;
  }

  alignas(16) uint8_t method_pool_[16 * 1024];
  alignas(16) uint8_t temp_pool_[1024];
  MemoryAllocator method_allocator_{sizeof(method_pool_), method_pool_};
  MemoryAllocator temp_allocator_{sizeof(temp_pool_), temp_pool_};
  std::vector<std::unique_ptr<uint8_t[]>> planned_buffers_;
  std::vector<Span<uint8_t>> planned_spans_;
  std::unique_ptr<HierarchicalAllocator> planned_memory_;
  std::unique_ptr<MemoryManager> manager_;
  PteFile file_;
  FlashLoader loader_;
};

TEST_F(RunnerUsage, AMethodRunsInFixedMemory) {
  Result<Program> program = Program::load(&loader_);
  ASSERT_TRUE(program.ok());
  const char* method_name = nullptr;
  {
    const auto method_name_result = program->get_method_name(0);
    ASSERT_TRUE(method_name_result.ok());
    method_name = *method_name_result;
  }
  Result<MethodMeta> method_meta = program->method_meta(method_name);
  ASSERT_TRUE(method_meta.ok());
  EXPECT_TRUE(method_meta->uses_backend("AddingBackend"));
  EXPECT_EQ(method_meta->num_backends(), 1u);
  {
    Result<Method> method = program->load_method(method_name, &memory_for(*method_meta));
    ASSERT_TRUE(method.ok());
    EXPECT_EQ(loader_.backend_segments, 1);
    auto inputs = executorch::extension::prepare_input_tensors(*method);
    ASSERT_TRUE(inputs.ok());
    ASSERT_EQ(method->execute(), Error::Ok);
    std::vector<EValue> outputs(method->outputs_size());
    ASSERT_EQ(method->get_outputs(outputs.data(), outputs.size()), Error::Ok);
    EXPECT_EQ(outputs[0].toTensor().const_data_ptr<float>()[3], 4);
    std::ostringstream text;
    text << executorch::extension::evalue_edge_items(2) << outputs[0];
    EXPECT_NE(text.str().find("[2, 2]"), std::string::npos) << text.str();
    EXPECT_EQ(method->set_input(outputs[0], 1), Error::InvalidArgument);
    EXPECT_FALSE(method->in_progress());
    Error step = Error::Ok;
    while (step == Error::Ok) {
      step = method->step();
    }
    EXPECT_EQ(step, Error::EndOfMethod);
    EXPECT_EQ(method->reset_execution(), Error::Ok);
  }
  EXPECT_GE(adding_backend.num_destroyed, 1);
  EXPECT_GE(loader_.num_freed, 1);
}

TEST_F(RunnerUsage, BackendsHaveOptions) {
  EXPECT_EQ(success_with_compiler, Error::Ok);
  BackendOptions<2> options;
  ASSERT_EQ(options.set_option("precision", 8), Error::Ok);
  ASSERT_EQ(executorch::runtime::set_option("AddingBackend", options.view()), Error::Ok);
  BackendOption asked;
  std::strncpy(asked.key, "precision", sizeof(asked.key) - 1);
  asked.value = 0;
  ASSERT_EQ(executorch::runtime::get_option("AddingBackend", Span<BackendOption>(&asked, 1)),
            Error::Ok);
  EXPECT_EQ(std::get<int>(asked.value), 8);
  EXPECT_EQ(executorch::runtime::set_option("MissingBackend", options.view()), Error::NotFound);
  EXPECT_EQ(get_backend_class("AddingBackend"), &adding_backend);
  EXPECT_EQ(get_backend_class("MissingBackend"), nullptr);

  BackendOptions<1> at_load;
  ASSERT_EQ(at_load.set_option("times", 4), Error::Ok);
  LoadBackendOptionsMap map;
  ASSERT_EQ(map.set_options("AddingBackend", at_load.view()), Error::Ok);
  Result<Program> program = Program::load(&loader_);
  Result<MethodMeta> meta = program->method_meta("forward");
  Result<Method> method =
      program->load_method("forward", &memory_for(*meta), nullptr, nullptr, &map);
  ASSERT_TRUE(method.ok());
  auto inputs = executorch::extension::prepare_input_tensors(*method);
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_EQ(method->get_output(0).toTensor().const_data_ptr<float>()[0], 13);
}

TEST_F(RunnerUsage, WhatABackendRefusesIsAnError) {
  const PteFile broken = delegated({1});
  const FlashLoader loader(broken);
  Result<Program> program = Program::load(const_cast<FlashLoader*>(&loader));
  ASSERT_TRUE(program.ok());
  Result<MethodMeta> meta = program->method_meta("forward");
  EXPECT_EQ(program->load_method("forward", &memory_for(*meta)).error(),
            Error::DelegateInvalidCompatibility);
  EXPECT_EQ(program->load_method("backward", &memory_for(*meta)).error(), Error::InvalidArgument);
  EXPECT_EQ(program->method_meta("backward").error(), Error::InvalidArgument);
}

TEST_F(RunnerUsage, TooLittleMemoryIsAnError) {
  Result<Program> program = Program::load(&loader_);
  Result<MethodMeta> meta = program->method_meta("forward");
  for (size_t size = 0; size < 1024; size += 64) {
    MemoryAllocator small(size, method_pool_);
    memory_for(*meta);
    MemoryManager manager(&small, planned_memory_.get(), &temp_allocator_);
    const Result<Method> method = program->load_method("forward", &manager);
    if (method.ok()) {
      return;
    }
    EXPECT_EQ(method.error(), Error::MemoryAllocationFailed) << size;
  }
}

TEST_F(RunnerUsage, TracersSeeMethodsAndDelegates) {
#ifndef ET_EVENT_TRACER_ENABLED
  GTEST_SKIP() << "built without event tracer";
#endif
  NotingTracer tracer;
  tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  EXPECT_TRUE(tracer.intermediate_outputs_logging_status());
  Result<Program> program = Program::load(&loader_);
  Result<MethodMeta> meta = program->method_meta("forward");
  Result<Method> method = program->load_method("forward", &memory_for(*meta), &tracer);
  ASSERT_TRUE(method.ok());
  auto inputs = executorch::extension::prepare_input_tensors(*method);
  ASSERT_EQ(method->execute(), Error::Ok);
  const auto has = [&tracer](const char* note) {
    for (const std::string& each : tracer.notes) {
      if (each == note) {
        return true;
      }
    }
    return false;
  };
  for (const char* note :
       {"Execute", "Method::execute", "delegate add", "metadata", "output sum"}) {
    EXPECT_TRUE(has(note)) << note;
  }
}

TEST_F(RunnerUsage, EventsAreDumped) {
  ETDumpGen etdump_gen;
  NameFilter filter;
  alignas(16) uint8_t debug_buffer[4096];
  ASSERT_TRUE(etdump_gen.set_debug_buffer(Span<uint8_t>(debug_buffer, sizeof(debug_buffer))).ok());
  etdump_gen.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  etdump_gen.set_delegation_intermediate_output_filter(&filter);
  Result<Program> program = Program::load(&loader_);
  Result<MethodMeta> meta = program->method_meta("forward");
  Result<Method> method = program->load_method("forward", &memory_for(*meta), &etdump_gen);
  ASSERT_TRUE(method.ok());
  auto inputs = executorch::extension::prepare_input_tensors(*method);
  ASSERT_EQ(method->execute(), Error::Ok);
  const auto result = etdump_gen.get_etdump_data();
  ASSERT_NE(result.buf, nullptr);
  EXPECT_GT(result.size, 0u);
  std::free(result.buf);
}

/// Keeps the last message, and has a clock that can be read ahead.
class QuietPlatform final : public PlatformIntercept {
 public:
  void emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                        const char* function, size_t line, const char* message,
                        size_t length) override {
    (void)filename;
    (void)function;
    EXPECT_GT(line, 0u);
    EXPECT_EQ(std::strlen(message), length);
    last =
        std::string(1, static_cast<char>(level)) + " " + std::to_string(timestamp) + " " + message;
  }
  et_timestamp_t current_ticks() override { return 42; }

  std::string last;
};

TEST(PlatformUsage, MessagesGoWhereTheApplicationWants) {
  QuietPlatform platform;
  {
    InterceptWith intercept(platform);
    ET_LOG(Info, "%s is %d", "answer", 7);
    EXPECT_EQ(platform.last, "I 42 answer is 7");
    ET_LOG(Error, "wrong");
    EXPECT_EQ(platform.last, "E 42 wrong");
  }
  static std::string caught;
  const pal_emit_log_message_method catching = [](et_timestamp_t, et_pal_log_level_t, const char*,
                                                  const char*, size_t, const char* message,
                                                  size_t) { caught = message; };
  ASSERT_TRUE(
      executorch::runtime::register_pal(executorch::runtime::PalImpl::create(catching, __FILE__)));
  ET_LOG(Error, "registered");
  EXPECT_EQ(caught, "registered");
  ASSERT_TRUE(executorch::runtime::register_pal(executorch::runtime::PalImpl()));
}

TEST(PlatformUsage, OldProfilingNamesCompile) {
  EXECUTORCH_SCOPE_PROF("everything");
  ExecutorchProfiler profiler("scope");
  prof_result_t result;
  EXECUTORCH_DUMP_PROFILE_RESULTS(&result);
  EXPECT_EQ(result.num_bytes, 0u);
}

}  // namespace
