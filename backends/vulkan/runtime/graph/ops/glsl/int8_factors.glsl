// What layers of int8 make of their sums, which have a factor for each channel of the result, and a bias or none.

layout(constant_id = 3) const int BIAS = 0;

BUFFER_IN(3, float, factors);
BUFFER_IN(4, float, bias);

float shift_of(int channel) { return BIAS == 1 ? READ(bias, channel) : 0.0; }

// A word of sums that may be of four channels; `at` as for quantized.
uint word_of(int total[4], int channel[4], int at) {
  uint made = 0u;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    float value = float(total[i]) * READ(factors, channel[i]) + shift_of(channel[i]);
    made |= in_word(quantized(value, at), i);
  }
  return made;
}
