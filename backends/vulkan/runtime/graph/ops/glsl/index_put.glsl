// variants: float half int
// Slices to places of a dimension, by their numbers; what they do not go to stays. p: 0 elements of the slices, 1 elements of one behind the
// dimension, 2 numbers, 3 length of the dimension.
#include "common.glsl"

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, int, numbers);

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int rest = i / p[1];
  int number = READ(numbers, rest % p[2]);
  number = number < 0 ? number + p[3] : number;
  if (number >= 0 && number < p[3]) {
    y[(rest / p[2] * p[3] + number) * p[1] + i % p[1]] = COPY(x, i);
  }
}
