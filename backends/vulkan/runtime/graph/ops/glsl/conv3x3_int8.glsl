// variants: int_s1:int,STRIDE=1 int_s2:int,STRIDE=2 int_depthwise_s1:int,STRIDE=1,DEPTHWISE int_depthwise_s2:int,STRIDE=2,DEPTHWISE
// As conv_int8_blocks, for kernels of 3 x 3 without gaps: of a row of the input, a word of four places needs no more than what three words have. The four
// places lie in one row, or, where both have the same width, next to each other in the input as well. DEPTHWISE: weights by channels, one channel an
// invocation, and four a group where it is TOGETHER. p as for conv_int8_blocks.
#include "common.glsl"
#include "bytes.glsl"

#if defined(DEPTHWISE)
#define CHANNELS 4
#include "conv_int8_result.glsl"
#else
#define CHANNELS 8
#include "conv_int8_sums.glsl"
#endif

#define REACH (3 * STRIDE + 3)

int row[4];
int column[4];
float window[REACH];

// Of three words of the input or of the weights, which begin at an element of the first.
float in_words(uint words[3], int from, int nth) {
  int bits = 8 * (from & 3);
  return four(nth < 8 ? joined(words[nth / 4], words[nth / 4 + 1], bits) : words[2] >> bits)[nth % 4];
}

// Of a plane of the input, what the kernel's row `ky` lies over.
void read_window(int plane, int ky) {
  int at = (plane * p[2] + row[0] + ky) * p[3] + column[0];
  uint words[3];
  [[unroll]] for (int i = 0; i < 3; ++i) {
    words[i] = READ(x, clamp((at >> 2) + i, 0, p[22]));
  }
  [[unroll]] for (int i = 0; i < REACH; ++i) {
    window[i] = in_words(words, at, i) - float(p[17]);
  }
}

// What the kernel's weight in row `ky` and column `kx` is multiplied with.
vec4 below(int ky, int kx) {
  vec4 v;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    int y_in = row[i] + ky;
    int x_in = column[i] + kx;
    bool is_inside = y_in >= 0 && y_in < p[2] && x_in >= 0 && x_in < p[3];
    v[i] = is_inside ? window[i * STRIDE + kx] : 0.0;
  }
  return v;
}

void find_places(int word) {
  int places = p[5] * p[6];
  [[unroll]] for (int i = 0; i < 4; ++i) {
    int at = min(word * 4 + i, places - 1);
    row[i] = at / p[6] * STRIDE - p[11];
    column[i] = at % p[6] * STRIDE - p[12];
  }
}

#if defined(DEPTHWISE)
void main() {
  int words = (p[5] * p[6] + 3) / 4;
  int each = TOGETHER == 1 ? CHANNELS : 1;
  int first = int(gl_WorkGroupID.y) * each;
  int nth = TOGETHER == 1 ? int(gl_GlobalInvocationID.x) / words : 0;
  int word = TOGETHER == 1 ? int(gl_GlobalInvocationID.x) % words : int(gl_GlobalInvocationID.x);
  int channels = min(each, p[4] - first);
  int channel = min(first + nth, p[4] - 1);
  find_places(word);
  int plane = int(gl_WorkGroupID.z) * p[1] + channel;
  int at_w = channel * 9;
  uint words_w[3];
  [[unroll]] for (int i = 0; i < 3; ++i) {
    words_w[i] = READ(w, min((at_w >> 2) + i, (p[4] * 9 - 1) >> 2));
  }
  vec4 sum = vec4(0.0);
  [[unroll]] for (int ky = 0; ky < 3; ++ky) {
    read_window(plane, ky);
    [[unroll]] for (int kx = 0; kx < 3; ++kx) {
      sum += in_words(words_w, at_w, ky * 3 + kx) * below(ky, kx);
    }
  }
  if (nth < channels && word < words) {
    put(nth, channel, word, ivec4(sum));
  }
  if (TOGETHER == 1) {
    put_together(first, channels);
  }
}
#else
void main() {
  int word = int(gl_GlobalInvocationID.x);
  int each = TWICE == 1 ? 8 : 4;
  int first = int(gl_WorkGroupID.y) * each;
  int plane = int(gl_WorkGroupID.z) * p[1] + first / p[16] * p[15];
  at_w = first / 4 * p[15] * 9;
  at_more = min(first / 4 + 1, (p[4] + 3) / 4 - 1) * p[15] * 9;
  find_places(word);
  begin_totals();
  const int together = MOST_EXACT / 9;
  for (int begin = 0; begin < p[15]; begin += together) {
    begin_sums();
    int end = min(begin + together, p[15]);
    for (int c = begin; c < end; ++c) {
      [[unroll]] for (int ky = 0; ky < 3; ++ky) {
        read_window(plane + c, ky);
        [[unroll]] for (int kx = 0; kx < 3; ++kx) {
          add_next(below(ky, kx));
        }
      }
    }
    end_sums();
  }
  put_totals(first, word, p[5] * p[6]);
}
#endif
