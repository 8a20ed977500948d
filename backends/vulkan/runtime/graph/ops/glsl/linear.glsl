// variants: float_q4:float,Q4 half_q4:half,Q4 float_q8:float,Q8 half_q8:half,Q8
// A linear layer with integer weights of 4 or 8 bits, [N, K] by rows; in each group of p[3] columns they have one scale.
// p: 0 rows, 1 columns, 2 depth, 3 depth of a group.
#include "common.glsl"

#define ROWS 4

layout(constant_id = 3) const int BIAS = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, uint, w);
BUFFER_IN(3, T, scales);
BUFFER_IN(4, T, bias);

#include "integer_weights.glsl"

void main() {
  int column = int(gl_GlobalInvocationID.x);
  int row = int(gl_WorkGroupID.y) * ROWS;
  int known = min(column, p[1] - 1);
  float total[ROWS];
  int at_x[ROWS];
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    total[i] = 0.0;
    at_x[i] = min(row + i, p[0] - 1) * p[2];
  }
  for (int begin = 0; begin < p[2]; begin += p[3]) {
    float sum[ROWS];
    [[unroll]] for (int i = 0; i < ROWS; ++i) {
      sum[i] = 0.0;
    }
    for (int k = begin; k < begin + p[3]; ++k) {
      float weight = float(weight_at(known * p[2] + k));
      [[unroll]] for (int i = 0; i < ROWS; ++i) {
        sum[i] += float(READ(x, at_x[i] + k)) * weight;
      }
    }
    float group_scale = float(READ(scales, (begin / p[3]) * p[1] + known));
    [[unroll]] for (int i = 0; i < ROWS; ++i) {
      total[i] += sum[i] * group_scale;
    }
  }
  if (column >= p[1]) {
    return;
  }
  float shift = BIAS == 1 ? float(READ(bias, column)) : 0.0;
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    if (row + i < p[0]) {
      y[(row + i) * p[1] + column] = T(total[i] + shift);
    }
  }
}
