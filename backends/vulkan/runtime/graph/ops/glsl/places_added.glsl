// Results that elements are put into by their places, or with ADD are added to, where several may go to one place. Not every device adds floats in one
// step: what was there is exchanged for the sum until nobody came in between, so that sums are rounded in another order each time.

#if !defined(ADD)
BUFFER_OUT(0, T, y);

void put(int at, C value) { y[at] = T(value); }
#elif defined(VARIANT_INT)
layout(std430, binding = 0) buffer Buffer0 { int y[]; };

void put(int at, int value) { atomicAdd(y[at], value); }
#else
layout(std430, binding = 0) buffer Buffer0 { uint y[]; };

// Where a word holds two halves, the other one stays as it is.
uint sum_of(uint word, int at, float value) {
#if defined(VARIANT_HALF)
  int bits = 16 * (at & 1);
  float sum = unpackHalf2x16(word >> bits).x + value;
  return (word & ~(0xffffu << bits)) | (packHalf2x16(vec2(sum, 0.0)) << bits);
#else
  return floatBitsToUint(uintBitsToFloat(word) + value);
#endif
}

void put(int at, C value) {
#if defined(VARIANT_HALF)
  int word = at >> 1;
#else
  int word = at;
#endif
  uint guessed;
  uint seen = 0u;
  do {
    guessed = seen;
    seen = atomicCompSwap(y[word], guessed, sum_of(guessed, at, value));
  } while (seen != guessed);
}
#endif
