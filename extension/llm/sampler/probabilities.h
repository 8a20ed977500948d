#pragma once

#include <cstddef>
#include <vector>

namespace executorch {
namespace extension {
namespace llm {

/// Numbers that loops take at a time: some KiB, and what is known of each block saves looking into
/// most of them again.
constexpr size_t kProbabilityBlock = 1024;

/// The largest of n numbers; what is none (NaN) is not looked at, and of nothing else it is
/// negative infinity.
float largest_of(const float* x, size_t n);

/// x = exp((x - shift) * factor), where no exponent is positive, to within 2^-22; 0 below 2^-125.
/// @returns the sum.
float exponentials(float* x, size_t n, float shift, float factor);

/// Makes probabilities of logits: x = exp(x / temperature) / sum of these.
///
/// @returns the sum of each block of kProbabilityBlock.
std::vector<float> probabilities(float* x, size_t n, float temperature);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
