// variants: int int_dot:int,DOT
// A linear layer of int8, weights [N, K] by rows. p: 0 elements of the result, 1 columns, 2 depth, 3 zero point of the input, 4-7 of the result as in
// bytes.glsl.
#include "common.glsl"
#include "bytes.glsl"
#include "int8_factors.glsl"
#include "dot.glsl"

layout(constant_id = 4) const int WHOLE_WORDS = 0;

BUFFER_OUT(0, uint, y);
BUFFER_IN(1, uint, x);
BUFFER_IN(2, uint, w);

void main() {
  int word = invocation();
  if (word * 4 >= p[0]) {
    return;
  }
  int column[4];
  int at_x[4];
  int at_w[4];
  int total[4];
  [[unroll]] for (int i = 0; i < 4; ++i) {
    int at = min(word * 4 + i, p[0] - 1);
    column[i] = at % p[1];
    at_x[i] = at / p[1] * p[2];
    at_w[i] = column[i] * p[2];
    total[i] = 0;
  }
  if (WHOLE_WORDS == 1) {
    for (int k = 0; k < p[2]; k += 4) {
      [[unroll]] for (int i = 0; i < 4; ++i) {
        uint weights = READ(w, (at_w[i] + k) >> 2);
        total[i] += dot4(READ(x, (at_x[i] + k) >> 2), weights) - p[3] * dot4(0x01010101u, weights);
      }
    }
  } else {
    for (int k = 0; k < p[2]; ++k) {
      [[unroll]] for (int i = 0; i < 4; ++i) {
        total[i] += (BYTE(x, at_x[i] + k) - p[3]) * BYTE(w, at_w[i] + k);
      }
    }
  }
  y[word] = word_of(total, column, 4);
}
