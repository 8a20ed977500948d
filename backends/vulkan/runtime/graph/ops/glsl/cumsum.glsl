// variants: float half int
// Running sums along one dimension. p: 0 lines, 1 elements of a line, 2 elements between its elements.
#include "common.glsl"

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);

void main() {
  int line = invocation();
  if (line >= p[0]) {
    return;
  }
  int base = (line / p[2]) * p[1] * p[2] + line % p[2];
  C sum = C(0);
  for (int k = 0; k < p[1]; ++k) {
    sum += C(READ(x, base + k * p[2]));
    y[base + k * p[2]] = T(sum);
  }
}
