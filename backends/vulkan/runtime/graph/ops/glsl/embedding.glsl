// variants: float_q4:float,Q4 half_q4:half,Q4 float_q8:float,Q8 half_q8:half,Q8
// Rows of a table of integers, which have one scale in each group of p[4] columns. p: 0 elements, 1 columns, 2 numbers, 3 rows of the table.
#include "common.glsl"

BUFFER_OUT(0, T, y);
BUFFER_IN(1, uint, w);
BUFFER_IN(2, T, scales);
BUFFER_IN(3, int, numbers);
#include "integer_weights.glsl"

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int column = i % p[1];
  int number = READ(numbers, i / p[1]);
  // A number outside of the table reads the nearest row, not what lies beyond.
  int row = clamp(number, 0, p[3] - 1);
  y[i] = T(float(weight_at(row * p[1] + column)) * float(READ(scales, column / p[4] * p[3] + row)));
}
