/// @file
/// Compares the loops of this processor with sums one product at a time. Runs wherever there is
/// nothing but a processor, so that tests on the machine and in firmware are the same.
#pragma once

#include <cstdint>

namespace cortex_m::native {

/// Makes `cases` layers of random sizes and numbers. @returns how many outputs are wrong.
uint32_t check_products(uint32_t seed, uint32_t cases);

}  // namespace cortex_m::native
