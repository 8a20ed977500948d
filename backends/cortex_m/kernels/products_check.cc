#include <executorch/backends/cortex_m/kernels/products.h>
#include <executorch/backends/cortex_m/kernels/products_check.h>

namespace cortex_m::native {

namespace {

constexpr size_t kMostDepth = 67;
constexpr size_t kMostChannels = 21;
// Loops must not read what lies behind an array, nor write there.
constexpr size_t kGuard = 16;

/// Numbers that look random.
class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 1) {}

  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }

  /// From low to high, both included.
  int32_t between(int32_t low, int32_t high) {
    return low + static_cast<int32_t>(next() % static_cast<uint32_t>(high - low + 1));
  }

 private:
  uint32_t state_;
};

struct Case {
  int8_t inputs[kColumns][kMostDepth > kMostChannels ? kMostDepth : kMostChannels];
  int8_t weight[kMostDepth * kMostChannels];
  int32_t bias[kMostChannels];
  int32_t seeds[kMostChannels];
  int32_t multipliers[kMostChannels];
  int32_t shifts[kMostChannels];
  int16_t expanded[2 * ((kMostDepth + 3) / 4 * 4)];
  int8_t out[kColumns * kMostChannels + kGuard];
  int16_t wide_inputs[kMostDepth];
  int16_t wide_out[kMostChannels + kGuard];
};

int8_t plain_output(int64_t sum, Factor factor, Output output) {
  // Both roundings written out on 64 bits.
  const int32_t left = factor.shift > 0 ? factor.shift : 0;
  const int32_t right = factor.shift > 0 ? 0 : -factor.shift;
  const int64_t product =
      (sum * (int64_t{1} << left) * factor.multiplier + (int64_t{1} << 30)) >> 31;
  const int64_t half = right == 0 ? 0 : int64_t{1} << (right - 1);
  const int64_t size = product < 0 ? -product : product;
  const int64_t rounded = (size + half) >> right;
  int64_t result = (product < 0 ? -rounded : rounded) + output.offset;
  result = result < output.min ? output.min : result;
  return static_cast<int8_t>(result > output.max ? output.max : result);
}

void fill(Random& random, Case& one, Layer& layer) {
  for (auto& column : one.inputs) {
    for (int8_t& value : column) {
      value = static_cast<int8_t>(random.next());
    }
  }
  for (int8_t& value : one.weight) {
    value = static_cast<int8_t>(random.next());
  }
  const int32_t most_shift = random.between(0, 1) == 0 ? -1 : 1;
  for (size_t c = 0; c < kMostChannels; ++c) {
    one.bias[c] = random.between(-30000, 30000);
    one.multipliers[c] = random.between(1 << 30, INT32_MAX);
    one.shifts[c] = random.between(-12, most_shift);
  }
  const int32_t low = random.between(-128, 0);
  layer = {one.weight,
           one.seeds,
           static_cast<size_t>(random.between(1, kMostChannels)),
           static_cast<size_t>(random.between(1, kMostDepth)),
           {one.multipliers, one.shifts, random.between(0, 2) != 0},
           {random.between(-128, 127), low, random.between(low, 127)},
           false};
}

/// Wrong outputs of `count` rows; `product(row, channel, k)` is one of `layer.depth` products.
template <typename Product>
uint32_t wrong(const Layer& layer, const Case& one, size_t count, const Product& product) {
  uint32_t found = 0;
  for (size_t row = 0; row < count; ++row) {
    for (size_t c = 0; c < layer.channels; ++c) {
      int64_t sum = one.bias[c];
      for (size_t k = 0; k < layer.depth; ++k) {
        sum += product(row, c, k);
      }
      const int8_t wanted = plain_output(sum, layer.factors.of(c), layer.output);
      found += one.out[row * layer.channels + c] != wanted ? 1 : 0;
    }
  }
  for (size_t i = 0; i < kGuard; ++i) {
    found += one.out[count * layer.channels + i] != 77 ? 1 : 0;
  }
  return found;
}

int16_t plain_wide_output(int64_t sum, Factor factor, Output output) {
  const int32_t rounded = (factor.multiplier >> 16) + ((factor.multiplier >> 15) & 1);
  const int64_t product = sum * (rounded > 0x7FFF ? 0x7FFF : rounded);
  const int32_t bits = 15 - factor.shift;
  const int64_t rest = product & ((int64_t{1} << bits) - 1);
  int64_t result = (product >> bits) + (rest >= int64_t{1} << (bits - 1) ? 1 : 0);
  result = result < output.min ? output.min : result;
  return static_cast<int16_t>(result > output.max ? output.max : result);
}

/// Wrong outputs of a row of int16 with the weight and the factors of a layer.
uint32_t wrong_wide(Random& random, Case& one, Layer layer) {
  for (int16_t& value : one.wide_inputs) {
    value = static_cast<int16_t>(random.next());
  }
  for (int16_t& value : one.wide_out) {
    value = 77;
  }
  layer.seeds = random.between(0, 1) == 0 ? nullptr : one.bias;
  const int32_t low = random.between(-32768, 0);
  layer.output = {0, low, random.between(low, 32767)};
  multiply_row(layer, one.wide_inputs, one.wide_out);
  uint32_t found = 0;
  for (size_t c = 0; c < layer.channels; ++c) {
    int64_t sum = layer.seeds == nullptr ? 0 : layer.seeds[c];
    for (size_t k = 0; k < layer.depth; ++k) {
      sum += one.wide_inputs[k] * int32_t{one.weight[c * layer.depth + k]};
    }
    found += one.wide_out[c] != plain_wide_output(sum, layer.factors.of(c), layer.output) ? 1 : 0;
  }
  for (size_t i = 0; i < kGuard; ++i) {
    found += one.wide_out[layer.channels + i] != 77 ? 1 : 0;
  }
  return found;
}

void clear(Case& one) {
  for (int8_t& value : one.out) {
    value = 77;
  }
}

}  // namespace

uint32_t check_products(uint32_t seed, uint32_t cases) {
  static Case one;
  Random random(seed);
  uint32_t found = 0;
  for (uint32_t i = 0; i < cases; ++i) {
    Layer layer;
    fill(random, one, layer);
    const int32_t offset = random.between(-127, 128);
    const auto count = static_cast<size_t>(random.between(1, kColumns));
    const int8_t* columns[kColumns];
    for (size_t row = 0; row < kColumns; ++row) {
      columns[row] = one.inputs[row];
    }
    const auto product = [&](size_t row, size_t c, size_t k) {
      return (one.inputs[row][k] + offset) * int32_t{one.weight[c * layer.depth + k]};
    };
    make_seeds(one.weight, layer.channels, layer.depth, one.bias, offset, one.seeds);
    layer.narrow = is_narrow(layer);
    clear(one);
    multiply_columns(layer, columns, count, one.expanded, one.out);
    found += wrong(layer, one, count, product);
    clear(one);
    multiply_row(layer, one.inputs[0], one.out);
    found += wrong(layer, one, 1, product);
    found += wrong_wide(random, one, layer);
    // A depthwise layer of as many taps as there are columns, at most.
    layer.depth = count;
    make_depthwise_seeds(one.weight, layer.channels, layer.depth, one.bias, offset, one.seeds);
    layer.narrow = is_narrow(layer);
    clear(one);
    multiply_taps(layer, columns, one.out);
    found += wrong(layer, one, 1, [&](size_t, size_t c, size_t tap) {
      return (one.inputs[tap][c] + offset) * int32_t{one.weight[tap * layer.channels + c]};
    });
  }
  return found;
}

}  // namespace cortex_m::native
