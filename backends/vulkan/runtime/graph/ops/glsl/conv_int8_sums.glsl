// Totals that floats add up, of weights that are words of blocks of four channels.
#include "conv_int8_totals.glsl"

// Of channels of the input whose products a float adds up exactly.
vec4 sum[CHANNELS];
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
