// variants: float half int byte:int,BYTES
// Values of [B, S, H, D] into a cache of [B, C, H, D], from a position on that is p[3], or LIVE and read when it runs.
// p: 0 elements of a batch's values, 1 of a batch's cache, 2 of a position, 4 batches; of int8, where batches begin with words, 5 words that the values of
// a batch may touch. An invocation makes one of them, of which the rest stays.
#include "common.glsl"
#include "bytes.glsl"

layout(constant_id = 3) const int LIVE = 0;

#if defined(BYTES)
layout(std430, binding = 0) buffer Buffer0 { uint cache[]; };
BUFFER_IN(1, uint, x);
#else
BUFFER_OUT(0, T, cache);
BUFFER_IN(1, T, x);
#endif
BUFFER_IN(2, int, start);

void main() {
  int i = invocation();
#if defined(BYTES)
  int each = p[5];
#else
  int each = p[0];
#endif
  if (i >= each * p[4]) {
    return;
  }
  int position = p[3];
  if (LIVE == 1) {
    position = READ(start, 0);
  }
  int begin = position * p[2];
  int batch = i / each;
#if defined(BYTES)
  int word = begin / 4 + i % each;
  if (begin < 0 || word * 4 >= p[1]) {
    return;
  }
  int to = batch * (p[1] / 4) + word;
  uint made = cache[to];
  [[unroll]] for (int lane = 0; lane < 4; ++lane) {
    int from = word * 4 + lane - begin;
    if (from >= 0 && from < p[0] && begin + from < p[1]) {
      made = bitfieldInsert(made, uint(BYTE(x, batch * p[0] + from)), 8 * lane, 8);
    }
  }
  cache[to] = made;
#else
  int to = begin + i % each;
  if (to >= 0 && to < p[1]) {
    cache[batch * p[1] + to] = COPY(x, i);
  }
#endif
}
