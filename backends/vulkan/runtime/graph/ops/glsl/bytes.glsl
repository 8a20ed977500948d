// Tensors of int8: four elements in a word, in their order, so that no device needs storage of 8 bits. An invocation writes a whole word; behind the
// last element there is nothing that anybody reads.

#define BYTE(name, i) bitfieldExtract(int(READ(name, (i) >> 2)), 8 * ((i) & 3), 8)

// An integer as one of a word's four.
uint in_word(int value, int lane) { return uint(value & 255) << (8 * lane); }

// What is calculated as an integer from p[at + 2] to p[at + 3]; p[at] is one divided by the scale, p[at + 1] the zero point.
int quantized(float value, int at) {
  return int(clamp(roundEven(value * pf(at)) + float(p[at + 1]), float(p[at + 2]), float(p[at + 3])));
}

// Products of a number of 9 bits and one of 8 that a float adds up exactly: sums stay below 2^24. Multiplying floats is what every device is fast at.
#define MOST_EXACT 512

// The elements of a word.
vec4 four(uint word) {
  int bits = int(word);
  return vec4(bitfieldExtract(bits, 0, 8), bitfieldExtract(bits, 8, 8), bitfieldExtract(bits, 16, 8), bitfieldExtract(bits, 24, 8));
}

// Four elements that begin so many bits within a word, and go on in the next one.
uint joined(uint low, uint high, int bits) { return bits == 0 ? low : (low >> bits) | (high << (32 - bits)); }
