// variants: float half int float_index:float,INDEX half_index:half,INDEX int_index:int,INDEX
// One element for many. LANES invocations share the elements of a result.
// p: 0 results, 1 elements of each, 2 a divisor as float; 4-7 sizes and 8-11 strides of what stays; 12-15 and 16-19 of what goes.
#include "common.glsl"

layout(constant_id = 3) const int OPERATOR = 0;  // 0 sum, 1 greatest, 2 least, 3 product, 4 any, 5 all
layout(constant_id = 4) const int KEPT = 1;
layout(constant_id = 5) const int GONE = 1;

#if defined(INDEX)
#define R int
#else
#define R T
#endif

BUFFER_OUT(0, R, y);
BUFFER_IN(1, T, x);

shared C values[64];
shared int places[64];

C start() {
#if defined(VARIANT_INT)
  const int kLeast = -2147483647 - 1;
  const int kGreatest = 2147483647;
#else
  const float kLeast = -kInfinity;
  const float kGreatest = kInfinity;
#endif
  switch (OPERATOR) {
    case 1: return kLeast;
    case 2: return kGreatest;
    case 3: return C(1);
    case 5: return C(1);
  }
  return C(0);
}

bool is_none(C v) {
#if defined(VARIANT_INT)
  return false;
#else
  return isnan(v);
#endif
}

bool comes_before(C v, int at, C best, int best_at) {
  if (best_at < 0 || is_none(v) != is_none(best)) {
    return best_at < 0 || is_none(v);
  }
  if (v == best || is_none(v)) {
    return at < best_at;
  }
  return OPERATOR == 1 ? v > best : v < best;
}

void join(inout C best, inout int best_at, C v, int at) {
  switch (OPERATOR) {
    case 0: best += v; break;
    case 3: best *= v; break;
    case 4: best = best != C(0) || v != C(0) ? C(1) : C(0); break;
    case 5: best = best != C(0) && v != C(0) ? C(1) : C(0); break;
    default:
      if (at >= 0 && comes_before(v, at, best, best_at)) {
        best = v;
        best_at = at;
      }
  }
}

void main() {
  int lanes = int(gl_WorkGroupSize.x);
  int lane = int(gl_LocalInvocationID.x);
  int slot = int(gl_LocalInvocationID.y) * lanes;
  int group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
  int result = group * int(gl_WorkGroupSize.y) + int(gl_LocalInvocationID.y);
  int base = 0;
  int rest = min(result, p[0] - 1);
  for (int d = KEPT - 1; d >= 0; --d) {
    base += (rest % p[4 + d]) * p[8 + d];
    rest /= p[4 + d];
  }
  C best = start();
  int best_at = -1;
  for (int k = lane; k < p[1]; k += lanes) {
    int at = base;
    int left = k;
    for (int d = GONE - 1; d >= 0; --d) {
      at += (left % p[12 + d]) * p[16 + d];
      left /= p[12 + d];
    }
    join(best, best_at, C(READ(x, at)), k);
  }
  values[slot + lane] = best;
  places[slot + lane] = best_at;
  barrier();
  if (lane != 0 || result >= p[0]) {
    return;
  }
  for (int other = 1; other < lanes; ++other) {
    join(best, best_at, values[slot + other], places[slot + other]);
  }
#if defined(INDEX)
  y[result] = best_at;
#elif defined(VARIANT_INT)
  y[result] = best;
#else
  y[result] = T(best / pf(2));
#endif
}
