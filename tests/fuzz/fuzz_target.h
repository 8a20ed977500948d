#pragma once

/// What the driver asks of a target. `LLVMFuzzerTestOneInput` is libFuzzer's interface; a target
/// links with its runtime as well where that is at hand.

#include <cstddef>
#include <cstdint>

extern "C" {

/// Does with the bytes what an application would do with a file that it does not trust. Returns 0;
/// anything but a return is a finding.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/// Optional. The same, and says whether everything worked (true) and a digest of what came out, so
/// that a damaged file whose results are wrong without a word can be counted.
bool FuzzTargetResult(const uint8_t* data, size_t size, uint64_t* digest) __attribute__((weak));
}
