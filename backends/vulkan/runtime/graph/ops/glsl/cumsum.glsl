// variants: float half int float_whole:float,WHOLE half_whole:half,WHOLE
// Running sums along one dimension, with WHOLE of floats that are made integers first. p: 0 lines, 1 elements of a line, 2 elements between its elements.
#include "common.glsl"

#if defined(WHOLE)
#define SUM int
#define RESULT int
#else
#define SUM C
#define RESULT T
#endif

BUFFER_OUT(0, RESULT, y);
BUFFER_IN(1, T, x);

void main() {
  int line = invocation();
  if (line >= p[0]) {
    return;
  }
  int base = (line / p[2]) * p[1] * p[2] + line % p[2];
  SUM sum = SUM(0);
  for (int k = 0; k < p[1]; ++k) {
    sum += SUM(C(READ(x, base + k * p[2])));
    y[base + k * p[2]] = RESULT(sum);
  }
}
