#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/xnnpack/runtime/blob.h>
#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_for_tests.h>
#include <executorch/runtime/platform/runtime.h>

// A file says where the parts of a blob lie; nothing says that this suits the processor.

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using runtime::Error;
using testing::GraphForTests;

constexpr size_t kHeaderSize = 30;

template <typename T>
void put(std::string& bytes, size_t offset, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    bytes[offset + i] = static_cast<char>(value >> (8 * i));
  }
}

// A header, the flatbuffer at `offset`, and 64 bytes of constants behind it.
std::string with_header(const std::string& flatbuffer, uint32_t offset) {
  std::string blob(offset, '\0');
  std::memcpy(&blob[4], "XH00", 4);
  put(blob, 8, uint16_t{kHeaderSize});
  put(blob, 10, offset);
  put(blob, 14, static_cast<uint32_t>(flatbuffer.size()));
  put(blob, 18, static_cast<uint32_t>(offset + flatbuffer.size()));
  put(blob, 22, uint64_t{64});
  return blob + flatbuffer + std::string(64, '\1');
}

class BlobTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  GraphForTests graph_{1};
};

TEST_F(BlobTest, AnyPlaceInAFileWill) {
  for (uint32_t shift = 0; shift < 16; ++shift) {
    const std::string blob = with_header(graph_.blob(), kHeaderSize + shift);
    const auto parsed = Blob::parse(blob.data(), blob.size());
    ASSERT_TRUE(parsed.ok()) << shift;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(&parsed->graph()) % alignof(uint32_t), 0u) << shift;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(parsed->graph().xnodes()) % alignof(uint32_t), 0u);
    const auto executor = Executor::create(*parsed, &graph_.named(), {});
    EXPECT_TRUE(executor.ok()) << shift;
  }
}

TEST_F(BlobTest, HeadersThatLieAreRefused) {
  const std::string good = with_header(graph_.blob(), 32);
  ASSERT_TRUE(Blob::parse(good.data(), good.size()).ok());
  const auto refused = [&](size_t offset, uint64_t value, size_t size) {
    std::string blob = good;
    size == 4 ? put(blob, offset, static_cast<uint32_t>(value)) : put(blob, offset, value);
    return Blob::parse(blob.data(), blob.size()).error() == Error::DelegateInvalidCompatibility;
  };
  EXPECT_TRUE(refused(10, 0, 4)) << "the flatbuffer over the header";
  EXPECT_TRUE(refused(10, good.size() - 4, 4));
  EXPECT_TRUE(refused(10, UINT32_MAX, 4));
  EXPECT_TRUE(refused(14, UINT32_MAX, 4));
  EXPECT_TRUE(refused(14, 7, 4));
  EXPECT_TRUE(refused(18, UINT32_MAX, 4));
  EXPECT_TRUE(refused(22, 65, 8)) << "constants beyond the end";
  EXPECT_TRUE(refused(22, UINT64_MAX - 8, 8));
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
