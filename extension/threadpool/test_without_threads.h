#pragma once

#include <cstdint>

namespace executorch::extension::testing {

/// What a source without threads takes for their number, in a binary that has them.
int64_t count_threads_without();

}  // namespace executorch::extension::testing
