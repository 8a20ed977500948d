#include <cstring>

#include <gtest/gtest.h>

#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::runtime::get_pal_impl;
using executorch::runtime::PalImpl;
using executorch::runtime::register_pal;

namespace {

int init_calls = 0;
void count_init() { ++init_calls; }
et_timestamp_t fixed_ticks() { return 1234; }
et_tick_ratio_t fixed_ratio() { return {3, 2}; }
void drop_message(et_timestamp_t, et_pal_log_level_t, const char*, const char*, size_t, const char*,
                  size_t) {}
void* no_memory(size_t) { return nullptr; }
void keep_memory(void*) {}

class PlatformTest : public ::testing::Test {
 protected:
  void SetUp() override { init_calls = 0; }
  void TearDown() override { register_pal(PalImpl{}); }
};

TEST_F(PlatformTest, DefaultsAreCompleteBeforeInit) {
  const PalImpl* pal = get_pal_impl();
  EXPECT_NE(pal->init, nullptr);
  EXPECT_NE(pal->abort, nullptr);
  EXPECT_NE(pal->current_ticks, nullptr);
  EXPECT_NE(pal->ticks_to_ns_multiplier, nullptr);
  EXPECT_NE(pal->emit_log_message, nullptr);
  EXPECT_NE(pal->allocate, nullptr);
  EXPECT_NE(pal->free, nullptr);
}

TEST_F(PlatformTest, DefaultClockIsMonotonic) {
  executorch::runtime::runtime_init();
  et_timestamp_t last = executorch::runtime::pal_current_ticks();
  for (int i = 0; i < 1000; ++i) {
    const et_timestamp_t now = executorch::runtime::pal_current_ticks();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_EQ(executorch::runtime::pal_ticks_to_ns_multiplier().numerator, 1u);
  EXPECT_EQ(executorch::runtime::pal_ticks_to_ns_multiplier().denominator, 1u);
}

TEST_F(PlatformTest, DefaultAllocatorGivesUsableMemory) {
  void* memory = executorch::runtime::pal_allocate(64);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignof(max_align_t), 0u);
  std::memset(memory, 1, 64);
  executorch::runtime::pal_free(memory);
  executorch::runtime::pal_free(nullptr);
}

TEST_F(PlatformTest, RegisterOverridesOnlyWhatIsGiven) {
  const PalImpl defaults = *get_pal_impl();
  EXPECT_TRUE(register_pal(PalImpl::create(drop_message, "here.cc")));
  EXPECT_EQ(get_pal_impl()->emit_log_message, drop_message);
  EXPECT_EQ(get_pal_impl()->current_ticks, defaults.current_ticks);
  EXPECT_STREQ(get_pal_impl()->source_filename, "here.cc");
}

TEST_F(PlatformTest, LastRegistrationWinsAndNullMeansDefault) {
  const PalImpl defaults = *get_pal_impl();
  EXPECT_TRUE(register_pal(PalImpl::create(nullptr, nullptr, fixed_ticks, fixed_ratio, nullptr,
                                           nullptr, nullptr, __FILE__)));
  EXPECT_EQ(executorch::runtime::pal_current_ticks(), 1234u);
  EXPECT_EQ(executorch::runtime::pal_ticks_to_ns_multiplier().numerator, 3u);
  EXPECT_TRUE(executorch::platform::register_pal(PalImpl::create(drop_message, __FILE__)));
  EXPECT_EQ(get_pal_impl()->current_ticks, defaults.current_ticks);
  EXPECT_EQ(get_pal_impl()->emit_log_message, drop_message);
}

TEST_F(PlatformTest, AllocateWithoutFreeIsRefused) {
  const PalImpl before = *get_pal_impl();
  PalImpl impl;
  impl.allocate = no_memory;
  EXPECT_FALSE(register_pal(impl));
  EXPECT_EQ(get_pal_impl()->allocate, before.allocate);
  impl.free = keep_memory;
  EXPECT_TRUE(register_pal(impl));
  EXPECT_EQ(executorch::runtime::pal_allocate(8), nullptr);
}

TEST_F(PlatformTest, InitRunsWhenATableIsRegistered) {
  PalImpl impl;
  impl.init = count_init;
  EXPECT_TRUE(register_pal(impl));
  EXPECT_EQ(init_calls, 1);
  executorch::runtime::runtime_init();
  executorch::runtime::runtime_init();
  EXPECT_EQ(init_calls, 1);
  EXPECT_TRUE(register_pal(impl));
  EXPECT_EQ(init_calls, 2);
}

void returning_abort() {}

TEST_F(PlatformTest, AbortDoesNotReturnEvenIfTheOverrideDoes) {
  PalImpl impl;
  impl.abort = returning_abort;
  ASSERT_TRUE(register_pal(impl));
  EXPECT_DEATH(executorch::runtime::pal_abort(), "");
}

}  // namespace
