// variants: float half
// Floats to int8. p: 0 elements, 1-4 scale, zero point and limits as in bytes.glsl.
#include "common.glsl"
#include "bytes.glsl"

BUFFER_OUT(0, uint, y);
BUFFER_IN(1, T, x);

void main() {
  int word = invocation();
  if (word * 4 >= p[0]) {
    return;
  }
  uint made = 0u;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    int at = min(word * 4 + i, p[0] - 1);
    made |= in_word(quantized(float(READ(x, at)), 1), i);
  }
  y[word] = made;
}
