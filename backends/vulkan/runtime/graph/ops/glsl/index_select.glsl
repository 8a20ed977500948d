// variants: float half int
// Slices by their numbers: embedding, index_select, index with one tensor. p: 0 elements, 1 elements of a slice behind the dimension,
// 2 numbers, 3 length of the dimension.
#include "common.glsl"

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, int, numbers);

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int inner = i % p[1];
  int rest = i / p[1];
  int number = READ(numbers, rest % p[2]);
  int outer = rest / p[2];
  number = number < 0 ? number + p[3] : number;
  // A number outside of the tensor reads the nearest slice, not what lies beyond.
  number = clamp(number, 0, p[3] - 1);
  y[i] = COPY(x, (outer * p[3] + number) * p[1] + inner);
}
