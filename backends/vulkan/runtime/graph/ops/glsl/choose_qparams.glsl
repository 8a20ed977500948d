// variants: float half
// Scale and zero point of each line. p: 0 lines, 1 elements of a line, 2-3 the least and the greatest integer, 4 the least scale.
#include "common.glsl"

layout(constant_id = 3) const int SYMMETRIC = 0;

BUFFER_OUT(0, float, scales);
BUFFER_OUT(1, int, zeros);
BUFFER_IN(2, T, x);

shared float lows[64];
shared float highs[64];

void main() {
  int lanes = int(gl_WorkGroupSize.x);
  int lane = int(gl_LocalInvocationID.x);
  int slot = int(gl_LocalInvocationID.y) * lanes;
  int group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
  int line = group * int(gl_WorkGroupSize.y) + int(gl_LocalInvocationID.y);
  int base = min(line, p[0] - 1) * p[1];
  float low = 0.0;
  float high = 0.0;
  for (int k = lane; k < p[1]; k += lanes) {
    float v = float(READ(x, base + k));
    low = min(low, v);
    high = max(high, v);
  }
  lows[slot + lane] = low;
  highs[slot + lane] = high;
  barrier();
  if (lane != 0 || line >= p[0]) {
    return;
  }
  for (int other = 1; other < lanes; ++other) {
    low = min(low, lows[slot + other]);
    high = max(high, highs[slot + other]);
  }
  float range = pf(3) - pf(2);
  if (SYMMETRIC == 1) {
    scales[line] = max(max(-low, high) / (range / 2.0), pf(4));
    zeros[line] = int((pf(3) + pf(2) + 1.0) / 2.0);
  } else {
    float scale = max((high - low) / range, pf(4));
    scales[line] = scale;
    zeros[line] = int(clamp(pf(2) - roundEven(low / scale), pf(2), pf(3)));
  }
}
