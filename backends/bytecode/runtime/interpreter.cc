#include <algorithm>
#include <cmath>
#include <cstring>

#include <executorch/backends/bytecode/runtime/interpreter.h>

namespace executorch {
namespace backends {
namespace bytecode {
namespace {

template <typename F>
void each(float* to, const float* from, size_t count, F compute) {
  for (size_t i = 0; i < count; ++i) {
    to[i] = compute(from[i]);
  }
}

template <typename F>
void each_pair(float* to, const float* a, const float* b, size_t count, F compute) {
  for (size_t i = 0; i < count; ++i) {
    to[i] = compute(a[i], b[i]);
  }
}

// Not a number wins, as in PyTorch.
float smaller(float a, float b) { return std::isnan(a) || a < b ? a : b; }

float larger(float a, float b) { return std::isnan(a) || a > b ? a : b; }

void compute_pair(Op op, float* to, const float* a, const float* b, size_t n) {
  switch (op) {
    case Op::kAdd:
      return each_pair(to, a, b, n, [](float x, float y) { return x + y; });
    case Op::kSub:
      return each_pair(to, a, b, n, [](float x, float y) { return x - y; });
    case Op::kMul:
      return each_pair(to, a, b, n, [](float x, float y) { return x * y; });
    case Op::kDiv:
      return each_pair(to, a, b, n, [](float x, float y) { return x / y; });
    case Op::kMinimum:
      return each_pair(to, a, b, n, smaller);
    default:
      return each_pair(to, a, b, n, larger);
  }
}

void compute(Op op, float* to, const float* a, size_t n) {
  switch (op) {
    case Op::kNeg:
      return each(to, a, n, [](float x) { return -x; });
    case Op::kAbs:
      return each(to, a, n, [](float x) { return std::fabs(x); });
    case Op::kExp:
      return each(to, a, n, [](float x) { return std::exp(x); });
    case Op::kLog:
      return each(to, a, n, [](float x) { return std::log(x); });
    case Op::kSqrt:
      return each(to, a, n, [](float x) { return std::sqrt(x); });
    case Op::kRsqrt:
      return each(to, a, n, [](float x) { return 1.0f / std::sqrt(x); });
    case Op::kReciprocal:
      return each(to, a, n, [](float x) { return 1.0f / x; });
    case Op::kSigmoid:
      return each(to, a, n, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
    case Op::kTanh:
      return each(to, a, n, [](float x) { return std::tanh(x); });
    case Op::kSin:
      return each(to, a, n, [](float x) { return std::sin(x); });
    case Op::kCos:
      return each(to, a, n, [](float x) { return std::cos(x); });
    default:
      return each(to, a, n, [](float x) { return std::erf(x); });
  }
}

void run_block(const Code& code, const Operands& operands, size_t begin, size_t count,
               float* registers) {
  for (size_t i = 0; i < code.num_instructions(); ++i) {
    const Instruction step = code.instruction(i);
    if (step.op == Op::kOutput) {
      std::memcpy(operands.outputs[step.target] + begin, registers + step.first * kBlock,
                  count * sizeof(float));
      continue;
    }
    float* const to = registers + step.target * kBlock;
    if (step.op == Op::kInput) {
      std::memcpy(to, operands.inputs[step.first] + begin, count * sizeof(float));
    } else if (step.op == Op::kData) {
      std::memcpy(to, operands.data[step.first] + begin, count * sizeof(float));
    } else if (step.op == Op::kNumber) {
      std::fill_n(to, count, code.number(step.first));
    } else if (step.op < Op::kNeg) {
      compute_pair(step.op, to, registers + step.first * kBlock, registers + step.second * kBlock,
                   count);
    } else {
      compute(step.op, to, registers + step.first * kBlock, count);
    }
  }
}

}  // namespace

void run(const Code& code, const Operands& operands, size_t count, float* registers) {
  for (size_t begin = 0; begin < count; begin += kBlock) {
    run_block(code, operands, begin, std::min(kBlock, count - begin), registers);
  }
}

}  // namespace bytecode
}  // namespace backends
}  // namespace executorch
