// variants: float half
// exp(x - greatest) / sum along one dimension, or its logarithm. LANES invocations share a line.
// p: 0 lines, 1 elements of a line, 2 elements between its elements.
#include "common.glsl"

layout(constant_id = 3) const int LOGARITHM = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);

shared float values[64];

void main() {
  int lanes = int(gl_WorkGroupSize.x);
  int lane = int(gl_LocalInvocationID.x);
  int slot = int(gl_LocalInvocationID.y) * lanes;
  int group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
  int line = group * int(gl_WorkGroupSize.y) + int(gl_LocalInvocationID.y);
  int known = min(line, p[0] - 1);
  int base = (known / p[2]) * p[1] * p[2] + known % p[2];
  float greatest = -kInfinity;
  for (int k = lane; k < p[1]; k += lanes) {
    float v = float(READ(x, base + k * p[2]));
    greatest = isnan(v) || v > greatest ? v : greatest;
  }
  values[slot + lane] = greatest;
  barrier();
  for (int other = 0; other < lanes; ++other) {
    float v = values[slot + other];
    greatest = isnan(v) || v > greatest ? v : greatest;
  }
  barrier();
  float sum = 0.0;
  for (int k = lane; k < p[1]; k += lanes) {
    sum += exp(float(READ(x, base + k * p[2])) - greatest);
  }
  values[slot + lane] = sum;
  barrier();
  sum = 0.0;
  for (int other = 0; other < lanes; ++other) {
    sum += values[slot + other];
  }
  if (line >= p[0]) {
    return;
  }
  for (int k = lane; k < p[1]; k += lanes) {
    float v = float(READ(x, base + k * p[2])) - greatest;
    y[base + k * p[2]] = T(LOGARITHM == 1 ? v - log(sum) : exp(v) / sum);
  }
}
