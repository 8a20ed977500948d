#include <cstdint>

#include <executorch/extension/llm/tokenizer/base64.h>

namespace tokenizers {
namespace {

int value_of(char digit) {
  if (digit >= 'A' && digit <= 'Z') {
    return digit - 'A';
  }
  if (digit >= 'a' && digit <= 'z') {
    return digit - 'a' + 26;
  }
  if (digit >= '0' && digit <= '9') {
    return digit - '0' + 52;
  }
  return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

}  // namespace

bool decode_base64(std::string_view text, std::string& bytes) {
  for (int padding = 0; padding < 2 && !text.empty() && text.back() == '='; ++padding) {
    text.remove_suffix(1);
  }
  uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    const int value = value_of(digit);
    if (value < 0) {
      return false;
    }
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  return count < 6;
}

}  // namespace tokenizers
