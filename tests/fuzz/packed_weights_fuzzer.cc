// A file of packed weights that this machine has written, damaged in ways that the bytes choose.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <executorch/backends/xnnpack/runtime/packed_weights.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/tests/fuzz/choices.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/quiet.h>
#include <executorch/tests/fuzz/scratch_file.h>

namespace {

namespace xnnpack = executorch::backends::xnnpack;
using executorch::fuzz::Choices;
using executorch::runtime::Error;

const xnnpack::PackedKey kKeys[] = {{"first", 1}, {"second", 7}, {"a/longer/name", 7}};
constexpr size_t kSizes[] = {64, 1000, 4096};

xnnpack::Packed packed(size_t size, uint8_t fill) {
  const auto bytes = std::make_shared<std::vector<uint8_t>>(size, fill);
  return {bytes->data(), size, bytes};
}

/// Of three weights.
std::vector<uint8_t> make_file() {
  const std::string path = executorch::extension::testing::unused_path();
  {
    xnnpack::PackedWeights store(path);
    std::vector<std::shared_ptr<const xnnpack::Packed>> held;
    for (size_t i = 0; i < std::size(kKeys); ++i) {
      held.push_back(store.insert(kKeys[i], packed(kSizes[i], static_cast<uint8_t>(i + 1))));
    }
    (void)store.save();
  }
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  std::vector<uint8_t> bytes(1 << 16);
  bytes.resize(file == nullptr ? 0 : std::fread(bytes.data(), 1, bytes.size(), file));
  if (bytes.empty()) {
    std::fprintf(stderr, "no packed weights were written\n");
    std::abort();
  }
  std::fclose(file);
  ::unlink(path.c_str());
  return bytes;
}

std::vector<uint8_t> damaged(std::vector<uint8_t> file, Choices& choices) {
  for (uint64_t changes = choices.below(4); changes > 0; --changes) {
    const size_t at = choices.below(std::min<size_t>(file.size(), 2048));
    switch (choices.below(5)) {
      case 0:
        file[at] ^= static_cast<uint8_t>(1u << choices.below(8));
        break;
      case 1:
        file.resize(choices.below(file.size()) + 1);
        break;
      case 2:
        file.insert(file.end(), choices.below(300), 0x11);
        break;
      case 3: {
        const uint64_t number = choices.of<uint64_t>({0, 1, 64, UINT32_MAX, UINT64_MAX, 1u << 31});
        std::memcpy(file.data() + at / 8 * 8, &number,
                    std::min<size_t>(sizeof(number), file.size() - at / 8 * 8));
        break;
      }
      default: {
        const size_t from = choices.below(file.size());
        const size_t length = std::min({choices.below(256), file.size() - from, file.size() - at});
        std::memmove(file.data() + at, file.data() + from, length);
      }
    }
  }
  return file;
}

/// What is found must be what was written: a changed byte is a crash here, and not a wrong result.
void read(const xnnpack::PackedWeights& store) {
  for (size_t i = 0; i < std::size(kKeys); ++i) {
    const auto found = store.find(kKeys[i]);
    if (found == nullptr) {
      continue;
    }
    const auto* const bytes = static_cast<const uint8_t*>(found->data);
    const bool is_whole =
        found->size == kSizes[i] &&
        std::all_of(bytes, bytes + found->size, [&](uint8_t byte) { return byte == i + 1; });
    if (!is_whole) {
      std::fprintf(stderr, "weights %zu are not what was written\n", i);
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  executorch::fuzz::silence_log();
  static const std::vector<uint8_t> original = make_file();
  static executorch::fuzz::ScratchFile scratch;
  Choices choices(data, size);
  const std::vector<uint8_t> file = damaged(original, choices);
  const std::string path = scratch.write(file.data(), file.size());
  ::chmod(path.c_str(), choices.one_in(20) ? 0666 : 0600);
  {
    xnnpack::PackedWeights store(path);
    read(store);
    const auto added = store.insert({"added", 3}, packed(200, 9));
    (void)store.save();
  }
  const xnnpack::PackedWeights again(path);
  read(again);
  return 0;
}
