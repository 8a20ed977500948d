// variants: float_s1:float,STRIDE=1 half_s1:half,STRIDE=1 float_s2:float,STRIDE=2 half_s2:half,STRIDE=2 float_depthwise_s1:float,STRIDE=1,DEPTHWISE half_depthwise_s1:half,STRIDE=1,DEPTHWISE float_depthwise_s2:float,STRIDE=2,DEPTHWISE half_depthwise_s2:half,STRIDE=2,DEPTHWISE
// As conv2d, PACKED unless it is DEPTHWISE, for kernels of 3 x 3 without gaps: an invocation makes ROWS places, one below the other, so
// that what it reads of a column serves up to three of them and its neighbours read next to it; of four channels, or of eight (TWICE).
// p as for conv2d.
#include "common.glsl"

#define ROWS 4
#define REACH ((ROWS - 1) * STRIDE + 3)

layout(constant_id = 3) const int BIAS = 0;
layout(constant_id = 4) const int CLAMP = 0;
layout(constant_id = 5) const int TWICE = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
#if defined(DEPTHWISE)
BUFFER_IN(2, T, w);
#else
BUFFER_IN(2, T4, w);
#endif
BUFFER_IN(3, T, bias);

int from_x;
int at_row[REACH];
bool is_row[REACH];
float column[REACH];

// Of one plane of the input, what a column of the kernel lies over.
void read_column(int plane, int kx) {
  int ix = from_x + kx;
  bool is_inside = ix >= 0 && ix < p[3];
  [[unroll]] for (int r = 0; r < REACH; ++r) {
    bool is_there = is_inside && is_row[r];
    float v = float(READ(x, is_there ? plane + at_row[r] + ix : 0));
    column[r] = is_there ? v : 0.0;
  }
}

void put(int channel, int place, float v) {
  v += BIAS == 1 ? float(READ(bias, channel)) : 0.0;
  if (CLAMP == 1) {
    v = v < pf(17) ? pf(17) : (v > pf(18) ? pf(18) : v);
  }
  y[(int(gl_WorkGroupID.z) * p[4] + channel) * p[5] * p[6] + place] = T(v);
}

void main() {
  int id = int(gl_GlobalInvocationID.x);
  int to_x = id % p[6];
  int to_y = (id / p[6]) * ROWS;
  from_x = to_x * STRIDE - p[12];
  [[unroll]] for (int r = 0; r < REACH; ++r) {
    int iy = to_y * STRIDE - p[11] + r;
    is_row[r] = iy >= 0 && iy < p[2];
    at_row[r] = iy * p[3];
  }
  int size = p[2] * p[3];
  int batch = int(gl_WorkGroupID.z);
#if defined(DEPTHWISE)
  int channel = int(gl_WorkGroupID.y);
  float sum[ROWS];
  [[unroll]] for (int j = 0; j < ROWS; ++j) {
    sum[j] = 0.0;
  }
  [[unroll]] for (int kx = 0; kx < 3; ++kx) {
    read_column((batch * p[1] + channel) * size, kx);
    [[unroll]] for (int ky = 0; ky < 3; ++ky) {
      float weight = float(READ(w, channel * 9 + ky * 3 + kx));
      [[unroll]] for (int j = 0; j < ROWS; ++j) {
        sum[j] += column[j * STRIDE + ky] * weight;
      }
    }
  }
  [[unroll]] for (int j = 0; j < ROWS; ++j) {
    if (to_y + j < p[5]) {
      put(channel, (to_y + j) * p[6] + to_x, sum[j]);
    }
  }
#else
  // Blocks of channels do not reach over the edge of a group of channels.
  int channels = TWICE == 1 ? 8 : 4;
  int blocks = (p[16] + channels - 1) / channels;
  int group = int(gl_WorkGroupID.y) / blocks;
  int first = (int(gl_WorkGroupID.y) % blocks) * channels;
  int packed = (group * p[16] + first) / 4;
  int at_w = packed * p[15] * 9;
  int at_more = min(packed + 1, (p[4] + 3) / 4 - 1) * p[15] * 9;
  vec4 sum[ROWS];
  vec4 more[ROWS];
  [[unroll]] for (int j = 0; j < ROWS; ++j) {
    sum[j] = vec4(0.0);
    more[j] = vec4(0.0);
  }
  int plane = (batch * p[1] + group * p[15]) * size;
  for (int ic = 0; ic < p[15]; ++ic) {
    [[unroll]] for (int kx = 0; kx < 3; ++kx) {
      read_column(plane, kx);
      [[unroll]] for (int ky = 0; ky < 3; ++ky) {
        vec4 weights = vec4(READ4(w, at_w + ky * 3 + kx));
        [[unroll]] for (int j = 0; j < ROWS; ++j) {
          sum[j] += column[j * STRIDE + ky] * weights;
        }
        if (TWICE == 1) {
          weights = vec4(READ4(w, at_more + ky * 3 + kx));
          [[unroll]] for (int j = 0; j < ROWS; ++j) {
            more[j] += column[j * STRIDE + ky] * weights;
          }
        }
      }
    }
    at_w += 9;
    at_more += 9;
    plane += size;
  }
  [[unroll]] for (int j = 0; j < ROWS; ++j) {
    [[unroll]] for (int c = 0; c < 8; ++c) {
      if (c < channels && to_y + j < p[5] && first + c < p[16]) {
        put(group * p[16] + first + c, (to_y + j) * p[6] + to_x, c < 4 ? sum[j][c % 4] : more[j][c % 4]);
      }
    }
  }
#endif
}
