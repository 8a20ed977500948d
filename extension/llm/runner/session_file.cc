#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include <executorch/extension/llm/runner/session_file.h>
#include <executorch/runtime/platform/log.h>

// A file is: the mark; the model's fingerprint; the number of bytes that follow, and their hash;
// then tokens, pending tokens and buffers, each list behind its length. Numbers are 8 bytes, the
// least first.

namespace executorch {
namespace extension {
namespace llm {

using executorch::aten::ScalarType;
using runtime::Error;
using runtime::Result;

namespace {

constexpr char kMark[8] = {'E', 'T', 'S', 'E', 'S', 'S', '0', '1'};
constexpr size_t kHeader = sizeof(kMark) + 3 * sizeof(uint64_t);
constexpr size_t kMostDims = 16;

/// A hash by multiplication and rotation, of words and a rest. Four lanes, since a multiplication
/// has to wait for the one before it.
class Hash {
 public:
  void add(const void* data, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    while (size > 0) {
      const size_t count = std::min(size, sizeof(held_) - filled_);
      std::memcpy(held_ + filled_, bytes, count);
      filled_ += count;
      bytes += count;
      size -= count;
      length_ += count;
      if (filled_ == sizeof(held_)) {
        mix();
      }
    }
  }

  uint64_t value() {
    std::memset(held_ + filled_, 0, sizeof(held_) - filled_);
    mix();
    uint64_t all = length_;
    for (const uint64_t lane : lanes_) {
      all = (all ^ lane) * kFactor;
      all ^= all >> 29;
    }
    return all;
  }

 private:
  static constexpr uint64_t kFactor = 0x9e3779b97f4a7c15ULL;

  void mix() {
    for (size_t i = 0; i < 4; ++i) {
      uint64_t word = 0;
      std::memcpy(&word, held_ + i * sizeof(word), sizeof(word));
      lanes_[i] = (lanes_[i] ^ word) * kFactor;
      lanes_[i] = (lanes_[i] << 31) | (lanes_[i] >> 33);
    }
    filled_ = 0;
  }

  uint64_t lanes_[4] = {1, 2, 3, 4};
  uint8_t held_[4 * sizeof(uint64_t)] = {};
  size_t filled_ = 0;
  uint64_t length_ = 0;
};

class Writer {
 public:
  void number(uint64_t value) {
    for (int i = 0; i < 8; ++i) {
      bytes_.push_back(static_cast<char>(value >> (8 * i)));
    }
  }
  void bytes(const void* data, size_t size) {
    number(size);
    bytes_.append(static_cast<const char*>(data), size);
  }
  void numbers(const std::vector<uint64_t>& values) {
    number(values.size());
    for (const uint64_t value : values) {
      number(value);
    }
  }
  const std::string& all() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads what Writer wrote; after the first thing that is not there, everything is zero or empty.
class Reader {
 public:
  Reader(const char* data, size_t size) : data_(data), left_(size) {}

  uint64_t number() {
    if (!take(8)) {
      return 0;
    }
    uint64_t value = 0;
    for (int i = 7; i >= 0; --i) {
      value = (value << 8) | static_cast<uint8_t>(data_[i - 8]);
    }
    return value;
  }
  /// A length of a list whose elements have at least so many bytes.
  size_t count(size_t least) {
    const uint64_t value = number();
    if (value > left_ / least) {
      good_ = false;
      return 0;
    }
    return static_cast<size_t>(value);
  }
  std::vector<uint64_t> numbers() {
    std::vector<uint64_t> values(count(8));
    for (uint64_t& value : values) {
      value = number();
    }
    return values;
  }
  std::string bytes() {
    const size_t size = count(1);
    return take(size) ? std::string(data_ - size, size) : std::string();
  }
  bool ended() const { return good_ && left_ == 0; }

 private:
  bool take(size_t size) {
    good_ = good_ && size <= left_;
    if (good_) {
      data_ += size;
      left_ -= size;
    }
    return good_;
  }

  const char* data_;
  size_t left_;
  bool good_ = true;
};

std::string packed(const SessionState& state) {
  Writer out;
  out.numbers(state.tokens);
  out.numbers(state.pending);
  out.number(state.caches.buffers().size());
  for (const auto& buffer : state.caches.buffers()) {
    out.bytes(buffer.name.data(), buffer.name.size());
    out.number(static_cast<uint64_t>(buffer.dtype));
    out.number(buffer.sizes.size());
    for (const int32_t size : buffer.sizes) {
      out.number(static_cast<uint64_t>(size));
    }
    out.bytes(buffer.bytes.data(), buffer.bytes.size());
  }
  return out.all();
}

bool unpack(Reader& in, SessionState& state) {
  state.tokens = in.numbers();
  state.pending = in.numbers();
  std::vector<CacheState::Buffer> buffers(in.count(4 * 8));
  for (auto& buffer : buffers) {
    buffer.name = in.bytes();
    const uint64_t dtype = in.number();
    if (dtype >= static_cast<uint64_t>(ScalarType::NumOptions)) {
      return false;
    }
    buffer.dtype = static_cast<ScalarType>(dtype);
    buffer.sizes.resize(std::min(in.count(8), kMostDims));
    for (int32_t& size : buffer.sizes) {
      size = static_cast<int32_t>(in.number());
    }
    const std::string bytes = in.bytes();
    buffer.bytes.assign(bytes.begin(), bytes.end());
  }
  state.caches = CacheState(std::move(buffers));
  return in.ended();
}

uint64_t hash_of(const std::string& bytes) {
  Hash hash;
  hash.add(bytes.data(), bytes.size());
  return hash.value();
}

Error refuse(const std::string& path, const char* why) {
  ET_LOG(Error, "%s %s. Way out: remove it, and let the prompt run again", path.c_str(), why);
  return Error::InvalidExternalData;
}

}  // namespace

Result<uint64_t> fingerprint_of(const std::vector<std::string>& files) {
  Hash hash;
  std::vector<char> part(1 << 20);
  for (const std::string& name : files) {
    std::ifstream file(name, std::ios::binary);
    uint64_t size = 0;
    while (file.good()) {
      file.read(part.data(), static_cast<std::streamsize>(part.size()));
      hash.add(part.data(), static_cast<size_t>(file.gcount()));
      size += static_cast<uint64_t>(file.gcount());
    }
    if (file.bad() || size == 0) {
      ET_LOG(Error, "%s cannot be read", name.c_str());
      return Error::AccessFailed;
    }
    hash.add(&size, sizeof(size));
  }
  return hash.value();
}

Error write_session(const std::string& path, uint64_t model, const SessionState& state) {
  const std::string payload = packed(state);
  Writer head;
  head.number(model);
  head.number(payload.size());
  head.number(hash_of(payload));
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file.write(kMark, sizeof(kMark));
  file.write(head.all().data(), static_cast<std::streamsize>(head.all().size()));
  file.write(payload.data(), static_cast<std::streamsize>(payload.size()));
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    ET_LOG(Error, "%s cannot be written", path.c_str());
    (void)std::remove(unfinished.c_str());
    return Error::AccessFailed;
  }
  return Error::Ok;
}

Result<SessionState> read_session(const std::string& path, uint64_t model) {
  std::ifstream file(path, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad() || !file.is_open()) {
    ET_LOG(Error, "%s cannot be read", path.c_str());
    return Error::AccessFailed;
  }
  if (all.size() < kHeader || std::memcmp(all.data(), kMark, sizeof(kMark)) != 0) {
    return refuse(path, "is no prompt cache of this version");
  }
  Reader head(all.data() + sizeof(kMark), kHeader - sizeof(kMark));
  const uint64_t made_for = head.number();
  const uint64_t size = head.number();
  const uint64_t hash = head.number();
  const std::string payload = all.substr(kHeader);
  if (size != payload.size() || hash != hash_of(payload)) {
    return refuse(path, "is damaged");
  }
  if (made_for != model) {
    ET_LOG(Error,
           "%s is the prompt cache of another model, %016" PRIx64 ", this one is %016" PRIx64
           ". Way out: remove it, and let the prompt run again",
           path.c_str(), made_for, model);
    return Error::InvalidArgument;
  }
  SessionState state;
  Reader in(payload.data(), payload.size());
  if (!unpack(in, state)) {
    return refuse(path, "does not say what a prompt cache says");
  }
  return state;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
