// variants: int int_deep:int,DEEP
// A convolution of int8 over two dimensions, a word of four places for four channels of the result, or for eight (TWICE), an invocation; weights in blocks
// of four channels, which do not reach over the edge of a group. p: 1-16 as conv_int8.glsl, 17 zero point of the input, 18-21 of the result as in
// bytes.glsl, 22 the last word of the input. DEEP: WORDS is 1 or 2, the channels of the input are a multiple of four, of which a read takes the weights.
#include "common.glsl"
#include "bytes.glsl"

#define CHANNELS 8
#include "conv_int8_sums.glsl"

// One weight for each pair of channels, without gaps: the four places lie next to each other in the input, in one word (1) or in two (2).
layout(constant_id = 6) const int WORDS = 0;

// Four places of the input that lie next to each other, less the zero point.
vec4 neighbours(int plane, int places, int word) {
  uint low;
  if (WORDS == 1) {
    low = READ(x, min(plane * (places / 4) + word, p[22]));
  } else {
    int at = plane * places + word * 4;
    low = joined(READ(x, min(at >> 2, p[22])), READ(x, min((at >> 2) + 1, p[22])), 8 * (at & 3));
  }
  return four(low) - float(p[17]);
}

#if defined(DEEP)
void add_channels(int plane, int begin, int end, int places, int word) {
  for (int c = begin; c < end; c += 4) {
    uvec4 ones = READ4(w, at_w);
    uvec4 others = TWICE == 1 ? READ4(w, at_more) : uvec4(0u);
    [[unroll]] for (int i = 0; i < 4; ++i) {
      add(neighbours(plane + c + i, places, word), ones[i], others[i]);
    }
    ++at_w;
    ++at_more;
  }
}
#else
void add_channels(int plane, int begin, int end, int places, int word) {
  if (WORDS != 0) {
    for (int c = begin; c < end; ++c) {
      add_next(neighbours(plane + c, places, word));
    }
    return;
  }
  int top[4];
  int left[4];
  [[unroll]] for (int i = 0; i < 4; ++i) {
    int at = min(word * 4 + i, places - 1);
    top[i] = at / p[6] * p[9] - p[11];
    left[i] = at % p[6] * p[10] - p[12];
  }
  for (int c = begin; c < end; ++c) {
    for (int down = 0; down < p[7]; ++down) {
      for (int right = 0; right < p[8]; ++right) {
        vec4 v;
        [[unroll]] for (int i = 0; i < 4; ++i) {
          int row = top[i] + down * p[13];
          int column = left[i] + right * p[14];
          bool is_inside = row >= 0 && row < p[2] && column >= 0 && column < p[3];
          v[i] = is_inside ? float(BYTE(x, ((plane + c) * p[2] + row) * p[3] + column) - p[17]) : 0.0;
        }
        add_next(v);
      }
    }
  }
}
#endif

void main() {
  int places = p[5] * p[6];
  int word = int(gl_GlobalInvocationID.x);
  int each = TWICE == 1 ? 8 : 4;
  int first = int(gl_WorkGroupID.y) * each;
  int plane = int(gl_WorkGroupID.z) * p[1] + first / p[16] * p[15];
  int taps = p[7] * p[8];
#if defined(DEEP)
  int weights_each = p[15] / 4;
#else
  int weights_each = p[15] * taps;
#endif
  at_w = first / 4 * weights_each;
  at_more = min(first / 4 + 1, (p[4] + 3) / 4 - 1) * weights_each;
  begin_totals();
  int together = MOST_EXACT / taps;
  for (int begin = 0; begin < p[15]; begin += together) {
    begin_sums();
    add_channels(plane, begin, min(begin + together, p[15]), places, word);
    end_sums();
  }
  put_totals(first, word, places);
}
