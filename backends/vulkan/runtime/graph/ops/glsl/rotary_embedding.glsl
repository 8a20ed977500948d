// variants: float half
// Neighbouring pairs of [B, S, H, D] turned by angles whose cosines and sines are [positions, D / 2]; the first position is p[4], or LIVE
// and read when it runs. p: 0 pairs, 1 S, 2 H, 3 D / 2.
#include "common.glsl"

layout(constant_id = 3) const int LIVE = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, T, cosines);
BUFFER_IN(3, T, sines);
BUFFER_IN(4, int, start);

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int position = p[4];
  if (LIVE == 1) {
    position = READ(start, 0);
  }
  int at = (position + (i / (p[2] * p[3])) % p[1]) * p[3] + i % p[3];
  float c = float(READ(cosines, at));
  float s = float(READ(sines, at));
  float a = float(READ(x, 2 * i));
  float b = float(READ(x, 2 * i + 1));
  y[2 * i] = T(a * c - b * s);
  y[2 * i + 1] = T(a * s + b * c);
}
