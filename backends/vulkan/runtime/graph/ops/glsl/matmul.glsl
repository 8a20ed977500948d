// variants: float half float_row:float,ROWS=1,COLUMNS=1 half_row:half,ROWS=1,COLUMNS=1 float_narrow:float,COLUMNS=1 half_narrow:half,COLUMNS=1
// C[b] = alpha * A[b] B[b] + beta * bias, clamped: any strides, any sizes. A group makes ROWS rows.
// p: 0-2 rows, columns, depth; 3-5 elements between matrices of A, B, C; 6-7 strides of A; 8-9 of B; 10-11 of the bias;
// 12 alpha, 13 beta, 14-15 the least and the greatest result.
#include "common.glsl"

#ifndef ROWS
#define ROWS 4
#endif
#ifndef COLUMNS
#define COLUMNS 4
#endif

layout(constant_id = 3) const int BIAS = 0;
layout(constant_id = 4) const int CLAMP = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, a);
BUFFER_IN(2, T, b);
BUFFER_IN(3, T, bias);

void main() {
  int columns = p[1];
  int row = int(gl_WorkGroupID.y) * ROWS;
  int width = int(gl_NumWorkGroups.x * gl_WorkGroupSize.x);
  int column = int(gl_GlobalInvocationID.x);
  int batch = int(gl_WorkGroupID.z);
  int at_a[ROWS];
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    at_a[i] = batch * p[3] + min(row + i, p[0] - 1) * p[6];
  }
  int at_b[COLUMNS];
  [[unroll]] for (int j = 0; j < COLUMNS; ++j) {
    at_b[j] = batch * p[4] + min(column + j * width, columns - 1) * p[9];
  }
  float sum[ROWS][COLUMNS];
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    [[unroll]] for (int j = 0; j < COLUMNS; ++j) {
      sum[i][j] = 0.0;
    }
  }
  for (int k = 0; k < p[2]; ++k) {
    float right[COLUMNS];
    [[unroll]] for (int j = 0; j < COLUMNS; ++j) {
      right[j] = float(READ(b, at_b[j] + k * p[8]));
    }
    [[unroll]] for (int i = 0; i < ROWS; ++i) {
      float left = float(READ(a, at_a[i] + k * p[7]));
      [[unroll]] for (int j = 0; j < COLUMNS; ++j) {
        sum[i][j] += left * right[j];
      }
    }
  }
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    [[unroll]] for (int j = 0; j < COLUMNS; ++j) {
      int n = column + j * width;
      if (row + i < p[0] && n < columns) {
        float v = pf(12) * sum[i][j];
        if (BIAS == 1) {
          v += pf(13) * float(READ(bias, (row + i) * p[10] + n * p[11]));
        }
        if (CLAMP == 1) {
          v = v < pf(14) ? pf(14) : (v > pf(15) ? pf(15) : v);
        }
        y[batch * p[5] + (row + i) * columns + n] = T(v);
      }
    }
  }
}
