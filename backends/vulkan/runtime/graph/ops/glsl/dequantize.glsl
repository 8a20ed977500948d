// variants: float half
// int8 to floats. p: 0 elements, 1 scale, 2 zero point.
#include "common.glsl"
#include "bytes.glsl"

BUFFER_OUT(0, T, y);
BUFFER_IN(1, uint, x);

void main() {
  int i = invocation();
  if (i < p[0]) {
    y[i] = T(float(BYTE(x, i) - p[2]) * pf(1));
  }
}
