// variants: float half
// Channels, each scaled and shifted by what is known of it. p: 0 elements, 1 channels, 2 elements of one, 3 epsilon.
#include "common.glsl"

layout(constant_id = 3) const int HAS_WEIGHT = 0;
layout(constant_id = 4) const int HAS_BIAS = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, T, weight);
BUFFER_IN(3, T, bias);
BUFFER_IN(4, T, mean);
BUFFER_IN(5, T, variance);

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int channel = (i / p[2]) % p[1];
  float v = (float(READ(x, i)) - float(READ(mean, channel))) * inversesqrt(float(READ(variance, channel)) + pf(3));
  v = HAS_WEIGHT == 1 ? v * float(READ(weight, channel)) : v;
  v = HAS_BIAS == 1 ? v + float(READ(bias, channel)) : v;
  y[i] = T(v);
}
