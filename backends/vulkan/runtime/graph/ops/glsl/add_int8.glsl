// variants: int
// A sum of two tensors of int8 of one shape. p: 0 elements, 1-2 scale and zero point of the first, 3-4 of the second, 5-8 of the result as in
// bytes.glsl.
#include "common.glsl"
#include "bytes.glsl"

BUFFER_OUT(0, uint, y);
BUFFER_IN(1, uint, a);
BUFFER_IN(2, uint, b);

void main() {
  int word = invocation();
  if (word * 4 >= p[0]) {
    return;
  }
  uint made = 0u;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    int at = word * 4 + i;
    float total = float(BYTE(a, at) - p[2]) * pf(1) + float(BYTE(b, at) - p[4]) * pf(3);
    made |= in_word(quantized(total, 5), i);
  }
  y[word] = made;
}
