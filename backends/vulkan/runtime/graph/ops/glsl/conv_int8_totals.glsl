// Totals of a word of four places for four channels of the result, or for eight (TWICE).
#include "conv_int8_result.glsl"

layout(constant_id = 5) const int TWICE = 0;

ivec4 total[CHANNELS];

void begin_totals() {
  [[unroll]] for (int j = 0; j < CHANNELS; ++j) {
    total[j] = ivec4(0);
  }
}

void put_totals(int first, int word, int places) {
  int channels = min(TWICE == 1 ? 8 : 4, p[4] - first);
  [[unroll]] for (int j = 0; j < CHANNELS; ++j) {
    if (word * 4 < places && j < channels) {
      put(j, first + j, word, total[j]);
    }
  }
  if (TOGETHER == 1) {
    put_together(first, channels);
  }
}
