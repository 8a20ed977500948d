// Damaged files: whatever is changed in them, loading and running ends with an error or with some
// output, and never with a step outside of the memory that it was given.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/testing/run_all.h>
#include <executorch/runtime/executor/testing/sample_programs.h>
#include <executorch/runtime/executor/testing/test_kernels.h>
#include <executorch/runtime/platform/platform.h>

// Thousands of files, each with its own complaint: only the last words of a crash are of interest.
extern "C" void et_pal_emit_log_message(et_timestamp_t, et_pal_log_level_t level,
                                        const char* filename, const char*, size_t line,
                                        const char* message, size_t) {
  if (level == kFatal) {
    std::fprintf(stderr, "%s:%zu] %s\n", filename, line, message);
  }
}

namespace executorch {
namespace runtime {
namespace testing {
namespace {

constexpr Program::Verification kLevels[] = {Program::Verification::Minimal,
                                             Program::Verification::InternalConsistency};

class MutationTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    register_test_kernels();
    register_sample_backend();
  }

  void SetUp() override { files_ = sample_programs(); }

  // Counts how the file fared, per level.
  void run(const PteFile& file) {
    for (const Program::Verification level : kLevels) {
      for (const Error error : run_all(file, level)) {
        ++(error == Error::Ok ? num_ok_ : num_errors_);
      }
    }
  }

  std::vector<PteFile> files_;
  int num_ok_ = 0;
  int num_errors_ = 0;
};

// Where the flatbuffer ends, which is where mutations are interesting.
size_t program_size(const PteFile& file) {
  uint64_t size = file.size();
  if (std::memcmp(file.data() + 8, "eh00", 4) == 0) {
    std::memcpy(&size, file.data() + 16, sizeof(size));
  }
  return static_cast<size_t>(size);
}

TEST_F(MutationTest, UndamagedFilesRun) {
  for (const PteFile& file : files_) {
    for (const Program::Verification level : kLevels) {
      for (const Error error : run_all(file, level)) {
        EXPECT_EQ(error, Error::Ok);
      }
    }
  }
}

TEST_F(MutationTest, EveryTruncationIsAnError) {
  for (const PteFile& file : files_) {
    for (size_t size = 0; size < file.size(); size += 7) {
      const PteFile truncated(file.data(), size);
      for (const Program::Verification level : kLevels) {
        EXPECT_EQ(run_all(truncated, level), std::vector<Error>{Error::InvalidProgram});
      }
    }
  }
}

TEST_F(MutationTest, FlippedBitsDoNotCrash) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    PteFile file = files_[random() % files_.size()];
    const size_t size = program_size(file);  // A flip may change what it says.
    const int num_flips = 1 + static_cast<int>(random() % 3);
    for (int flip = 0; flip < num_flips; ++flip) {
      file.data()[random() % size] ^= static_cast<uint8_t>(1u << (random() % 8));
    }
    run(file);
  }
  EXPECT_GT(num_ok_, 100) << "most damage must not be the same early error";
  EXPECT_GT(num_errors_, 100);
}

TEST_F(MutationTest, OverwrittenWordsDoNotCrash) {
  constexpr uint32_t kWords[] = {
      0,  1,   2,      3,      5,       11,         12,         16,         17,         63,
      64, 128, 0x7fff, 0x8000, 0x10000, 0x40000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) {
    PteFile file = files_[random() % files_.size()];
    const size_t num_words = program_size(file) / 4;
    uint8_t* word = file.data() + 4 * (random() % num_words);
    uint32_t value = 0;
    std::memcpy(&value, word, sizeof(value));
    switch (random() % 3) {
      case 0:
        value = kWords[random() % (sizeof(kWords) / sizeof(kWords[0]))];
        break;
      case 1:
        value += static_cast<uint32_t>(random() % 33) - 16;
        break;
      default:
        // What is right in one place is often plausible in another.
        std::memcpy(&value, file.data() + 4 * (random() % num_words), sizeof(value));
    }
    std::memcpy(word, &value, sizeof(value));
    run(file);
  }
  EXPECT_GT(num_ok_, 100);
  EXPECT_GT(num_errors_, 100);
}

TEST_F(MutationTest, ClearedRangesDoNotCrash) {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    PteFile file = files_[random() % files_.size()];
    const size_t begin = random() % program_size(file);
    const size_t length = std::min<size_t>(1 + random() % 40, program_size(file) - begin);
    std::memset(file.data() + begin, static_cast<int>(random() % 2) * 255, length);
    run(file);
  }
  EXPECT_GT(num_errors_, 100);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
