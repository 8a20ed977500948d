#include <cstdlib>

#include <gtest/gtest.h>

#include <executorch/backends/openvino/runtime/library.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace openvino {
namespace {

using runtime::Error;

class LibraryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime::runtime_init();
    unsetenv(kLibraryVariable);
    unsetenv("LD_LIBRARY_PATH");
  }
};

TEST_F(LibraryTest, AFileThatIsNotThereIsNotFound) {
  setenv(kLibraryVariable, "/nowhere/libopenvino_c.so", 1);
  EXPECT_EQ(load_library().error(), Error::NotFound);
  EXPECT_EQ(load_library("/nowhere", false).error(), Error::NotFound);
}

TEST_F(LibraryTest, ALibraryWithoutTheFunctionsIsNotFound) {
  setenv(kLibraryVariable, "libm.so.6", 1);
  EXPECT_EQ(load_library().error(), Error::NotFound);
}

TEST_F(LibraryTest, TheBackendIsRegisteredAndSaysThatItIsNotAvailable) {
  setenv(kLibraryVariable, "/nowhere/libopenvino_c.so", 1);
  const auto* const backend = runtime::get_backend_class("OpenvinoBackend");
  ASSERT_NE(backend, nullptr);
  EXPECT_FALSE(backend->is_available());
  const char bytes[] = "RR_UPCVO";
  runtime::FreeableBuffer processed(bytes, sizeof(bytes), nullptr);
  runtime::BackendInitContext context(nullptr);
  EXPECT_EQ(backend->init(context, &processed, {}).error(), Error::NotFound);
}

}  // namespace
}  // namespace openvino
}  // namespace backends
}  // namespace executorch
