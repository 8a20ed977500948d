/// @file
/// Fast memory of the board's, for programs compiled with the memory mode Dedicated_Sram. Both are
/// defined weakly, as none; firmware that has some defines them, before it loads such a program.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// Where it begins, at a multiple of 16.
extern unsigned char* ethosu_fast_scratch;

/// Its bytes: at least what the memory mode's section of Vela's configuration calls
/// `arena_cache_size`, or `--arena-cache-size`.
extern size_t ethosu_fast_scratch_size;
}
