// variants: float half int float_add:float,ADD half_add:half,ADD int_add:int,ADD
// Elements to places along one dimension, by their numbers; where nothing goes to is as it was. p: 0 numbers, 1 length of the dimension in y, 2 its
// stride in y, 3 its place among the sizes, 4-9 sizes of the numbers, 10-15 strides of y, 16-21 strides of x.
#include "common.glsl"

layout(constant_id = 3) const int RANK = 1;

BUFFER_IN(1, T, x);
BUFFER_IN(2, int, numbers);

#include "places_added.glsl"

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int number = READ(numbers, i);
  int to = number * p[2];
  int from = 0;
  int rest = i;
  for (int d = RANK - 1; d >= 0; --d) {
    int index = rest % p[4 + d];
    rest /= p[4 + d];
    from += index * p[16 + d];
    to += d == p[3] ? 0 : index * p[10 + d];
  }
  if (number >= 0 && number < p[1]) {
    put(to, C(READ(x, from)));
  }
}
