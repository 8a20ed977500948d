// variants: float half float_row:float,ROWS=1 half_row:half,ROWS=1 float_tall:float,ROWS=8 half_tall:half,ROWS=8 float_loose:float,LOOSE half_loose:half,LOOSE float_row_loose:float,ROWS=1,LOOSE half_row_loose:half,ROWS=1,LOOSE float_tall_loose:float,ROWS=8,LOOSE half_tall_loose:half,ROWS=8,LOOSE
// As matmul, where rows of A and B have no gaps and the depth is a multiple of 4: a read takes four elements of A. An invocation makes
// four neighbouring columns, the number of which is a multiple of 4 too; LOOSE, it makes COLUMNS of any number. p as for matmul.
#include "common.glsl"

#ifndef ROWS
#define ROWS 4
#endif

layout(constant_id = 3) const int BIAS = 0;
layout(constant_id = 4) const int CLAMP = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T4, a);
#if defined(LOOSE)
BUFFER_IN(2, T, b);
#else
BUFFER_IN(2, T4, b);
#endif
BUFFER_IN(3, T, bias);

#if defined(LOOSE)
#define COLUMNS 1
#define SUM float
#else
#define COLUMNS 4
#define SUM vec4
#endif

void main() {
  int blocks = (p[1] + COLUMNS - 1) / COLUMNS;
  int block = int(gl_GlobalInvocationID.x);
  int known = min(block, blocks - 1);
  int row = int(gl_WorkGroupID.y) * ROWS;
  int batch = int(gl_WorkGroupID.z);
  int deep = p[2] / 4;
  int at_b = batch * (p[4] / COLUMNS) + known;
  int at_a[ROWS];
  SUM sum[ROWS];
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    at_a[i] = batch * (p[3] / 4) + min(row + i, p[0] - 1) * deep;
    sum[i] = SUM(0.0);
  }
  for (int k = 0; k < deep; ++k) {
#if defined(LOOSE)
    float b0 = float(READ(b, at_b));
    float b1 = float(READ(b, at_b + blocks));
    float b2 = float(READ(b, at_b + 2 * blocks));
    float b3 = float(READ(b, at_b + 3 * blocks));
#else
    vec4 b0 = vec4(READ4(b, at_b));
    vec4 b1 = vec4(READ4(b, at_b + blocks));
    vec4 b2 = vec4(READ4(b, at_b + 2 * blocks));
    vec4 b3 = vec4(READ4(b, at_b + 3 * blocks));
#endif
    at_b += 4 * blocks;
    [[unroll]] for (int i = 0; i < ROWS; ++i) {
      vec4 left = vec4(READ4(a, at_a[i] + k));
      sum[i] += left.x * b0 + left.y * b1 + left.z * b2 + left.w * b3;
    }
  }
  [[unroll]] for (int i = 0; i < ROWS; ++i) {
    [[unroll]] for (int j = 0; j < COLUMNS; ++j) {
      int n = block * COLUMNS + j;
      if (row + i < p[0] && n < p[1]) {
#if defined(LOOSE)
        float v = pf(12) * sum[i];
#else
        float v = pf(12) * sum[i][j];
#endif
        if (BIAS == 1) {
          v += pf(13) * float(READ(bias, (row + i) * p[10] + n * p[11]));
        }
        if (CLAMP == 1) {
          v = v < pf(14) ? pf(14) : (v > pf(15) ? pf(15) : v);
        }
        y[batch * p[5] + (row + i) * p[1] + n] = T(v);
      }
    }
  }
}
