// variants: float half int
// Elements by their numbers along one dimension. p: 0 elements, 1 length of the dimension in x, 2 its stride in x,
// 3 its place among the sizes, 4-9 sizes of the result, 10-15 strides of x.
#include "common.glsl"

layout(constant_id = 3) const int RANK = 1;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, int, numbers);

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int number = READ(numbers, i);
  int at = clamp(number < 0 ? number + p[1] : number, 0, p[1] - 1) * p[2];
  int rest = i;
  for (int d = RANK - 1; d >= 0; --d) {
    int index = rest % p[4 + d];
    rest /= p[4 + d];
    at += d == p[3] ? 0 : index * p[10 + d];
  }
  y[i] = COPY(x, at);
}
