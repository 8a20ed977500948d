#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/xnnpack/runtime/XNNWorkspace.h>
#include <executorch/backends/xnnpack/runtime/XNNWorkspaceManager.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using runtime::Error;

class WorkspaceTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  std::shared_ptr<XNNWorkspace> get(uintptr_t model) {
    auto made = manager_.get_or_create_workspace(model);
    return made.ok() ? *made : nullptr;
  }

  XNNWorkspaceManager manager_;
};

TEST_F(WorkspaceTest, EachHasItsNumber) {
  const auto first = XNNWorkspace::create();
  const auto second = XNNWorkspace::create();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE((*first)->id(), (*second)->id());
  EXPECT_NE((*first)->unsafe_get_workspace(), (*second)->unsafe_get_workspace());
}

TEST_F(WorkspaceTest, OnlyOneHasItAtATime) {
  const std::shared_ptr<XNNWorkspace> workspace = *XNNWorkspace::create();
  int inside = 0;
  bool was_alone = true;
  const auto visit = [&] {
    for (int i = 0; i < 1000; ++i) {
      const XNNWorkspace::Acquired acquired = workspace->acquire();
      was_alone = was_alone && ++inside == 1;
      --inside;
    }
  };
  std::thread other(visit);
  visit();
  other.join();
  EXPECT_TRUE(was_alone);
}

TEST_F(WorkspaceTest, WithoutLockingNobodyWaits) {
  const std::shared_ptr<XNNWorkspace> workspace = *XNNWorkspace::create();
  workspace->disable_locking();
  const XNNWorkspace::Acquired first = workspace->acquire();
  const XNNWorkspace::Acquired second = workspace->acquire();
  EXPECT_FALSE(first.first.owns_lock());
  EXPECT_EQ(first.second, second.second);
}

TEST_F(WorkspaceTest, SharesByModelUnlessTold) {
  EXPECT_EQ(manager_.get_sharing_mode(), WorkspaceSharingMode::PerModel);
  const auto of_one = get(1);
  EXPECT_EQ(of_one, get(1));
  EXPECT_NE(of_one, get(2));
  EXPECT_TRUE(of_one->acquire().first.owns_lock());
}

TEST_F(WorkspaceTest, DisabledSharesNothing) {
  ASSERT_EQ(manager_.set_sharing_mode(WorkspaceSharingMode::Disabled), Error::Ok);
  const auto first = get(1);
  EXPECT_NE(first, get(1));
  EXPECT_FALSE(first->acquire().first.owns_lock());
}

TEST_F(WorkspaceTest, GlobalSharesAll) {
  ASSERT_EQ(manager_.set_sharing_mode(WorkspaceSharingMode::Global), Error::Ok);
  const auto first = get(1);
  EXPECT_EQ(first, get(2));
}

TEST_F(WorkspaceTest, ModesDoNotMix) {
  const auto of_model = get(1);
  ASSERT_EQ(manager_.set_sharing_mode(WorkspaceSharingMode::Global), Error::Ok);
  const auto of_all = get(1);
  EXPECT_NE(of_model, of_all);
  ASSERT_EQ(manager_.set_sharing_mode(WorkspaceSharingMode::PerModel), Error::Ok);
  EXPECT_EQ(of_model, get(1));
}

TEST_F(WorkspaceTest, GoesWithItsLastUser) {
  const uint64_t id = get(1)->id();
  EXPECT_NE(get(1)->id(), id);
}

TEST_F(WorkspaceTest, RefusesUnknownModes) {
  EXPECT_EQ(manager_.set_sharing_mode(WorkspaceSharingMode::Count), Error::InvalidArgument);
  EXPECT_EQ(manager_.set_sharing_mode(static_cast<WorkspaceSharingMode>(-1)),
            Error::InvalidArgument);
  EXPECT_EQ(manager_.get_sharing_mode(), WorkspaceSharingMode::PerModel);
}

TEST_F(WorkspaceTest, ThreadsOfOneModelGetTheSame) {
  std::vector<std::shared_ptr<XNNWorkspace>> got(4);
  std::vector<std::thread> threads;
  for (auto& place : got) {
    threads.emplace_back([this, &place] { place = get(7); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(std::set<std::shared_ptr<XNNWorkspace>>(got.begin(), got.end()).size(), 1u);
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
