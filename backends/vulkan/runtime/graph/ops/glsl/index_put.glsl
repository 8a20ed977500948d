// variants: float half int float_add:float,ADD half_add:half,ADD int_add:int,ADD
// Slices to places of a dimension, by their numbers; where nothing goes to is as it was. p: 0 elements of the slices, 1 elements of one behind the
// dimension, 2 numbers, 3 length of the dimension.
#include "common.glsl"

BUFFER_IN(1, T, x);
BUFFER_IN(2, int, numbers);

#include "places_added.glsl"

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int rest = i / p[1];
  int number = READ(numbers, rest % p[2]);
  number = number < 0 ? number + p[3] : number;
  if (number >= 0 && number < p[3]) {
    put((rest / p[2] * p[3] + number) * p[1] + i % p[1], C(READ(x, i)));
  }
}
