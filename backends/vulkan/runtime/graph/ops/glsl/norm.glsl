// variants: float half
// Lines of equal length, each brought to mean 0 and variance 1 (or to a mean square of 1), then scaled and shifted.
// p: 0 lines, 1 elements of a line, 2 epsilon, 3 elements of one weight, 4 weights, 5 weights of a line.
#include "common.glsl"

layout(constant_id = 3) const int HAS_WEIGHT = 0;
layout(constant_id = 4) const int HAS_BIAS = 0;
layout(constant_id = 5) const int IS_SQUARE = 0;  // 1: the mean stays

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, T, weight);
BUFFER_IN(3, T, bias);

shared float values[64];

float over_lanes(float mine, int slot, int lane, int lanes) {
  values[slot + lane] = mine;
  barrier();
  float sum = 0.0;
  for (int other = 0; other < lanes; ++other) {
    sum += values[slot + other];
  }
  barrier();
  return sum;
}

void main() {
  int lanes = int(gl_WorkGroupSize.x);
  int lane = int(gl_LocalInvocationID.x);
  int slot = int(gl_LocalInvocationID.y) * lanes;
  int group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
  int line = group * int(gl_WorkGroupSize.y) + int(gl_LocalInvocationID.y);
  int base = min(line, p[0] - 1) * p[1];
  float mean = 0.0;
  if (IS_SQUARE == 0) {
    float sum = 0.0;
    for (int k = lane; k < p[1]; k += lanes) {
      sum += float(READ(x, base + k));
    }
    mean = over_lanes(sum, slot, lane, lanes) / float(p[1]);
  }
  float squares = 0.0;
  for (int k = lane; k < p[1]; k += lanes) {
    float v = float(READ(x, base + k)) - mean;
    squares += v * v;
  }
  float scale = inversesqrt(over_lanes(squares, slot, lane, lanes) / float(p[1]) + pf(2));
  if (line >= p[0]) {
    return;
  }
  int first = (line * p[5]) % p[4];
  for (int k = lane; k < p[1]; k += lanes) {
    float v = (float(READ(x, base + k)) - mean) * scale;
    int at = first + k / p[3];
    v = HAS_WEIGHT == 1 ? v * float(READ(weight, at)) : v;
    v = HAS_BIAS == 1 ? v + float(READ(bias, at)) : v;
    y[base + k] = T(v);
  }
}
