// variants: float half int
// Values of [B, S, H, D] into a cache of [B, C, H, D], from a position on that is p[3], or LIVE and read when it runs.
// p: 0 elements of a batch's values, 1 of a batch's cache, 2 of a position, 4 batches.
#include "common.glsl"

layout(constant_id = 3) const int LIVE = 0;

BUFFER_OUT(0, T, cache);
BUFFER_IN(1, T, x);
BUFFER_IN(2, int, start);

void main() {
  int i = invocation();
  if (i >= p[0] * p[4]) {
    return;
  }
  int position = p[3];
  if (LIVE == 1) {
    position = READ(start, 0);
  }
  int to = position * p[2] + i % p[0];
  if (to >= 0 && to < p[1]) {
    cache[(i / p[0]) * p[1] + to] = COPY(x, i);
  }
}
