#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/openvino/runtime/model_text.h>
#include <executorch/runtime/executor/testing/test_data_map.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace openvino {
namespace {

using runtime::Error;
using runtime::testing::TestDataMap;

const std::vector<float> kShared = {3.0F, 4.5F};

std::string u64(uint64_t value) {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += char(value >> (8 * i));
  }
  return text;
}

std::string place(const std::string& size) {
  return "offset=\"00000000000000000000\" size=\"" + size + "\"";
}

/// A shared constant of eight bytes, a small one of three at 4 of eight, and the shared one again.
struct Written {
  std::string text = "<?xml <a " + place("8") + "/> <b " + place("3") + "/> <c " + place("8");
  uint64_t small_place = 4;
  uint64_t content = 0;
  uint64_t third = text.rfind("offset") + 8;

  std::string bytes() const {
    const uint64_t first = text.find("offset") + 8;
    const uint64_t second = text.find("offset", first) + 8;
    std::string made = "ETOVTEXT" + u64(text.size()) + u64(3) + u64(1) + u64(8);
    made += u64(first) + u64(8) + u64(content) + u64(0);
    made += u64(second) + u64(3) + u64(1) + u64(small_place);
    made += u64(third) + u64(8) + u64(0) + u64(0);
    made += std::string(32, '\xab') + text;
    made.resize((made.size() + 63) / 64 * 64);
    return made + "....abc.";
  }
};

class ModelTextTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime::runtime_init();
    std::string key = "openvino_";
    for (int i = 0; i < 32; ++i) {
      key += "ab";
    }
    contents_.add(key, {2}, kShared);
  }

  Error error_of(const std::string& bytes) {
    return read_model_text(bytes.data(), bytes.size(), &contents_).error();
  }

  TestDataMap contents_;
};

TEST_F(ModelTextTest, PlacesAreCountedFromTheFirstConstant) {
  const std::string bytes = Written().bytes();
  const auto model = read_model_text(bytes.data(), bytes.size(), &contents_);
  ASSERT_TRUE(model.ok());
  const auto constant = [&](size_t index, size_t size) {
    size_t at = 0;
    for (size_t i = 0; i <= index; ++i) {
      at = model->text.find("offset=\"", at) + 8;
    }
    const uint64_t where = std::strtoull(model->text.c_str() + at, nullptr, 10);
    EXPECT_LE(where + size, model->size);
    return std::string(
        reinterpret_cast<const char*>(reinterpret_cast<uintptr_t>(model->begin) + where), size);
  };
  const std::string shared(reinterpret_cast<const char*>(kShared.data()), 8);
  EXPECT_EQ(constant(0, 8), shared);
  EXPECT_EQ(constant(1, 3), "abc");
  EXPECT_EQ(constant(2, 8), shared);
  EXPECT_EQ(model->shared.size(), 1);
}

TEST_F(ModelTextTest, AModelWithoutConstantsHasNoRange) {
  const std::string text = "<?xml <net/>";
  const std::string bytes = "ETOVTEXT" + u64(text.size()) + u64(0) + u64(0) + u64(0) + text;
  std::string padded = bytes;
  padded.resize((bytes.size() + 63) / 64 * 64);
  const auto model = read_model_text(padded.data(), padded.size(), nullptr);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->text, text);
  EXPECT_EQ(model->begin, nullptr);
  EXPECT_EQ(model->size, 0);
}

TEST_F(ModelTextTest, SharedWeightsHaveToBeThere) {
  const std::string bytes = Written().bytes();
  const TestDataMap empty;
  EXPECT_EQ(read_model_text(bytes.data(), bytes.size(), &empty).error(), Error::NotFound);
  EXPECT_EQ(read_model_text(bytes.data(), bytes.size(), nullptr).error(), Error::NotFound);
}

TEST_F(ModelTextTest, OtherSizesAreRefused) {
  contents_.cut(2);
  EXPECT_EQ(error_of(Written().bytes()), Error::DelegateInvalidCompatibility);
}

TEST_F(ModelTextTest, EveryPlaceIsAConstant) {
  Written outside;
  outside.small_place = 6;
  Written unknown;
  unknown.content = 2;
  Written elsewhere;
  elsewhere.third -= 1;
  Written further;
  further.text += " offset='99'";
  Written resized;
  resized.text.replace(resized.text.find("size=\"3"), 7, "size=\"9");
  Written hidden;
  hidden.text[0] = '\0';
  for (const Written& one : {outside, unknown, elsewhere, further, resized, hidden}) {
    EXPECT_EQ(error_of(one.bytes()), Error::DelegateInvalidCompatibility) << one.text;
  }
}

TEST_F(ModelTextTest, EveryShorteningIsRefused) {
  const std::string bytes = Written().bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(error_of(bytes.substr(0, size)), Error::DelegateInvalidCompatibility) << size;
  }
}

TEST_F(ModelTextTest, DamageLeavesNoPlaceOutside) {
  const std::string bytes = Written().bytes();
  std::mt19937 random(7);
  for (int turn = 0; turn < 20000; ++turn) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] = char(random());
    const auto model = read_model_text(damaged.data(), damaged.size(), &contents_);
    for (size_t at = 0; model.ok() && (at = model->text.find("offset=\"", at)) != std::string::npos;
         ++at) {
      EXPECT_LT(std::strtoull(model->text.c_str() + at + 8, nullptr, 10), model->size);
    }
  }
}

}  // namespace
}  // namespace openvino
}  // namespace backends
}  // namespace executorch
