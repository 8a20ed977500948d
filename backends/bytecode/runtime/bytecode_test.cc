#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/bytecode/runtime/bytecode.h>
#include <executorch/backends/bytecode/runtime/interpreter.h>

namespace {

using executorch::backends::bytecode::Code;
using executorch::backends::bytecode::kBlock;
using executorch::backends::bytecode::Operands;
using executorch::runtime::Error;

// A blob as instructions.py writes it.
struct Blob {
  uint16_t inputs = 1;
  uint16_t outputs = 1;
  uint16_t registers = 2;
  std::vector<float> numbers;
  std::vector<std::string> keys;
  std::vector<std::vector<uint8_t>> steps;

  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> out = {'E', 'B', 'C', '1'};
    const auto u16 = [&out](size_t value) {
      out.push_back(static_cast<uint8_t>(value));
      out.push_back(static_cast<uint8_t>(value >> 8));
    };
    for (size_t count : {size_t{inputs}, size_t{outputs}, size_t{registers}, numbers.size(),
                         keys.size(), steps.size()}) {
      u16(count);
    }
    for (float number : numbers) {
      uint8_t raw[sizeof(float)];
      std::memcpy(raw, &number, sizeof(number));
      out.insert(out.end(), raw, raw + sizeof(raw));
    }
    for (const std::string& key : keys) {
      u16(key.size());
      out.insert(out.end(), key.begin(), key.end());
    }
    for (const std::vector<uint8_t>& step : steps) {
      out.insert(out.end(), step.begin(), step.end());
    }
    return out;
  }

  Error parse() const {
    const std::vector<uint8_t> data = bytes();
    Code code;
    return Code::parse(data.data(), data.size(), code);
  }
};

Blob scaled_sum() {
  Blob blob;
  blob.inputs = 2;
  blob.registers = 3;
  blob.numbers = {0.5f};
  // r0 = in0; r1 = in1; r2 = r0 + r1; r0 = 0.5; r1 = r2 * r0; out0 = r1
  blob.steps = {{0, 0, 0, 0}, {0, 1, 1, 0},  {16, 2, 0, 1},
                {1, 0, 0, 0}, {18, 1, 2, 0}, {3, 0, 1, 0}};
  return blob;
}

TEST(BytecodeTest, RunsBlocksAndWhatIsLeft) {
  const std::vector<uint8_t> bytes = scaled_sum().bytes();
  Code code;
  ASSERT_EQ(Code::parse(bytes.data(), bytes.size(), code), Error::Ok);
  for (size_t count : {size_t{0}, size_t{1}, kBlock, 3 * kBlock + 5}) {
    std::vector<float> a(count), b(count), sum(count + 1, -1.0f);
    for (size_t i = 0; i < count; ++i) {
      a[i] = static_cast<float>(i);
      b[i] = 2.0f;
    }
    std::vector<float> registers(code.num_registers() * kBlock);
    const float* inputs[] = {a.data(), b.data()};
    float* outputs[] = {sum.data()};
    executorch::backends::bytecode::run(code, {inputs, nullptr, outputs}, count, registers.data());
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(sum[i], (static_cast<float>(i) + 2.0f) / 2.0f);
    }
    EXPECT_EQ(sum[count], -1.0f) << "written past the end";
  }
}

TEST(BytecodeTest, EveryOperatorComputes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  struct Case {
    uint8_t op;
    float a;
    float b;
    float expected;
  };
  const Case cases[] = {
      {16, 3, 2, 5},
      {17, 3, 2, 1},
      {18, 3, 2, 6},
      {19, 3, 2, 1.5f},
      {20, 3, 2, 2},
      {20, nan, 2, nan},
      {20, 2, nan, nan},
      {21, 3, 2, 3},
      {21, nan, 2, nan},
      {21, 2, nan, nan},
      {32, 3, 0, -3},
      {33, -3, 0, 3},
      {34, 1, 0, std::exp(1.0f)},
      {35, 3, 0, std::log(3.0f)},
      {36, 4, 0, 2},
      {37, 4, 0, 0.5f},
      {38, 4, 0, 0.25f},
      {39, 0, 0, 0.5f},
      {40, 1, 0, std::tanh(1.0f)},
      {41, 1, 0, std::sin(1.0f)},
      {42, 1, 0, std::cos(1.0f)},
      {43, 1, 0, std::erf(1.0f)},
  };
  for (const Case& one : cases) {
    Blob blob;
    blob.inputs = 2;
    blob.registers = 3;
    blob.steps = {{0, 0, 0, 0}, {0, 1, 1, 0}, {one.op, 2, 0, 1}, {3, 0, 2, 0}};
    const std::vector<uint8_t> bytes = blob.bytes();
    Code code;
    ASSERT_EQ(Code::parse(bytes.data(), bytes.size(), code), Error::Ok);
    const float* inputs[] = {&one.a, &one.b};
    float result = 0;
    float* outputs[] = {&result};
    float registers[3 * kBlock];
    executorch::backends::bytecode::run(code, {inputs, nullptr, outputs}, 1, registers);
    if (std::isnan(one.expected)) {
      EXPECT_TRUE(std::isnan(result)) << int{one.op};
    } else {
      EXPECT_FLOAT_EQ(result, one.expected) << int{one.op};
    }
  }
}

TEST(BytecodeTest, RefusesWhatItCannotRun) {
  const auto with_step = [](std::vector<uint8_t> step) {
    Blob blob = scaled_sum();
    blob.steps.insert(blob.steps.begin() + 2, step);
    return blob.parse();
  };
  EXPECT_EQ(scaled_sum().parse(), Error::Ok);
  EXPECT_EQ(with_step({0, 0, 2, 0}), Error::DelegateInvalidCompatibility) << "no such input";
  EXPECT_EQ(with_step({1, 0, 1, 0}), Error::DelegateInvalidCompatibility) << "no such number";
  EXPECT_EQ(with_step({2, 0, 0, 0}), Error::DelegateInvalidCompatibility) << "no such tensor";
  EXPECT_EQ(with_step({16, 3, 0, 1}), Error::DelegateInvalidCompatibility) << "no such register";
  EXPECT_EQ(with_step({16, 0, 2, 1}), Error::DelegateInvalidCompatibility) << "not written yet";
  EXPECT_EQ(with_step({16, 0, 1, 2}), Error::DelegateInvalidCompatibility) << "not written yet";
  EXPECT_EQ(with_step({34, 0, 2, 0}), Error::DelegateInvalidCompatibility) << "not written yet";
  EXPECT_EQ(with_step({99, 0, 0, 1}), Error::DelegateInvalidCompatibility) << "unknown";
  EXPECT_EQ(with_step({3, 1, 0, 0}), Error::DelegateInvalidCompatibility) << "no such output";
  EXPECT_EQ(with_step({3, 0, 2, 0}), Error::DelegateInvalidCompatibility) << "not written yet";
  Blob silent = scaled_sum();
  silent.outputs = 2;
  EXPECT_EQ(silent.parse(), Error::DelegateInvalidCompatibility) << "an output without a value";
  Blob large = scaled_sum();
  large.registers = 257;
  EXPECT_EQ(large.parse(), Error::DelegateInvalidCompatibility);
  Code code;
  EXPECT_EQ(Code::parse(nullptr, 0, code), Error::DelegateInvalidCompatibility);
}

TEST(BytecodeTest, ReadsKeys) {
  Blob blob;
  blob.keys = {"first", "", "third"};
  blob.steps = {{2, 0, 2, 0}, {3, 0, 0, 0}};
  const std::vector<uint8_t> bytes = blob.bytes();
  Code code;
  ASSERT_EQ(Code::parse(bytes.data(), bytes.size(), code), Error::Ok);
  EXPECT_EQ(code.data_key(0), "first");
  EXPECT_EQ(code.data_key(1), "");
  EXPECT_EQ(code.data_key(2), "third");
}

TEST(BytecodeTest, SurvivesDamage) {
  Blob blob = scaled_sum();
  blob.keys = {"a key"};
  const std::vector<uint8_t> sound = blob.bytes();
  Code code;
  for (size_t size = 0; size < sound.size(); ++size) {
    // An exact allocation, so that a sanitizer sees reads past its end.
    const std::vector<uint8_t> cut(sound.begin(), sound.begin() + size);
    EXPECT_NE(Code::parse(cut.data(), cut.size(), code), Error::Ok) << size;
  }
  std::mt19937 random(1);
  float input[2] = {1, 2};
  const float* tensors[256];
  std::fill_n(tensors, 256, input);
  float result[256][2];
  float* outputs[256];
  for (size_t i = 0; i < 256; ++i) {
    outputs[i] = result[i];
  }
  std::vector<float> registers(256 * kBlock);
  size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> damaged = sound;
    for (int change = 0; change < 3; ++change) {
      damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    }
    if (Code::parse(damaged.data(), damaged.size(), code) == Error::Ok) {
      ++accepted;
      executorch::backends::bytecode::run(code, {tensors, tensors, outputs}, 2, registers.data());
    }
  }
  EXPECT_GT(accepted, 0u) << "the round trips that pass are what shows that checking is enough";
}

}  // namespace
