// Weights of 4 (Q4) or 8 bits in words of the buffer w.

int weight_at(int i) {
#if defined(Q4)
  return int((READ(w, i >> 3) >> (4 * (i & 7))) & 15u) - 8;
#else
  return bitfieldExtract(int(READ(w, i >> 2)), 8 * (i & 3), 8);
#endif
}
