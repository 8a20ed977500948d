#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/runtime.h>

/// What tests of tokenizers that are read from files have in common.
namespace tokenizers::testing {

template <typename T>
class FileTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }

  /// Loads a file of these bytes.
  executorch::runtime::Error load(const std::string& bytes) {
    const executorch::extension::testing::TempFile file(bytes);
    return tokenizer_.load(file.path());
  }

  T tokenizer_;
};

/// Bytes as tiktoken's and tekken's files have them.
inline std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = i; j < i + 3; ++j) {
      bits = bits << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

}  // namespace tokenizers::testing
