// variants: float_q4:float,Q4 half_q4:half,Q4 float_q8:float,Q8 half_q8:half,Q8 float_dq4:float,Q4,DYNAMIC half_dq4:half,Q4,DYNAMIC
// A linear layer with integer weights of 4 or 8 bits, [N, K] by rows; in each group of p[3] columns they have one scale.
// The input is quantized row by row where it is dynamic. p: 0 rows, 1 columns, 2 depth, 3 depth of a group.
#include "common.glsl"

#define ROWS 4

layout(constant_id = 3) const int BIAS = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, uint, w);
BUFFER_IN(3, T, scales);
BUFFER_IN(4, T, bias);
#if defined(DYNAMIC)
BUFFER_IN(5, float, input_scales);
BUFFER_IN(6, int, input_zeros);
#define S int
#else
#define S float
#endif

#include "integer_weights.glsl"

void main() {
  int column = int(gl_GlobalInvocationID.x);
  int row = int(gl_WorkGroupID.y) * ROWS;
  int known = min(column, p[1] - 1);
  float total[ROWS];
  int at_x[ROWS];
#if defined(DYNAMIC)
  float scale[ROWS];
  int zero[ROWS];
#endif
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    int line = min(row + i, p[0] - 1);
    total[i] = 0.0;
    at_x[i] = line * p[2];
#if defined(DYNAMIC)
    scale[i] = READ(input_scales, line);
    zero[i] = READ(input_zeros, line);
#endif
  }
  for (int begin = 0; begin < p[2]; begin += p[3]) {
    S sum[ROWS];
    [[unroll]] for (int i = 0; i < ROWS; ++i) {
      sum[i] = S(0);
    }
    for (int k = begin; k < begin + p[3]; ++k) {
      int weight = weight_at(known * p[2] + k);
      [[unroll]] for (int i = 0; i < ROWS; ++i) {
        float v = float(READ(x, at_x[i] + k));
#if defined(DYNAMIC)
        int q = clamp(int(roundEven(v / scale[i])) + zero[i], -128, 127);
        sum[i] += (q - zero[i]) * weight;
#else
        sum[i] += v * float(weight);
#endif
      }
    }
    float group_scale = float(READ(scales, (begin / p[3]) * p[1] + known));
    [[unroll]] for (int i = 0; i < ROWS; ++i) {
      total[i] += float(sum[i]) * group_scale;
    }
  }
  if (column >= p[1]) {
    return;
  }
  float shift = BIAS == 1 ? float(READ(bias, column)) : 0.0;
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    if (row + i < p[0]) {
#if defined(DYNAMIC)
      y[(row + i) * p[1] + column] = T(total[i] * scale[i] + shift);
#else
      y[(row + i) * p[1] + column] = T(total[i] + shift);
#endif
    }
  }
}
