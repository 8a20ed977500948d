// variants: float half
// How many elements lie in each of equally wide ranges from p[2] to p[3], the last of which has its end. The invocations of a group share the
// elements, and count for PART of the ranges. p: 0 ranges, 1 elements.
#include "common.glsl"

#define PART 512

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);

shared int counts[PART];

void main() {
  int lanes = int(gl_WorkGroupSize.x);
  int lane = int(gl_LocalInvocationID.x);
  int first = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * PART;
  for (int k = lane; k < PART; k += lanes) {
    counts[k] = 0;
  }
  barrier();
  float low = pf(2);
  float high = pf(3);
  for (int i = lane; i < p[1]; i += lanes) {
    float v = float(READ(x, i));
    bool is_inside = v >= low && v <= high;
    int own = is_inside ? min(int((v - low) / (high - low) * float(p[0])), p[0] - 1) : -1;
    if (own >= first && own < first + PART) {
      atomicAdd(counts[own - first], 1);
    }
  }
  barrier();
  for (int k = lane; k < PART && first + k < p[0]; k += lanes) {
    y[first + k] = T(float(counts[k]));
  }
}
