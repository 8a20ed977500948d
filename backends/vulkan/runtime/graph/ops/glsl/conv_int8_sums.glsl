// Sums of a word of four places for four channels of the result, or for eight (TWICE), whose weights are words of blocks of four channels.
#include "conv_int8_result.glsl"

layout(constant_id = 5) const int TWICE = 0;

// Of channels of the input that floats add up exactly, and of all before.
vec4 sum[CHANNELS];
ivec4 total[CHANNELS];
int at_w;
int at_more;

void add(vec4 v, uint one, uint other) {
  vec4 weights = four(one);
  [[unroll]] for (int j = 0; j < 4; ++j) {
    sum[j] += weights[j] * v;
  }
  if (TWICE == 1) {
    weights = four(other);
    [[unroll]] for (int j = 0; j < 4; ++j) {
      sum[4 + j] += weights[j] * v;
    }
  }
}

#if !defined(DEEP)
void add_next(vec4 v) {
  add(v, READ(w, at_w), TWICE == 1 ? READ(w, at_more) : 0u);
  ++at_w;
  ++at_more;
}
#endif

void begin_totals() {
  [[unroll]] for (int j = 0; j < CHANNELS; ++j) {
    total[j] = ivec4(0);
  }
}

void begin_sums() {
  [[unroll]] for (int j = 0; j < CHANNELS; ++j) {
    sum[j] = vec4(0.0);
  }
}

void end_sums() {
  [[unroll]] for (int j = 0; j < CHANNELS; ++j) {
    total[j] += ivec4(sum[j]);
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
