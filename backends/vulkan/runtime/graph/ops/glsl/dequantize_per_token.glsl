// variants: float half
// Lines of int8 to floats, each by a scale and a zero point of its own. p: 0 elements, 1 elements of a line.
#include "common.glsl"
#include "bytes.glsl"

BUFFER_OUT(0, T, y);
BUFFER_IN(1, uint, x);
BUFFER_IN(2, float, scales);
BUFFER_IN(3, uint, zeros);

void main() {
  int i = invocation();
  if (i < p[0]) {
    int line = i / p[1];
    y[i] = T(float(BYTE(x, i) - BYTE(zeros, line)) * READ(scales, line));
  }
}
