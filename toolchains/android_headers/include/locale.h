/* Bionic has more categories of locales than musl, and its newlocale() refuses a mask with any that
 * it has not. */
#pragma once

#include_next <locale.h>

#undef LC_ALL_MASK
#define LC_ALL_MASK 0x1fbf
