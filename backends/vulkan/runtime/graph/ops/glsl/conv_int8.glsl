// variants: int
// A convolution of int8 over two dimensions, any groups. p: 0 elements of the result, 1-3 channels, height and width of the input, 4-6 of the result,
// 7-8 kernel, 9-10 stride, 11-12 padding, 13-14 dilation, 15-16 channels of a group of the input and of the result, 17 zero point of the input, 18-21 of
// the result as in bytes.glsl.
#include "common.glsl"
#include "bytes.glsl"
#include "int8_factors.glsl"

BUFFER_OUT(0, uint, y);
BUFFER_IN(1, uint, x);
BUFFER_IN(2, uint, w);

void main() {
  int word = invocation();
  if (word * 4 >= p[0]) {
    return;
  }
  int depth = p[15] * p[7] * p[8];
  int channel[4];
  int plane[4];
  int top[4];
  int left[4];
  int total[4];
  [[unroll]] for (int i = 0; i < 4; ++i) {
    int at = min(word * 4 + i, p[0] - 1);
    left[i] = at % p[6] * p[10] - p[12];
    int rest = at / p[6];
    top[i] = rest % p[5] * p[9] - p[11];
    rest /= p[5];
    channel[i] = rest % p[4];
    plane[i] = rest / p[4] * p[1] + channel[i] / p[16] * p[15];
    total[i] = 0;
  }
  // Most words lie within one channel and share its weights.
  bool is_one = channel[0] == channel[3];
  int k = 0;
  for (int c = 0; c < p[15]; ++c) {
    for (int down = 0; down < p[7]; ++down) {
      for (int right = 0; right < p[8]; ++right, ++k) {
        int shared_weight = BYTE(w, channel[0] * depth + k);
        [[unroll]] for (int i = 0; i < 4; ++i) {
          int row = top[i] + down * p[13];
          int column = left[i] + right * p[14];
          if (row >= 0 && row < p[2] && column >= 0 && column < p[3]) {
            int weight = is_one ? shared_weight : BYTE(w, channel[i] * depth + k);
            total[i] += (BYTE(x, ((plane[i] + c) * p[2] + row) * p[3] + column) - p[17]) * weight;
          }
        }
      }
    }
  }
  y[word] = word_of(total, channel, 18);
}
