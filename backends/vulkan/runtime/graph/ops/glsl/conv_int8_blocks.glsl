// variants: int
// A convolution of int8 over two dimensions, a word of four places for four channels of the result an invocation; weights in blocks of four channels, which
// do not reach over the edge of a group. p: 1-16 as conv_int8.glsl, 17 zero point of the input, 18-21 of the result as in bytes.glsl.
#include "common.glsl"
#include "bytes.glsl"

layout(constant_id = 3) const int BIAS = 0;
// The input's words lie as the result's: one weight for each pair of channels.
layout(constant_id = 4) const int WORDS = 0;
// Channels of the result do not begin with words: a group makes all of four channels, and then their words.
layout(constant_id = 5) const int TOGETHER = 0;

BUFFER_OUT(0, uint, y);
BUFFER_IN(1, uint, x);
BUFFER_IN(2, uint, w);
BUFFER_IN(3, float, factors);
BUFFER_IN(4, float, bias);

#define CHANNELS 4
#define MOST_PLACES 256
shared int bytes[CHANNELS * MOST_PLACES];

ivec4 four_bytes(uint word) {
  int four = int(word);
  return ivec4(bitfieldExtract(four, 0, 8), bitfieldExtract(four, 8, 8), bitfieldExtract(four, 16, 8), bitfieldExtract(four, 24, 8));
}

void main() {
  int places = p[5] * p[6];
  int word = int(gl_GlobalInvocationID.x);
  bool is_there = word * 4 < places;
  int first = int(gl_WorkGroupID.y) * CHANNELS;
  int batch = int(gl_WorkGroupID.z);
  int plane = batch * p[1] + first / p[16] * p[15];
  int at_w = int(gl_WorkGroupID.y) * p[15] * p[7] * p[8];
  ivec4 total[CHANNELS];
  [[unroll]] for (int j = 0; j < CHANNELS; ++j) {
    total[j] = ivec4(0);
  }
  if (WORDS == 1) {
    int known = min(word, places / 4 - 1);
    for (int c = 0; c < p[15]; ++c) {
      ivec4 v = four_bytes(READ(x, (plane + c) * (places / 4) + known)) - p[17];
      ivec4 weights = four_bytes(READ(w, at_w + c));
      [[unroll]] for (int j = 0; j < CHANNELS; ++j) {
        total[j] += weights[j] * v;
      }
    }
  } else {
    ivec4 top;
    ivec4 left;
    [[unroll]] for (int i = 0; i < 4; ++i) {
      int at = min(word * 4 + i, places - 1);
      top[i] = at / p[6] * p[9] - p[11];
      left[i] = at % p[6] * p[10] - p[12];
    }
    for (int c = 0; c < p[15]; ++c) {
      for (int down = 0; down < p[7]; ++down) {
        for (int right = 0; right < p[8]; ++right, ++at_w) {
          ivec4 weights = four_bytes(READ(w, at_w));
          ivec4 v;
          [[unroll]] for (int i = 0; i < 4; ++i) {
            int row = top[i] + down * p[13];
            int column = left[i] + right * p[14];
            bool is_inside = row >= 0 && row < p[2] && column >= 0 && column < p[3];
            v[i] = is_inside ? BYTE(x, ((plane + c) * p[2] + row) * p[3] + column) - p[17] : 0;
          }
          [[unroll]] for (int j = 0; j < CHANNELS; ++j) {
            total[j] += weights[j] * v;
          }
        }
      }
    }
  }
  int channels = min(CHANNELS, p[4] - first);
  [[unroll]] for (int j = 0; j < CHANNELS; ++j) {
    if (is_there && j < channels) {
      float factor = READ(factors, first + j);
      float shift = BIAS == 1 ? READ(bias, first + j) : 0.0;
      uint made = 0u;
      [[unroll]] for (int i = 0; i < 4; ++i) {
        int value = quantized(float(total[j][i]) * factor + shift, 18);
        made |= in_word(value, i);
        if (TOGETHER == 1) {
          bytes[j * MOST_PLACES + word * 4 + i] = value;
        }
      }
      if (TOGETHER == 0) {
        y[(batch * p[4] + first + j) * (places / 4) + word] = made;
      }
    }
  }
  if (TOGETHER == 1) {
    barrier();
    int count = channels * places;
    int begin = (batch * p[4] + first) * places / 4;
    for (int made = int(gl_LocalInvocationID.x); made * 4 < count; made += int(gl_WorkGroupSize.x)) {
      uint four = 0u;
      [[unroll]] for (int i = 0; i < 4; ++i) {
        int at = min(made * 4 + i, count - 1);
        four |= in_word(bytes[at / places * MOST_PLACES + at % places], i);
      }
      y[begin + made] = four;
    }
  }
}
