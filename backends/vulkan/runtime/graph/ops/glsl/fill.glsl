// variants: float half int
// start + i * step. p: 0 elements, 1 start, 2 step.
#include "common.glsl"

BUFFER_OUT(0, T, y);

void main() {
  int i = invocation();
  if (i < p[0]) {
    y[i] = T(scalar_at(1) + C(i) * scalar_at(2));
  }
}
