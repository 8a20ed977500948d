#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <executorch/tests/fuzz/flatbuffer_fields.h>
#include <executorch/tests/fuzz/mutator.h>

namespace executorch {
namespace fuzz {

namespace {

constexpr uint32_t kWords[] = {
    0,       1,          2,          3,          5,          8,          11,        12,
    16,      17,         63,         64,         128,        255,        0x7fff,    0x8000,
    0x10000, 0x40000000, 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffffe, 0xffffffff};

uint64_t read(const Bytes& file, size_t offset) {
  uint64_t value = 0;
  std::memcpy(&value, file.data() + offset, sizeof(value));
  return value;
}

void overwrite_word(Random& random, Bytes& file, size_t size) {
  const size_t num_words = size / 4;
  uint8_t* word = file.data() + 4 * (random() % num_words);
  uint32_t value = 0;
  std::memcpy(&value, word, sizeof(value));
  switch (random() % 4) {
    case 0:
      value = kWords[random() % std::size(kWords)];
      break;
    case 1:
      value += static_cast<uint32_t>(random() % 65) - 32;
      break;
    case 2:
      value = static_cast<uint32_t>(random());
      break;
    default:
      // What is right in one place is often plausible in another.
      std::memcpy(&value, file.data() + 4 * (random() % num_words), sizeof(value));
  }
  std::memcpy(word, &value, sizeof(value));
}

void swap_words(Random& random, Bytes& file, size_t size) {
  uint8_t* a = file.data() + 4 * (random() % (size / 4));
  uint8_t* b = file.data() + 4 * (random() % (size / 4));
  uint8_t saved[4];
  std::memcpy(saved, a, 4);
  std::memmove(a, b, 4);
  std::memcpy(b, saved, 4);
}

void clear_range(Random& random, Bytes& file, size_t size) {
  const size_t begin = random() % size;
  const size_t length = std::min<size_t>(1 + random() % 40, size - begin);
  std::memset(file.data() + begin, static_cast<int>(random() % 2) * 255, length);
}

void insert_token(Random& random, Bytes& file, size_t size, const std::vector<Bytes>& dictionary) {
  const Bytes& token = dictionary[random() % dictionary.size()];
  if (token.size() <= size) {
    std::copy(token.begin(), token.end(), file.begin() + random() % (size - token.size() + 1));
  }
}

}  // namespace

size_t structured_size(const Bytes& file) {
  uint64_t size = file.size();
  if (file.size() >= 40 && std::memcmp(file.data() + 8, "eh00", 4) == 0) {
    size = read(file, 16);
  } else if (file.size() >= 48 && std::memcmp(file.data() + 8, "FH01", 4) == 0) {
    size = read(file, 16) + read(file, 24);
  }
  return static_cast<size_t>(std::min<uint64_t>(size, file.size()));
}

std::vector<Bytes> parse_dictionary(const std::string& text) {
  std::vector<Bytes> tokens;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find('"');
    const size_t end = line.rfind('"');
    if (line.empty() || line[0] == '#' || begin == std::string::npos || end <= begin) {
      continue;
    }
    Bytes token;
    for (size_t i = begin + 1; i < end; ++i) {
      if (line[i] == '\\' && i + 3 < end + 1 && line[i + 1] == 'x') {
        const std::string digits = line.substr(i + 2, 2);
        token.push_back(static_cast<uint8_t>(std::strtoul(digits.c_str(), nullptr, 16)));
        i += 3;
      } else {
        token.push_back(static_cast<uint8_t>(line[i]));
      }
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

Mutator::Mutator(uint64_t seed, std::vector<Bytes> dictionary,
                 std::shared_ptr<const FlatbufferFields> fields)
    : seed_(seed), dictionary_(std::move(dictionary)), fields_(std::move(fields)) {}

size_t Mutator::choose(uint64_t index, size_t count) const {
  Random random(seed_ * 0x9e3779b97f4a7c15u + index);
  return static_cast<size_t>(random() % count);
}

Bytes Mutator::random_bytes(uint64_t index, size_t size) const {
  Random random(seed_ * 0x9e3779b97f4a7c15u + index);
  Bytes bytes(size);
  for (uint8_t& byte : bytes) {
    byte = static_cast<uint8_t>(random() >> 32);
  }
  return bytes;
}

void Mutator::change_bytes(Random& random, Bytes& file, size_t size) const {
  switch (random() % 8) {
    case 0:
    case 1:
      file[random() % size] ^= static_cast<uint8_t>(1u << (random() % 8));
      break;
    case 2:
    case 3:
    case 4:
      overwrite_word(random, file, size);
      break;
    case 5:
      swap_words(random, file, size);
      break;
    case 6:
      if (dictionary_.empty()) {
        clear_range(random, file, size);
      } else {
        insert_token(random, file, size, dictionary_);
      }
      break;
    default:
      clear_range(random, file, size);
  }
}

Bytes Mutator::mutate(uint64_t index, const Bytes& original, bool everywhere) const {
  Random random(seed_ * 0x9e3779b97f4a7c15u + index);
  random.discard(1);  // The first number chose the seed.
  Bytes file = original;
  // Of the whole file: damage to its header must not let more of it be damaged.
  const size_t size = everywhere ? file.size() : structured_size(file);
  if (size < 8) {
    return file;
  }
  const int num_changes = 1 + static_cast<int>(random() % 3);
  for (int change = 0; change < num_changes; ++change) {
    const bool is_structured = fields_ != nullptr && random() % 8 != 0;
    if (!is_structured || !fields_->damage(random, file)) {
      change_bytes(random, file, size);
    }
  }
  if (random() % 50 == 0) {
    file.resize(random() % file.size());
  }
  return file;
}

}  // namespace fuzz
}  // namespace executorch
