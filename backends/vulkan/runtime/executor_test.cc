#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <executorch/backends/vulkan/runtime/VulkanBackend.h>
#include <executorch/backends/vulkan/runtime/graph/ops/operators.h>
#include <executorch/backends/vulkan/runtime/testing/runner_for_tests.h>
#include <executorch/runtime/core/event_tracer_test_util.h>
#include <executorch/runtime/platform/runtime.h>

// Whole graphs: memory, shapes, recording, and bytes that say what is not so.

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

using runtime::Error;
using testing::Array;
using testing::numel;
using testing::Runner;
using testing::Shape;
using testing::some;
using testing::zeros;

class ExecutorTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

/// relu(x) + x, viewed as a line; memory is shared where values do not meet.
void build(Runner& runner, const Array& x) {
  const int32_t in = runner.in(x, 0);
  const int32_t positive = runner.graph.tensor(x.sizes, DType::Float, DType::Float, 1);
  const int32_t sum = runner.graph.tensor(x.sizes, DType::Float, DType::Float, 2);
  runner.graph.call("aten.relu.default", {in, positive});
  runner.graph.call("aten.add.Tensor", {in, positive, runner.graph.integer(1), sum});
  runner.graph.call("aten.view_copy.default",
                    {sum, runner.graph.ints({numel(x.sizes)}), runner.out({numel(x.sizes)}, 2)});
}

Array expected_of(const Array& x) {
  Array made = {{numel(x.sizes)}, x.values};
  for (double& value : made.values) {
    value = value < 0 ? value : 2 * value;
  }
  return made;
}

TEST_F(ExecutorTest, AViewOfTheSameMemoryIsFree) {
  Runner runner;
  const Array x = some({4, 5});
  build(runner, x);
  runner.check(expected_of(x));
  EXPECT_EQ(runner.executor().num_dispatches(), 2u);
  EXPECT_EQ(runner.executor().num_barriers(), 1u);
}

TEST_F(ExecutorTest, WhatIsRecordedRunsAgainAndAgain) {
  Runner runner;
  build(runner, some({4, 5}));
  ASSERT_EQ(runner.load(), Error::Ok);
  for (uint32_t seed = 0; seed < 100; ++seed) {
    const Array x = some({4, 5}, -2, 2, seed);
    runner.set(0, x);
    ASSERT_EQ(runner.execute(), Error::Ok);
    runner.compare(expected_of(x), runner.result());
  }
}

TEST_F(ExecutorTest, SizesComeWithTheInputs) {
  Runner runner;
  const int32_t in = runner.in(zeros({8, 6}));
  const int32_t rows = runner.graph.size();
  const int32_t count = runner.graph.size();
  runner.graph.call("sym_size.int", {in, runner.graph.integer(0), rows});
  runner.graph.call("mul", {rows, runner.graph.integer(2), count});
  const int32_t view = runner.graph.tensor({16, 3}, DType::Float, DType::Float);
  runner.graph.call("aten.view_copy.default",
                    {in, runner.graph.list({count, runner.graph.integer(3)}), view});
  runner.graph.call("aten.relu.default", {view, runner.out({16, 3})});
  ASSERT_EQ(runner.load(), Error::Ok);
  for (const int64_t size : {3, 8, 1, 5, 5}) {
    const Array x = some({size, 6});
    runner.set(0, x);
    ASSERT_EQ(runner.execute(), Error::Ok) << size;
    Array expected = {{size * 2, 3}, x.values};
    for (double& value : expected.values) {
      value = value < 0 ? 0 : value;
    }
    runner.compare(expected, runner.result());
  }
  runner.set(0, zeros({9, 6}));
  EXPECT_EQ(runner.execute(), Error::InvalidArgument);
  runner.set(0, zeros({6}));
  EXPECT_EQ(runner.execute(), Error::InvalidArgument);
  runner.set(0, zeros({2, 6}));
  EXPECT_EQ(runner.execute(), Error::Ok) << "it works again after an error";
}

/// Keeps the second number that is attached to each dispatch.
class BarrierTracer final : public runtime::testing::RecordingTracer {
 public:
  std::vector<uint32_t> barriers;

  void log_profiling_delegate(const char* name, runtime::DelegateDebugIntId id,
                              et_timestamp_t start, et_timestamp_t end, const void* metadata,
                              size_t size) override {
    uint32_t attached[2] = {};
    ASSERT_EQ(size, sizeof(attached));
    std::memcpy(attached, metadata, size);
    barriers.push_back(attached[1]);
    RecordingTracer::log_profiling_delegate(name, id, start, end, metadata, size);
  }
};

TEST_F(ExecutorTest, TimesGoByTheShadersNames) {
  Runner runner;
  const Array x = some({4, 5});
  build(runner, x);
  ASSERT_EQ(runner.load(true), Error::Ok);
  BarrierTracer tracer;
  ASSERT_EQ(runner.execute(&tracer), Error::Ok);
  runner.compare(expected_of(x), runner.result());
#ifdef ET_EVENT_TRACER_ENABLED
  ASSERT_EQ(tracer.log.size(), 2u);
  EXPECT_NE(tracer.log[0].find("unary_float_0"), std::string::npos) << tracer.log[0];
  EXPECT_NE(tracer.log[1].find("binary_float_1"), std::string::npos) << tracer.log[1];
  EXPECT_EQ(tracer.barriers, (std::vector<uint32_t>{0, 1}));
#else
  EXPECT_TRUE(tracer.log.empty());
#endif
}

TEST_F(ExecutorTest, WhatIsNotThereIsNamed) {
  Runner runner;
  const Array x = some({2});
  runner.graph.call("aten.guess.default", {runner.in(x), runner.out({2})});
  EXPECT_EQ(runner.load(), Error::NotSupported);
  EXPECT_EQ(find_operator("aten.guess.default"), nullptr);
  EXPECT_NE(find_operator("aten.relu.default"), nullptr);
}

TEST_F(ExecutorTest, ArgumentsThatDoNotFitAreRefused) {
  const auto refused = [](const std::function<void(Runner&)>& make) {
    Runner runner;
    make(runner);
    return runner.load() == Error::NotSupported;
  };
  const Array x = some({4, 4});
  EXPECT_TRUE(refused([&](Runner& r) { r.graph.call("aten.relu.default", {r.in(x)}); }));
  EXPECT_TRUE(refused([&](Runner& r) { r.graph.call("aten.relu.default", {}); }));
  EXPECT_TRUE(
      refused([&](Runner& r) { r.graph.call("aten.relu.default", {r.in(x), r.out({2, 4})}); }));
  EXPECT_TRUE(refused([&](Runner& r) {
    r.graph.call("aten.mm.default", {r.in(x), r.in(some({3, 4})), r.out({4, 4})});
  }));
  EXPECT_TRUE(refused([&](Runner& r) {
    r.graph.call("aten.permute_copy.default", {r.in(x), r.graph.ints({0, 0}), r.out({4, 4})});
  }));
  EXPECT_TRUE(refused([&](Runner& r) {
    r.graph.call("aten.select_copy.int",
                 {r.in(x), r.graph.integer(0), r.graph.integer(4), r.out({4})});
  }));
  EXPECT_TRUE(refused([&](Runner& r) {
    r.graph.call("aten.view_copy.default",
                 {r.in(x), r.graph.ints({1 << 30, 1 << 30}), r.out({4, 4})});
  }));
  EXPECT_TRUE(refused(
      [&](Runner& r) { r.graph.call("aten.relu.default", {r.graph.integer(1), r.out({4, 4})}); }));
}

/// Every byte of a graph is set to some other values; it runs, or it is refused.
TEST_F(ExecutorTest, DamagedBytesAreAnErrorOrAnotherGraphAndNoCrash) {
  Runner runner;
  const Array x = some({1, 2, 4, 4});
  const int32_t in = runner.in(x, 0);
  const int32_t made = runner.graph.tensor({1, 3, 4, 4}, DType::Float, DType::Float, 1);
  runner.graph.call(
      "aten.convolution.default",
      {in, runner.constant(some({3, 2, 3, 3})), runner.constant(some({3})),
       runner.graph.ints({1, 1}), runner.graph.ints({1, 1}), runner.graph.ints({1, 1}),
       runner.graph.boolean(false), runner.graph.ints({0, 0}), runner.graph.integer(1), made});
  runner.graph.call(
      "aten.max_pool2d_with_indices.default",
      {made, runner.graph.ints({2, 2}), runner.graph.ints({2, 2}), runner.graph.ints({0, 0}),
       runner.graph.ints({1, 1}), runner.graph.boolean(false),
       runner.graph.list({runner.out({1, 3, 2, 2}, 2), runner.graph.none()})});
  const std::string good = runner.graph.blob();
  const runtime::Result<Context*> context = Context::get();
  ASSERT_TRUE(context.ok());
  const size_t before = (*context)->num_messages();
  size_t num_refused = 0;
  size_t num_tried = 0;
  const auto try_bytes = [&](const std::string& bytes) {
    ++num_tried;
    num_refused +=
        Executor::create(**context, bytes.data(), bytes.size(), nullptr, false).ok() ? 0 : 1;
  };
  for (size_t size = 0; size < good.size(); size += 13) {
    try_bytes(good.substr(0, size));
  }
  EXPECT_EQ(num_refused, num_tried) << "what is cut off";
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int value : {0x00, 0x7f, 0xff}) {
      std::string bytes = good;
      if (bytes[i] != static_cast<char>(value)) {
        bytes[i] = static_cast<char>(value);
        try_bytes(bytes);
      }
    }
  }
  EXPECT_GT(num_refused, num_tried / 4);
  EXPECT_EQ((*context)->num_messages(), before);
  try_bytes(good);
}

TEST_F(ExecutorTest, TheBackendIsThere) {
  runtime::BackendInterface* const backend = runtime::get_backend_class(vulkan_backend_key);
  ASSERT_NE(backend, nullptr);
  EXPECT_TRUE(backend->is_available());
}

/// Loads a delegate as `load_method` does with options of the backend; whether it could be.
bool load(std::string blob, const char* pipeline_cache_path) {
  runtime::BackendOption option = {};
  (void)std::snprintf(option.key, sizeof(option.key), "%s", pipeline_cache_path_option_key);
  std::array<char, runtime::kMaxOptionValueLength> value = {};
  (void)std::snprintf(value.data(), value.size(), "%s", pipeline_cache_path);
  option.value = value;
  runtime::BackendInitContext context(nullptr, nullptr, "forward", nullptr, {&option, 1});
  runtime::FreeableBuffer bytes(blob.data(), blob.size(), nullptr);
  const VulkanBackend backend;
  const auto handle = backend.init(context, &bytes, {});
  if (handle.ok()) {
    backend.destroy(*handle);
  }
  return handle.ok();
}

TEST_F(ExecutorTest, PipelinesAreKeptWhereTheCallerOfLoadSays) {
  Runner runner;
  build(runner, some({4, 5}));
  const std::string blob = runner.graph.blob();
  const std::string room = std::string(std::getenv("TEST_TMPDIR")) + "/pipelines_of_a_load";
  ASSERT_EQ(mkdir(room.c_str(), 0700), 0);
  const std::string path = room + "/cache";
  ASSERT_TRUE(load(blob, path.c_str()));
  struct stat kept = {};
  ASSERT_EQ(stat(path.c_str(), &kept), 0);
  EXPECT_EQ(kept.st_mode & 0777, 0600u);
  EXPECT_GT(kept.st_size, 64);

  // Another file that is damaged is replaced, and does not keep the program from being loaded.
  const std::string damaged = room + "/damaged";
  std::FILE* const file = std::fopen(damaged.c_str(), "w");
  ASSERT_NE(file, nullptr);
  (void)std::fputs("no pipelines", file);
  (void)std::fclose(file);
  ASSERT_EQ(chmod(damaged.c_str(), 0600), 0);
  ASSERT_TRUE(load(blob, damaged.c_str()));
  ASSERT_EQ(stat(damaged.c_str(), &kept), 0);
  EXPECT_GT(kept.st_size, 64);

  // Where it cannot be written, loading goes on without.
  EXPECT_TRUE(load(blob, (room + "/nowhere/cache").c_str()));
}

}  // namespace
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
