// variants: float half float_indices:float,INDICES half_indices:half,INDICES
// The greatest or the mean element of windows. p: 0 elements of y; 1-4 planes, H, W, and whether padding counts; 5-6 OH, OW;
// 7-8 kernel; 9-10 stride; 11-12 padding; 13-14 dilation; 15 a divisor, or 0.
#include "common.glsl"

layout(constant_id = 3) const int KIND = 0;  // 0 greatest, 1 mean, 2 mean of windows that divide the plane

BUFFER_OUT(0, T, y);
#if defined(INDICES)
BUFFER_OUT(1, int, indices);
BUFFER_IN(2, T, x);
#else
BUFFER_IN(1, T, x);
#endif

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int ox = i % p[6];
  int oy = (i / p[6]) % p[5];
  int plane = i / (p[6] * p[5]);
  int from_y = oy * p[9] - p[11];
  int from_x = ox * p[10] - p[12];
  int to_y = from_y + (p[7] - 1) * p[13] + 1;
  int to_x = from_x + (p[8] - 1) * p[14] + 1;
  if (KIND == 2) {
    from_y = (oy * p[2]) / p[5];
    from_x = (ox * p[3]) / p[6];
    to_y = ((oy + 1) * p[2] + p[5] - 1) / p[5];
    to_x = ((ox + 1) * p[3] + p[6] - 1) / p[6];
  }
  // What lies beyond the padding counts for nothing, even if windows reach there.
  int size = (min(to_y, p[2] + p[11]) - from_y) * (min(to_x, p[3] + p[12]) - from_x);
  float result = KIND == 0 ? -kInfinity : 0.0;
  int best = -1;
  int inside = 0;
  for (int iy = from_y; iy < to_y; iy += p[13]) {
    if (iy < 0 || iy >= p[2]) {
      continue;
    }
    for (int ix = from_x; ix < to_x; ix += p[14]) {
      if (ix < 0 || ix >= p[3]) {
        continue;
      }
      float v = float(READ(x, (plane * p[2] + iy) * p[3] + ix));
      ++inside;
      if (KIND != 0) {
        result += v;
      } else if (best < 0 || v > result || isnan(v)) {
        result = v;
        best = iy * p[3] + ix;
      }
    }
  }
  if (KIND != 0) {
    int divisor = p[15] != 0 ? p[15] : (KIND == 1 && p[4] != 0 ? size : inside);
    result /= float(divisor);
  }
  y[i] = T(result);
#if defined(INDICES)
  indices[i] = best;
#endif
}
