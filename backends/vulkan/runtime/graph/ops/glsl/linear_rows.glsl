// variants: float_q4:float,Q4 half_q4:half,Q4 float_q8:float half_q8:half float_q4_dot:float,Q4,DOT half_q4_dot:half,Q4,DOT float_q8_dot:float,DOT half_q8_dot:half,DOT
// A linear layer whose rows are quantized to int8, each by a scale and a zero point of its own or all by one (p[4] is 0), with integer weights of 4 (Q4) or 8 bits, [N, K] by
// rows; in each group of p[3] columns, which are whole words of weights, these have one scale and are known in sum. Invocations beside each other
// quantize ROWS rows together, CHUNK words at a time. p: 0 rows, 1 columns, 2 depth, 3 depth of a group, 4 from one scale to the next.
#include "common.glsl"
#include "bytes.glsl"
#include "dot.glsl"

#define ROWS 4
#define CHUNK 64

layout(constant_id = 3) const int BIAS = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, uint, w);
BUFFER_IN(3, T, scales);
BUFFER_IN(4, T, bias);
BUFFER_IN(5, float, input_scales);
BUFFER_IN(6, int, input_zeros);
BUFFER_IN(7, int, sums);

shared uint rows[ROWS * CHUNK];

// The columns of a word of a row: neighbours, or with Q4 every second of eight, as they lie in the halves of bytes.
int column_of(int word, int i) {
#if defined(Q4)
  return (word >> 1) * 8 + 2 * i + (word & 1);
#else
  return word * 4 + i;
#endif
}

uint quantized_word(int line, int word) {
  float scale = READ(input_scales, line * p[4]);
  int zero = READ(input_zeros, line * p[4]);
  uint made = 0u;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    float v = float(READ(x, line * p[2] + column_of(word, i)));
    made |= in_word(clamp(int(roundEven(v / scale)) + zero, -128, 127), i);
  }
  return made;
}

uint weights_of(int column, int word) {
#if defined(Q4)
  uint bits = READ(w, column * (p[2] >> 3) + (word >> 1)) >> (4 * (word & 1));
  // What was stored with 8 more, as bytes with a sign.
  uint halves = (bits & 0x0f0f0f0fu) ^ 0x08080808u;
  return halves | ((halves & 0x08080808u) * 0x1eu);
#else
  return READ(w, column * (p[2] >> 2) + word);
#endif
}

void main() {
  int lanes = int(gl_WorkGroupSize.x);
  int lane = int(gl_LocalInvocationID.x);
  int column = int(gl_GlobalInvocationID.x);
  int row = int(gl_WorkGroupID.y) * ROWS;
  int known = min(column, p[1] - 1);
  float total[ROWS];
  int sum[ROWS];
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    total[i] = 0.0;
    sum[i] = 0;
  }
  int words = p[2] >> 2;
  int left = p[3] >> 2;
  int group = 0;
  for (int begin = 0; begin < words; begin += CHUNK) {
    int count = min(CHUNK, words - begin);
    barrier();
    for (int i = lane; i < ROWS * CHUNK; i += lanes) {
      int word = i % CHUNK;
      if (word < count) {
        rows[i] = quantized_word(min(row + i / CHUNK, p[0] - 1), begin + word);
      }
    }
    barrier();
    for (int k = 0; k < count; ++k) {
      uint weights = weights_of(known, begin + k);
      [[unroll]] for (int i = 0; i < ROWS; ++i) {
        sum[i] += dot4(rows[i * CHUNK + k], weights);
      }
      if (--left == 0) {
        float scale = float(READ(scales, group * p[1] + known));
        int all = READ(sums, group * p[1] + known);
        [[unroll]] for (int i = 0; i < ROWS; ++i) {
          total[i] += float(sum[i] - READ(input_zeros, min(row + i, p[0] - 1) * p[4]) * all) * scale;
          sum[i] = 0;
        }
        left = p[3] >> 2;
        ++group;
      }
    }
  }
  if (column >= p[1]) {
    return;
  }
  float shift = BIAS == 1 ? float(READ(bias, column)) : 0.0;
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    if (row + i < p[0]) {
      y[(row + i) * p[1] + column] = T(total[i] * READ(input_scales, (row + i) * p[4]) + shift);
    }
  }
}
