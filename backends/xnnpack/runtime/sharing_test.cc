#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/xnnpack/runtime/XNNWorkspaceManager.h>
#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_for_tests.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/platform/runtime.h>

// What delegates of several threads share, in each mode. Sanitizers of data races see these tests.

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using aten::ScalarType;
using runtime::Error;
using runtime::EValue;
using testing::GraphForTests;
using Factory = runtime::testing::TensorFactory<ScalarType::Float>;

constexpr auto kDynamic = aten::TensorShapeDynamism::DYNAMIC_BOUND;
constexpr int kThreads = 4;
constexpr int kRuns = 20;

/// Calls `body` with the numbers of the threads, at the same time.
template <typename Body>
void in_threads(const Body& body) {
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) {
    threads.emplace_back([&body, number] { body(number); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

class SharingTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  std::unique_ptr<Executor> make(const ExecutorOptions& options) const {
    const std::string blob = graph_.blob();
    const auto parsed = Blob::parse(blob.data(), blob.size());
    if (!parsed.ok()) {
      return nullptr;
    }
    auto made = Executor::create(*parsed, &graph_.named(), options);
    return made.ok() ? std::move(*made) : nullptr;
  }

  /// An error, or how many elements of the result are wrong, as a negative number.
  int run(Executor& executor, int32_t rows) const {
    Factory factory;
    const std::vector<float> x = graph_.input(size_t(rows));
    EValue in(factory.make({rows, GraphForTests::kInputs}, x));
    EValue out(factory.zeros({8, GraphForTests::kOutputs}, kDynamic));
    EValue* args[] = {&in, &out};
    const Error error = executor.execute({args, 2});
    if (error != Error::Ok) {
      return int(error);
    }
    int wrong = 0;
    const std::vector<float> expected = graph_.expected(x);
    for (size_t i = 0; i < expected.size(); ++i) {
      wrong += std::abs(out.toTensor().const_data_ptr<float>()[i] - expected[i]) < 1e-4f ? 0 : 1;
    }
    return -wrong;
  }

  /// Each thread runs two delegates of a model of its own, in turns; how many workspaces there
  /// were.
  size_t workspaces_in(WorkspaceSharingMode mode) {
    EXPECT_EQ(manager_.set_sharing_mode(mode), Error::Ok);
    const auto weights = std::make_shared<PackedWeights>();
    std::vector<std::unique_ptr<Executor>> executors(2 * kThreads);
    in_threads([&](int number) {
      for (int half = 0; half < 2; ++half) {
        const auto workspace = manager_.get_or_create_workspace(uintptr_t(number) + 1);
        ASSERT_TRUE(workspace.ok());
        executors[size_t(2 * number + half)] = make({weights, *workspace, false});
        ASSERT_NE(executors[size_t(2 * number + half)], nullptr);
      }
      for (int i = 0; i < kRuns; ++i) {
        ASSERT_EQ(run(*executors[size_t(2 * number + i % 2)], 1 + (number + i) % 8), 0);
      }
    });
    std::set<uint64_t> ids;
    for (const auto& executor : executors) {
      ids.insert(executor == nullptr ? 0 : executor->workspace().id());
    }
    return ids.size();
  }

  const GraphForTests graph_{/*seed=*/3};
  XNNWorkspaceManager manager_;
};

TEST_F(SharingTest, DisabledEachDelegateHasItsOwn) {
  EXPECT_EQ(workspaces_in(WorkspaceSharingMode::Disabled), size_t{2 * kThreads});
}

TEST_F(SharingTest, PerModelEachModelHasItsOwn) {
  EXPECT_EQ(workspaces_in(WorkspaceSharingMode::PerModel), size_t{kThreads});
}

TEST_F(SharingTest, GlobalAllShareOne) {
  EXPECT_EQ(workspaces_in(WorkspaceSharingMode::Global), size_t{1});
}

TEST_F(SharingTest, ModesMayChangeWhileDelegatesAreMadeAndRun) {
  in_threads([&](int number) {
    for (int i = 0; i < kRuns; ++i) {
      ASSERT_EQ(manager_.set_sharing_mode(static_cast<WorkspaceSharingMode>((number + i) % 3)),
                Error::Ok);
      const auto workspace = manager_.get_or_create_workspace(uintptr_t(number % 2) + 1);
      ASSERT_TRUE(workspace.ok());
      const auto executor = make({nullptr, *workspace, false});
      ASSERT_NE(executor, nullptr);
      ASSERT_EQ(run(*executor, 1 + i % 8), 0);
    }
  });
}

TEST_F(SharingTest, OneDelegateServesOneThread) {
  const auto executor = make({});
  ASSERT_NE(executor, nullptr);
  std::atomic<int> served{0};
  std::atomic<int> refused{0};
  in_threads([&](int) {
    for (int i = 0; i < kRuns; ++i) {
      const int result = run(*executor, 8);
      ASSERT_TRUE(result == 0 || result == int(Error::InvalidState)) << result;
      ++(result == 0 ? served : refused);
    }
  });
  EXPECT_GT(served, 0);
  EXPECT_EQ(served + refused, kThreads * kRuns);
  EXPECT_EQ(run(*executor, 3), 0) << "it works after all this";
}

TEST_F(SharingTest, ThreadsShareAFileOfPackedWeights) {
  const char* directory = std::getenv("TEST_TMPDIR");
  const std::string path =
      std::string(directory == nullptr ? "/tmp" : directory) + "/sharing_test_packed";
  std::remove(path.c_str());
  in_threads([&](int number) {
    for (int i = 0; i < kRuns; ++i) {
      // A store of its own is what another process has.
      const auto weights =
          number % 2 == 0 ? packed_weights_of(path) : std::make_shared<PackedWeights>(path);
      const auto executor = make({weights, nullptr, false});
      ASSERT_NE(executor, nullptr);
      ASSERT_EQ(run(*executor, 1 + i % 8), 0);
    }
  });
  EXPECT_EQ(PackedWeights(path).num_loaded(), 1u) << "written once";
  std::remove(path.c_str());
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
