// variants: float half int
// A border of one number, or of what lies inside. p: 0 elements, 1 the number, 2-6 sizes of the result, 7-11 sizes of x, 12-16 what comes before.
#include "common.glsl"

layout(constant_id = 3) const int KIND = 0;  // 0 a number, 1 mirrored, 2 the nearest, 3 round again
layout(constant_id = 4) const int RANK = 1;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int rest = i;
  int at = 0;
  int stride = 1;
  bool is_inside = true;
  for (int d = RANK - 1; d >= 0; --d) {
    int size = p[7 + d];
    int index = rest % p[2 + d] - p[12 + d];
    rest /= p[2 + d];
    if (KIND == 1) {
      index = index < 0 ? -index : index;
      index = index >= size ? 2 * (size - 1) - index : index;
    } else if (KIND == 3) {
      index = (index + size) % size;
    }
    is_inside = is_inside && index >= 0 && index < size;
    at += clamp(index, 0, size - 1) * stride;
    stride *= size;
  }
  y[i] = T(KIND != 0 || is_inside ? C(READ(x, at)) : scalar_at(1));
}
