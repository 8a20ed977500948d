// The minimal layer is linked instead of the default: firmware gets no clock, no output, no heap.
#include <gtest/gtest.h>

#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/system.h>

TEST(MinimalPalTest, DoesNothing) {
  et_pal_init();
  EXPECT_EQ(et_pal_current_ticks(), 11223344u);
  EXPECT_EQ(et_pal_allocate(1), nullptr);
  et_pal_free(nullptr);
  et_pal_emit_log_message(0, kInfo, "f", "g", 1, "text", 4);
}

TEST(MinimalPalTest, AbortDoesNotReturn) { EXPECT_DEATH(et_pal_abort(), ""); }

TEST(SystemTest, LibraryNameIsNeverNull) {
  EXPECT_STREQ(et_pal_get_shared_library_name(nullptr), DYNAMIC_LIBRARY_NOT_SUPPORTED);
}
