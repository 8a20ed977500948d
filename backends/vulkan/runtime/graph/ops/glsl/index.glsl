// variants: float half int
// Slices by their numbers along several dimensions, tensors of which are broadcast to one shape. p: 0 elements, 1 elements of a slice behind the
// dimensions, 2 numbers of the shape, 3-7 its sizes; 8-10 lengths of the dimensions; 11-15, 16-20, 21-25 strides of the tensors over the shape.
#include "common.glsl"

layout(constant_id = 3) const int COUNT = 2;
layout(constant_id = 4) const int RANK = 1;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, int, first);
BUFFER_IN(3, int, second);
BUFFER_IN(4, int, third);

int number(int which, int place) {
  int at = 0;
  for (int d = RANK - 1; d >= 0; --d) {
    at += place % p[3 + d] * p[11 + 5 * which + d];
    place /= p[3 + d];
  }
  int found = which == 0 ? READ(first, at) : (which == 1 ? READ(second, at) : READ(third, at));
  found = found < 0 ? found + p[8 + which] : found;
  // A number outside of the tensor reads the nearest slice, not what lies beyond.
  return clamp(found, 0, p[8 + which] - 1);
}

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int rest = i / p[1];
  int slice = rest / p[2];
  for (int which = 0; which < COUNT; ++which) {
    slice = slice * p[8 + which] + number(which, rest % p[2]);
  }
  y[i] = COPY(x, slice * p[1] + i % p[1]);
}
