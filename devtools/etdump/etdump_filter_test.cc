#include <string>

#include <gtest/gtest.h>

#include <executorch/devtools/etdump/etdump_filter.h>
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace etdump {
namespace {

using runtime::Error;
using runtime::kUnsetDelegateDebugIntId;

class ETDumpFilterTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  bool keeps(const char* name) { return *filter_.filter(name, kUnsetDelegateDebugIntId); }
  bool keeps(int number) { return *filter_.filter(nullptr, number); }

  ETDumpFilter filter_;
};

TEST_F(ETDumpFilterTest, WithoutCriteriaEverythingIsKept) {
  EXPECT_TRUE(keeps("conv_1"));
  EXPECT_TRUE(keeps(12345));
  EXPECT_EQ(filter_.filter(nullptr, kUnsetDelegateDebugIntId).error(), Error::InvalidArgument);
}

TEST_F(ETDumpFilterTest, NamesMatchAPatternAsAWhole) {
  EXPECT_TRUE(*filter_.add_regex("conv_\\d+"));
  EXPECT_TRUE(keeps("conv_12"));
  EXPECT_FALSE(keeps("my_conv_12"));
  EXPECT_FALSE(keeps("linear"));
  EXPECT_TRUE(*filter_.add_regex("lin.*"));
  EXPECT_TRUE(keeps("linear"));
  EXPECT_TRUE(keeps(1)) << "there is no range";
}

TEST_F(ETDumpFilterTest, NumbersLieInARange) {
  EXPECT_EQ(filter_.set_debug_handle_range(20, 10).error(), Error::InvalidArgument);
  EXPECT_TRUE(*filter_.set_debug_handle_range(10, 20));
  EXPECT_FALSE(keeps(9));
  EXPECT_TRUE(keeps(10));
  EXPECT_TRUE(keeps(19));
  EXPECT_FALSE(keeps(20));
}

TEST_F(ETDumpFilterTest, PatternsAreCheckedAndCounted) {
  EXPECT_EQ(filter_.add_regex("conv(").error(), Error::InvalidArgument);
  for (size_t i = 0; i < ETDumpFilter::MAX_REGEX_PATTERNS; ++i) {
    ASSERT_TRUE(filter_.add_regex("op_" + std::to_string(i)).ok());
  }
  EXPECT_EQ(filter_.get_n_regex(), ETDumpFilter::MAX_REGEX_PATTERNS);
  EXPECT_EQ(filter_.add_regex("one more").error(), Error::OutOfResources);
}

TEST_F(ETDumpFilterTest, AnETDumpAsksIt) {
  ETDumpGen gen;
  gen.create_event_block("Execute");
  EXPECT_TRUE(*filter_.add_regex("conv.*"));
  gen.set_delegation_intermediate_output_filter(&filter_);
  EXPECT_TRUE(*gen.log_intermediate_output_delegate("conv_1", kUnsetDelegateDebugIntId, true));
  EXPECT_FALSE(*gen.log_intermediate_output_delegate("linear", kUnsetDelegateDebugIntId, true));
}

}  // namespace
}  // namespace etdump
}  // namespace executorch
