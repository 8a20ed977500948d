// variants: float half int
// The first elements of lines in an order, in which equal ones stay as they lie: each element goes to the place of as many as come before it.
// p: 0 elements, 1 elements of a line, 2 elements between its elements, 3 how many of a line are kept.
#include "common.glsl"

layout(constant_id = 3) const int DESCENDING = 0;
layout(constant_id = 4) const int HAS_VALUES = 1;
layout(constant_id = 5) const int HAS_PLACES = 1;

BUFFER_OUT(0, T, values);
BUFFER_OUT(1, int, places);
BUFFER_IN(2, T, x);

// What is no number is greater than all numbers.
bool is_greater(C a, C b) {
#if defined(VARIANT_INT)
  return a > b;
#else
  return isnan(a) ? !isnan(b) : a > b;
#endif
}

bool comes_before(C a, C b) { return DESCENDING == 1 ? is_greater(a, b) : is_greater(b, a); }

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int inner = i % p[2];
  int own_place = i / p[2] % p[1];
  int outer = i / p[2] / p[1];
  C own = C(READ(x, i));
  int before = 0;
  for (int k = 0; k < p[1]; ++k) {
    C v = C(READ(x, (outer * p[1] + k) * p[2] + inner));
    if (comes_before(v, own) || (k < own_place && !comes_before(own, v))) {
      ++before;
    }
  }
  if (before >= p[3]) {
    return;
  }
  int to = (outer * p[3] + before) * p[2] + inner;
  if (HAS_VALUES == 1) {
    values[to] = COPY(x, i);
  }
  if (HAS_PLACES == 1) {
    places[to] = own_place;
  }
}
