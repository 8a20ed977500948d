#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_for_tests.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/core/event_tracer_test_util.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using aten::ScalarType;
using aten::Tensor;
using runtime::Error;
using runtime::EValue;
using testing::GraphForTests;
using testing::NamedData;
using Factory = runtime::testing::TensorFactory<ScalarType::Float>;

constexpr auto kDynamic = aten::TensorShapeDynamism::DYNAMIC_BOUND;

class ExecutorTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  std::unique_ptr<Executor> make(const std::string& blob, const NamedData* named,
                                 const ExecutorOptions& options = {}) {
    const auto parsed = Blob::parse(blob.data(), blob.size());
    if (!parsed.ok()) {
      return nullptr;
    }
    auto made = Executor::create(*parsed, named, options);
    return made.ok() ? std::move(*made) : nullptr;
  }

  /// Runs with `rows` rows and compares with the graph's own arithmetic.
  void check(Executor& executor, const GraphForTests& graph, int32_t rows,
             runtime::EventTracer* tracer = nullptr) {
    Factory factory;
    const std::vector<float> x = graph.input(size_t(rows));
    EValue in(factory.make({rows, GraphForTests::kInputs}, x));
    EValue out(factory.zeros({8, GraphForTests::kOutputs}, kDynamic));
    EValue* args[] = {&in, &out};
    ASSERT_EQ(executor.execute({args, 2}, tracer), Error::Ok);
    const Tensor& result = out.toTensor();
    ASSERT_EQ(result.size(0), rows);
    const std::vector<float> expected = graph.expected(x);
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(result.const_data_ptr<float>()[i], expected[i], 1e-4) << i;
    }
  }

  const GraphForTests graph_{/*seed=*/1};
};

TEST_F(ExecutorTest, RunsAndFollowsSizes) {
  const auto executor = make(graph_.blob(), &graph_.named());
  ASSERT_NE(executor, nullptr);
  for (const int32_t rows : {2, 1, 8, 8, 3}) {
    check(*executor, graph_, rows);
  }
}

TEST_F(ExecutorTest, PacksEqualWeightsOnce) {
  const ExecutorOptions options = {std::make_shared<PackedWeights>(), nullptr, false};
  const auto first = make(graph_.blob(), &graph_.named(), options);
  const GraphForTests again(/*seed=*/1);
  const auto second = make(again.blob(), &again.named(), options);
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(first->weights_cache()->num_inserted(), 1u);
  EXPECT_EQ(second->weights_cache()->num_inserted(), 0u);
  EXPECT_EQ(second->weights_cache()->num_found(), 1u);
  check(*first, graph_, 2);
  check(*second, graph_, 3);
}

TEST_F(ExecutorTest, SharedWeightsOutliveTheFirst) {
  const ExecutorOptions options = {std::make_shared<PackedWeights>(), nullptr, false};
  auto first = make(graph_.blob(), &graph_.named(), options);
  const auto second = make(graph_.blob(), &graph_.named(), options);
  first.reset();
  check(*second, graph_, 2);
}

TEST_F(ExecutorTest, OtherWeightsUnderTheSameNameAreNotTaken) {
  // Keys that are no digests, such as the names of parameters.
  const ExecutorOptions options = {std::make_shared<PackedWeights>(), nullptr, false};
  const GraphForTests other(/*seed=*/2);
  const auto first = make(graph_.blob(), &graph_.named(), options);
  const auto second = make(other.blob(), &other.named(), options);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->weights_cache()->num_inserted(), 1u);
  check(*first, graph_, 2);
  check(*second, other, 2);
}

TEST_F(ExecutorTest, PackedDifferentlyIsNotTheSame) {
  // A square filter means another matrix when it is transposed; so does a clamped layer.
  const ExecutorOptions options = {std::make_shared<PackedWeights>(), nullptr, false};
  const auto plain = make(graph_.blob(), &graph_.named(), options);
  GraphForTests transposed(/*seed=*/1);
  transposed.transpose();
  const auto other = make(transposed.blob(), &transposed.named(), options);
  ASSERT_NE(other, nullptr);
  check(*plain, graph_, 2);
  check(*other, transposed, 2);
}

TEST_F(ExecutorTest, FileServesTheNextProcess) {
  const char* directory = std::getenv("TEST_TMPDIR");
  const std::string path =
      std::string(directory == nullptr ? "/tmp" : directory) + "/executor_test_packed";
  std::remove(path.c_str());
  {
    const auto first = make(graph_.blob(), &graph_.named(),
                            {std::make_shared<PackedWeights>(path), nullptr, false});
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->weights_cache()->num_inserted(), 1u);
  }
  const auto second =
      make(graph_.blob(), &graph_.named(), {std::make_shared<PackedWeights>(path), nullptr, false});
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->weights_cache()->num_inserted(), 0u);
  check(*second, graph_, 5);
  std::remove(path.c_str());
}

TEST_F(ExecutorTest, UnpackedWeightsAreFreed) {
  const auto executor = make(graph_.blob(), &graph_.named());
  ASSERT_NE(executor, nullptr);
  EXPECT_EQ(graph_.named().num_loaded, 2);
  EXPECT_EQ(graph_.named().num_freed, 2);
  check(*executor, graph_, 2);
}

TEST_F(ExecutorTest, WorkspaceIsSharedAndGrows) {
  const std::shared_ptr<XNNWorkspace> workspace = *XNNWorkspace::create();
  const ExecutorOptions options = {nullptr, workspace, false};
  const auto first = make(graph_.blob(), &graph_.named(), options);
  const GraphForTests other(/*seed=*/2);
  auto second = make(other.blob(), &other.named(), options);
  EXPECT_EQ(first->workspace().id(), second->workspace().id());
  check(*first, graph_, 1);
  check(*second, other, 8);  // XNNPACK moves the values of the first.
  check(*first, graph_, 1);
  second.reset();
  check(*first, graph_, 4);
}

TEST_F(ExecutorTest, PersistentValuesHaveAWorkspaceOfTheirOwn) {
  const std::shared_ptr<XNNWorkspace> workspace = *XNNWorkspace::create();
  GraphForTests persistent(/*seed=*/1);
  persistent.make_persistent();
  const auto executor = make(persistent.blob(), &persistent.named(), {nullptr, workspace, false});
  ASSERT_NE(executor, nullptr);
  EXPECT_NE(executor->workspace().id(), workspace->id());
}

TEST_F(ExecutorTest, ThreadsMayShareEverything) {
  const ExecutorOptions options = {std::make_shared<PackedWeights>(), *XNNWorkspace::create(),
                                   false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        const auto executor = make(graph_.blob(), &graph_.named(), options);
        ASSERT_NE(executor, nullptr);
        check(*executor, graph_, 1 + (t + i) % 8);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_F(ExecutorTest, FollowsTheThreadPool) {
  const auto executor = make(graph_.blob(), &graph_.named());
  auto* const pool = extension::threadpool::get_threadpool();
  for (const uint32_t threads : {1u, 3u, 2u}) {
    ASSERT_TRUE(pool->_unsafe_reset_threadpool(threads));
    check(*executor, graph_, 8);
  }
  const extension::threadpool::NoThreadPoolGuard alone;
  check(*executor, graph_, 8);
}

TEST_F(ExecutorTest, ReportsItsOperators) {
  const auto executor = make(graph_.blob(), &graph_.named(), {nullptr, nullptr, true});
  ASSERT_NE(executor, nullptr);
  runtime::testing::RecordingTracer tracer;
  check(*executor, graph_, 2, &tracer);
#ifdef ET_EVENT_TRACER_ENABLED
  ASSERT_EQ(tracer.log.size(), 2u);
  // The layer has a debug handle, the activation has none.
  EXPECT_NE(tracer.log[0].find("7/"), std::string::npos) << tracer.log[0];
  EXPECT_NE(tracer.log[1].find("Unary"), std::string::npos) << tracer.log[1];
  EXPECT_NE(tracer.log[1].find(" #1/"), std::string::npos) << tracer.log[1];
#endif
}

TEST_F(ExecutorTest, RefusesWrongArguments) {
  const auto executor = make(graph_.blob(), &graph_.named());
  Factory factory;
  runtime::testing::TensorFactory<ScalarType::Int> ints;
  EValue good(factory.ones({2, GraphForTests::kInputs}));
  EValue out(factory.zeros({8, GraphForTests::kOutputs}, kDynamic));
  EValue wrong_type(ints.ones({2, GraphForTests::kInputs}));
  EValue wrong_rank(factory.ones({GraphForTests::kInputs}));
  EValue wrong_size(factory.ones({2, GraphForTests::kInputs + 1}));
  EValue number(int64_t{1});
  for (EValue* bad : {&wrong_type, &wrong_rank, &wrong_size, &number}) {
    EValue* args[] = {bad, &out};
    EXPECT_EQ(executor->execute({args, 2}), Error::InvalidArgument);
  }
  EValue none;
  EValue* args[] = {&good, &out, &none};
  EXPECT_EQ(executor->execute({args, 1}), Error::InvalidArgument);
  EXPECT_EQ(executor->execute({args, 3}), Error::InvalidArgument);
  args[2] = &good;
  EXPECT_EQ(executor->execute({args, 3}), Error::InvalidArgument) << "one tensor too many";
  EXPECT_EQ(executor->execute({args, 2}), Error::Ok) << "it works after all this";
}

TEST_F(ExecutorTest, NumbersAmongTheArgumentsAreLeftOut) {
  const auto executor = make(graph_.blob(), &graph_.named());
  Factory factory;
  const std::vector<float> x = graph_.input(2);
  EValue size(int64_t{2});
  EValue flag(true);
  EValue in(factory.make({2, GraphForTests::kInputs}, x));
  EValue out(factory.zeros({8, GraphForTests::kOutputs}, kDynamic));
  EValue* args[] = {&size, &in, &flag, &out};
  ASSERT_EQ(executor->execute({args, 4}), Error::Ok);
  EXPECT_NEAR(out.toTensor().const_data_ptr<float>()[5], graph_.expected(x)[5], 1e-4);
}

TEST_F(ExecutorTest, AsksWhetherItMayWrite) {
  const auto executor = make(graph_.blob(), &graph_.named());
  ASSERT_NE(executor, nullptr);
  Factory factory;
  EValue in(factory.make({2, GraphForTests::kInputs}, graph_.input(2)));
  EValue out(factory.zeros({8, GraphForTests::kOutputs}, kDynamic));
  EValue* args[] = {&in, &out};
  const auto never = [](const executorch::aten::Tensor&) { return false; };
  const runtime::BackendExecutionContext context(nullptr, nullptr, nullptr, never);
  EXPECT_EQ(executor->execute({args, 2}, context), Error::InvalidProgram);
  EXPECT_EQ(out.toTensor().size(0), 8);
  EXPECT_EQ(out.toTensor().const_data_ptr<float>()[0], 0);
  EXPECT_EQ(executor->execute({args, 2}), Error::Ok) << "it works after this";
}

TEST_F(ExecutorTest, SaysWhichDataIsMissing) {
  EXPECT_EQ(make(graph_.blob(), nullptr), nullptr);
  EXPECT_EQ(make(graph_.blob(), &GraphForTests::nothing()), nullptr);
}

// Optimizing such a graph, XNNPACK ends the process.
TEST_F(ExecutorTest, RefusesNodesThatNothingNeeds) {
  GraphForTests dead(/*seed=*/1);
  dead.leave_unread();
  EXPECT_EQ(make(dead.blob(), &dead.named()), nullptr);
}

TEST_F(ExecutorTest, SurvivesMutatedBlobs) {
  std::mt19937 random(5);
  const std::string blob = graph_.blob();
  const ExecutorOptions options = {std::make_shared<PackedWeights>(), *XNNWorkspace::create(),
                                   false};
  int made = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string mutated = blob;
    for (uint32_t i = 0; i <= random() % 3; ++i) {
      const size_t at = random() % mutated.size();
      mutated[at] = char(random() % 4 == 0 ? random() : mutated[at] ^ (1 << random() % 8));
    }
    if (random() % 10 == 0) {
      mutated.resize(random() % mutated.size());
    }
    const auto executor = make(mutated, &graph_.named(), options);
    if (executor == nullptr) {
      continue;
    }
    ++made;
    Factory factory;
    EValue in(factory.ones({2, GraphForTests::kInputs}));
    EValue out(factory.zeros({8, GraphForTests::kOutputs}, kDynamic));
    std::vector<EValue*> args(executor->num_arguments(), &out);
    if (!args.empty()) {
      args[0] = &in;
    }
    (void)executor->execute({args.data(), args.size()});
  }
  EXPECT_GT(made, 0);
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
