// variants: float half float_depthwise:float,DEPTHWISE half_depthwise:half,DEPTHWISE float_packed:float,PACKED half_packed:half,PACKED
// A convolution of [N, C, H, W] with [O, C / groups, KH, KW]. A group makes CHANNELS channels of some places; PACKED, four channels of a
// weight are neighbours: [O / 4, C / groups, KH, KW, 4], and it may make eight (TWICE). An invocation makes PLACES places.
// p: 0-3 N, C, H, W; 4-6 O, OH, OW; 7-8 kernel; 9-10 stride; 11-12 padding; 13-14 dilation; 15-16 channels of a group in and out;
// 17-18 the least and the greatest result.
#include "common.glsl"

#if defined(DEPTHWISE)
#define CHANNELS 1
#else
#define CHANNELS 4
#endif

layout(constant_id = 3) const int BIAS = 0;
layout(constant_id = 4) const int CLAMP = 0;
layout(constant_id = 5) const int PLACES = 1;
layout(constant_id = 6) const int TWICE = 0;
layout(constant_id = 7) const int KERNEL_Y = 1;
layout(constant_id = 8) const int KERNEL_X = 1;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
#if defined(PACKED)
BUFFER_IN(2, T4, w);
#else
BUFFER_IN(2, T, w);
#endif
BUFFER_IN(3, T, bias);

#define MOST_PLACES 4

int at_w[CHANNELS];

vec4 weights_at(int at) {
  vec4 made = vec4(0.0);
#if defined(PACKED)
  made = vec4(READ4(w, at_w[0] + at));
#else
  [[unroll]] for (int c = 0; c < CHANNELS; ++c) {
    made[c] = float(READ(w, at_w[c] + at));
  }
#endif
  return made;
}

void main() {
  int width = int(gl_NumWorkGroups.x * gl_WorkGroupSize.x);
  // Blocks of channels do not reach over the edge of a group of channels.
  int channels = TWICE == 1 ? 2 * CHANNELS : CHANNELS;
  int blocks = (p[16] + channels - 1) / channels;
  int group = int(gl_WorkGroupID.y) / blocks;
  int first = (int(gl_WorkGroupID.y) % blocks) * channels;
  int batch = int(gl_WorkGroupID.z);
#if defined(PACKED)
  int packed = (group * p[16] + first) / 4;
  at_w[0] = packed * p[15] * KERNEL_Y * KERNEL_X;
  at_w[1] = min(packed + 1, (p[4] + 3) / 4 - 1) * p[15] * KERNEL_Y * KERNEL_X;
#else
  [[unroll]] for (int c = 0; c < CHANNELS; ++c) {
    at_w[c] = (group * p[16] + min(first + c, p[16] - 1)) * p[15] * KERNEL_Y * KERNEL_X;
  }
#endif
  int from_y[MOST_PLACES];
  int from_x[MOST_PLACES];
  vec4 sum[MOST_PLACES];
  vec4 more[MOST_PLACES];
  for (int j = 0; j < PLACES; ++j) {
    int place = int(gl_GlobalInvocationID.x) + j * width;
    from_y[j] = (place / p[6]) * p[9] - p[11];
    from_x[j] = (place % p[6]) * p[10] - p[12];
    sum[j] = vec4(0.0);
    more[j] = vec4(0.0);
  }
  int at = 0;
  for (int ic = 0; ic < p[15]; ++ic) {
    int plane = (batch * p[1] + group * p[15] + ic) * p[2];
    for (int ky = 0; ky < KERNEL_Y; ++ky) {
      for (int kx = 0; kx < KERNEL_X; ++kx) {
        vec4 weights = weights_at(at);
#if defined(PACKED)
        vec4 others = TWICE == 1 ? vec4(READ4(w, at_w[1] + at)) : vec4(0.0);
#endif
        ++at;
        for (int j = 0; j < PLACES; ++j) {
          int iy = from_y[j] + ky * p[13];
          int ix = from_x[j] + kx * p[14];
          bool is_inside = iy >= 0 && iy < p[2] && ix >= 0 && ix < p[3];
          float v = float(READ(x, is_inside ? (plane + iy) * p[3] + ix : 0));
          v = is_inside ? v : 0.0;
#if CHANNELS == 1
          sum[j].x += v * weights.x;
#else
          sum[j] += v * weights;
#endif
#if defined(PACKED)
          if (TWICE == 1) {
            more[j] += v * others;
          }
#endif
        }
      }
    }
  }
  for (int j = 0; j < PLACES; ++j) {
    int place = int(gl_GlobalInvocationID.x) + j * width;
    [[unroll]] for (int c = 0; c < 2 * CHANNELS; ++c) {
      if (c < channels && place < p[5] * p[6] && first + c < p[16]) {
        int channel = group * p[16] + first + c;
        float v = (c < CHANNELS ? sum[j][c % CHANNELS] : more[j][c % CHANNELS]) + (BIAS == 1 ? float(READ(bias, channel)) : 0.0);
        if (CLAMP == 1) {
          v = v < pf(17) ? pf(17) : (v > pf(18) ? pf(18) : v);
        }
        y[(batch * p[4] + channel) * p[5] * p[6] + place] = T(v);
      }
    }
  }
}
