// variants: float half float_q8:float,Q8 half_q8:half,Q8
// Attention of queries [B, S, H, D] over caches [B, C, KH, D], of which H / KH heads share one. A group makes a row of a head: LANES keys at
// a time, whose weights are corrected when a greater score comes (https://arxiv.org/abs/1805.02867), so a cache may have any length.
// The first query's position is p[5], or LIVE and read when it runs; keys up to the last query's take part, CAUSAL up to each one's own,
// with MASK [S, C] all.
// With Q8, queries and caches are int8, with a scale and a zero point for each token of each head.
// p: 0 S, 1 H, 2 KH, 3 D, a multiple of 4, 4 LANES at most, 4 C, 6 scale.
#include "common.glsl"
#include "bytes.glsl"

layout(constant_id = 3) const int LIVE = 0;
layout(constant_id = 4) const int CAUSAL = 0;
layout(constant_id = 5) const int MASK = 0;

BUFFER_OUT(0, T, y);
#if defined(Q8)
#define FOUR uint
#define FLOATS(name, i) four(READ(name, i))
#define ZERO(name, token) float(BYTE(name##_zeros, token))
#define SCALE(name, token) READ(name##_scales, token)
#else
#define FOUR T4
#define FLOATS(name, i) vec4(READ4(name, i))
#define ZERO(name, token) 0.0
#define SCALE(name, token) 1.0
#endif

BUFFER_IN(1, FOUR, q);
BUFFER_IN(2, FOUR, k);
BUFFER_IN(3, FOUR, v);
BUFFER_IN(4, int, start);
BUFFER_IN(5, T, mask);
#if defined(Q8)
BUFFER_IN(6, uint, q_zeros);
BUFFER_IN(7, float, q_scales);
BUFFER_IN(8, uint, k_zeros);
BUFFER_IN(9, float, k_scales);
BUFFER_IN(10, uint, v_zeros);
BUFFER_IN(11, float, v_scales);
#endif

#define LANES 64

shared vec4 query[LANES];
shared float scores[LANES];
shared vec4 parts[LANES];

void main() {
  int lane = int(gl_LocalInvocationID.x);
  int row = int(gl_WorkGroupID.x);
  int head = int(gl_WorkGroupID.y);
  int batch = int(gl_WorkGroupID.z);
  int deep = p[3] / 4;
  int key_head = head / (p[1] / p[2]);
  int own = (batch * p[0] + row) * p[1] + head;
  int to = own * deep;
  if (lane < deep) {
    query[lane] = (FLOATS(q, to + lane) - ZERO(q, own)) * SCALE(q, own) * pf(6);
  }
  int first = p[5];
  if (LIVE == 1) {
    first = READ(start, 0);
  }
  int seen = MASK == 1 ? p[4] : min(first + (CAUSAL == 1 ? row + 1 : p[0]), p[4]);
  // A lane adds up four numbers of the result, over each of `slots` keys one.
  int slots = LANES / deep;
  int slot = lane / deep;
  int part = lane % deep;
  vec4 sum = vec4(0.0);
  float total = 0.0;
  float greatest = -kInfinity;
  barrier();
  for (int begin = 0; begin < seen; begin += LANES) {
    int key = begin + lane;
    float score = -kInfinity;
    if (key < seen) {
      int token = (batch * p[4] + key) * p[2] + key_head;
      float zero = ZERO(k, token);
      score = 0.0;
      for (int d = 0; d < deep; ++d) {
        score += dot(query[d], FLOATS(k, token * deep + d) - zero);
      }
      score *= SCALE(k, token);
      if (MASK == 1) {
        score += float(READ(mask, row * p[4] + key));
      }
    }
    scores[lane] = score;
    barrier();
    float most = greatest;
    for (int other = 0; other < LANES; ++other) {
      most = max(most, scores[other]);
    }
    barrier();
    // Where all keys so far are masked, nothing is to be corrected.
    float shift = most == -kInfinity ? 0.0 : most;
    scores[lane] = exp(score - shift);
    float fade = exp(greatest - shift);
    greatest = most;
    barrier();
    sum *= fade;
    total *= fade;
    int count = min(LANES, seen - begin);
    for (int other = 0; other < count; ++other) {
      total += scores[other];
    }
    if (slot < slots) {
      for (int other = slot; other < count; other += slots) {
        int token = (batch * p[4] + begin + other) * p[2] + key_head;
        sum += scores[other] * SCALE(v, token) * (FLOATS(v, token * deep + part) - ZERO(v, token));
      }
    }
    barrier();
  }
  parts[lane] = sum;
  barrier();
  if (slot == 0) {
    for (int other = 1; other < slots; ++other) {
      sum += parts[other * deep + part];
    }
    vec4 made = total == 0.0 ? vec4(0.0) : sum / total;
    [[unroll]] for (int j = 0; j < 4; ++j) {
      y[(to + part) * 4 + j] = T(made[j]);
    }
  }
}
