// variants: float half
// Groups of rows, each with a matrix of its own [G, K, N]; a group begins where the one before it ends, and rows behind the last are zero. p: 0 elements
// of the result, 1 columns, 2 depth, 3 groups.
#include "common.glsl"

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, T, w);
BUFFER_IN(3, int, ends);

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int row = i / p[1];
  int column = i % p[1];
  int group = 0;
  while (group < p[3] && READ(ends, group) <= row) {
    ++group;
  }
  float sum = 0.0;
  for (int k = 0; group < p[3] && k < p[2]; ++k) {
    sum += float(READ(x, row * p[2] + k)) * float(READ(w, (group * p[2] + k) * p[1] + column));
  }
  y[i] = T(sum);
}
