// variants: float half int
// Elements of a box, from strides to strides: permute, slice, select, expand, repeat, flip, and the parts of cat and pad.
// p: 0 elements, 1 offset of y, 2 offset of x, 4-9 sizes, 10-15 strides of y, 16-21 strides of x.
#include "common.glsl"

layout(constant_id = 3) const int RANK = 1;

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
