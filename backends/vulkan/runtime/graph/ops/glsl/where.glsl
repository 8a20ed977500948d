// variants: float half int
// A choice between two elements; all three broadcast. p: 0 elements, 1-2 numbers for a and b, 4-8 sizes, 9-13, 14-18 and 19-23 strides of the condition, a and b.
#include "common.glsl"

layout(constant_id = 3) const int RANK = 1;
layout(constant_id = 4) const int NUMBERS = 0;  // bit 0: a is a number; bit 1: b is

BUFFER_OUT(0, T, y);
BUFFER_IN(1, int, condition);
BUFFER_IN(2, T, a);
BUFFER_IN(3, T, b);

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int at_condition = 0;
  int at_a = 0;
  int at_b = 0;
  int rest = i;
  for (int d = RANK - 1; d >= 0; --d) {
    int index = rest % p[4 + d];
    rest /= p[4 + d];
    at_condition += index * p[9 + d];
    at_a += index * p[14 + d];
    at_b += index * p[19 + d];
  }
  bool is_a = READ(condition, at_condition) != 0;
  C from_a = (NUMBERS & 1) != 0 ? scalar_at(1) : C(READ(a, at_a));
  C from_b = (NUMBERS & 2) != 0 ? scalar_at(2) : C(READ(b, at_b));
  y[i] = T(is_a ? from_a : from_b);
}
