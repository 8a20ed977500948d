// variants: float half
// The transposed convolution of [N, C, H, W] with [C, O / groups, KH, KW], gathered at each place of the result. p as for conv2d.
#include "common.glsl"

layout(constant_id = 3) const int BIAS = 0;
layout(constant_id = 4) const int CLAMP = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, T, w);
BUFFER_IN(3, T, bias);

void main() {
  int place = int(gl_GlobalInvocationID.x);
  int channel = int(gl_WorkGroupID.y);
  int batch = int(gl_WorkGroupID.z);
  int oy = place / p[6];
  int ox = place % p[6];
  if (oy >= p[5]) {
    return;
  }
  int group = channel / p[16];
  float sum = BIAS == 1 ? float(READ(bias, channel)) : 0.0;
  for (int ky = 0; ky < p[7]; ++ky) {
    int from_y = oy + p[11] - ky * p[13];
    int iy = from_y / p[9];
    if (from_y < 0 || iy * p[9] != from_y || iy >= p[2]) {
      continue;
    }
    for (int kx = 0; kx < p[8]; ++kx) {
      int from_x = ox + p[12] - kx * p[14];
      int ix = from_x / p[10];
      if (from_x < 0 || ix * p[10] != from_x || ix >= p[3]) {
        continue;
      }
      for (int ic = 0; ic < p[15]; ++ic) {
        int in_channel = group * p[15] + ic;
        float v = float(READ(x, ((batch * p[1] + in_channel) * p[2] + iy) * p[3] + ix));
        sum += v * float(READ(w, ((in_channel * p[16] + channel % p[16]) * p[7] + ky) * p[8] + kx));
      }
    }
  }
  if (CLAMP == 1) {
    sum = sum < pf(17) ? pf(17) : (sum > pf(18) ? pf(18) : sum);
  }
  y[(batch * p[4] + channel) * p[5] * p[6] + place] = T(sum);
}
