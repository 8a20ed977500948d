#include <cstdio>
#include <memory>

#include <executorch/extension/llm/tokenizer/model_file.h>

namespace tokenizers {

bool read_file(const std::string& path, std::string& bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) {
    return false;
  }
  char block[1 << 14];
  size_t n;
  while ((n = std::fread(block, 1, sizeof(block), file.get())) > 0) {
    bytes.append(block, n);
  }
  return std::ferror(file.get()) == 0;
}

int byte_of(const std::string& piece) {
  unsigned int byte = 0;
  char rest = 0;
  const bool matches = piece.size() == 6 && piece.compare(0, 3, "<0x") == 0 &&
                       std::sscanf(piece.c_str(), "<0x%02X%c", &byte, &rest) == 2 && rest == '>';
  return matches ? static_cast<int>(byte) : -1;
}

}  // namespace tokenizers
