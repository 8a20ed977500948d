// variants: float half int byte:int,BYTES
// Elements of a box, from strides to strides: permute, slice, select, expand, repeat, flip, and the parts of cat and pad.
// p: 0 elements, 1 offset of y, 2 offset of x, 4-9 sizes, 10-15 strides of y, 16-21 strides of x.
// Of int8 the box is all of y, in its order: an invocation makes a word.
#include "common.glsl"
#include "bytes.glsl"

layout(constant_id = 3) const int RANK = 1;

#if defined(BYTES)
BUFFER_OUT(0, uint, y);
BUFFER_IN(1, uint, x);

int place(int i) {
  int from = p[2];
  for (int d = RANK - 1; d >= 0; --d) {
    from += i % p[4 + d] * p[16 + d];
    i /= p[4 + d];
  }
  return from;
}

void main() {
  int word = invocation();
  if (word * 4 >= p[0]) {
    return;
  }
  uint made = 0u;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    made |= in_word(BYTE(x, place(min(word * 4 + i, p[0] - 1))), i);
  }
  y[word] = made;
}
#else
BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int to = p[1];
  int from = p[2];
  int rest = i;
  for (int d = RANK - 1; d >= 0; --d) {
    int index = rest % p[4 + d];
    rest /= p[4 + d];
    to += index * p[10 + d];
    from += index * p[16 + d];
  }
  y[to] = COPY(x, from);
}
#endif
