// variants: int
// As conv_int8_blocks.glsl, by integer dot products: at each place of the kernel, four channels of the input are turned so that a word has the channels
// of one place. Channels of a group of the input are a multiple of four. Weights [N, kernel, C] by rows. p: as there.
#define DOT
#include "common.glsl"
#include "bytes.glsl"
#include "dot.glsl"

#define CHANNELS 8
#include "conv_int8_totals.glsl"

// How the four places lie in the input: in one word (1), next to each other (2), or anyhow (0).
layout(constant_id = 6) const int WORDS = 0;

int top[4];
int left[4];
// Of the places at one of the kernel: which bytes are inside, and where the first is in a plane.
uint inside;
int origin;

void find_places(int word, int places) {
  [[unroll]] for (int i = 0; i < 4; ++i) {
    int at = min(word * 4 + i, places - 1);
    top[i] = at / p[6] * p[9] - p[11];
    left[i] = at % p[6] * p[10] - p[12];
  }
}

void move_to(int down, int right) {
  inside = 0u;
  origin = (top[0] + down) * p[3] + left[0] + right;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    int row = top[i] + down;
    int column = left[i] + right;
    bool is_inside = row >= 0 && row < p[2] && column >= 0 && column < p[3];
    inside |= is_inside ? 0xffu << (8 * i) : 0u;
  }
}

// Of a channel; what is outside is the zero point.
uint places_of(int plane, int down, int right) {
  int begin = plane * p[2] * p[3];
  if (WORDS == 1) {
    return READ(x, min((begin + origin) >> 2, p[22]));
  }
  uint made = 0u;
  if (WORDS == 2) {
    int at = begin + origin;
    made = joined(READ(x, clamp(at >> 2, 0, p[22])), READ(x, clamp((at >> 2) + 1, 0, p[22])), 8 * (at & 3));
  } else {
    [[unroll]] for (int i = 0; i < 4; ++i) {
      int at = begin + clamp((top[i] + down) * p[3] + left[i] + right, 0, p[2] * p[3] - 1);
      made |= in_word(BYTE(x, at), i);
    }
  }
  return (made & inside) | ((uint(p[17] & 255) * 0x01010101u) & ~inside);
}

// The first bytes of four words, then their second ones, and so on.
uvec4 turned(uvec4 words) {
  uvec4 even = words & 0x00ff00ffu;
  uvec4 odd = (words >> 8) & 0x00ff00ffu;
  uvec2 first = even.xz | (even.yw << 8);
  uvec2 second = odd.xz | (odd.yw << 8);
  return uvec4((first.x & 0xffffu) | (first.y << 16), (second.x & 0xffffu) | (second.y << 16),
               (first.x >> 16) | (first.y & 0xffff0000u), (second.x >> 16) | (second.y & 0xffff0000u));
}

void main() {
  int places = p[5] * p[6];
  int word = int(gl_GlobalInvocationID.x);
  int each = TWICE == 1 ? 8 : 4;
  int first = int(gl_WorkGroupID.y) * each;
  int plane = int(gl_WorkGroupID.z) * p[1] + first / p[16] * p[15];
  int words = p[15] / 4;
  int row_words = p[7] * p[8] * words;
  find_places(word, places);
  begin_totals();
  int at_w = 0;
  for (int down = 0; down < p[7]; ++down) {
    for (int right = 0; right < p[8]; ++right) {
      move_to(down * p[13], right * p[14]);
      for (int c = 0; c < words; ++c, ++at_w) {
        uvec4 read;
        [[unroll]] for (int i = 0; i < 4; ++i) {
          read[i] = places_of(plane + 4 * c + i, down * p[13], right * p[14]);
        }
        uvec4 channels = turned(read);
        [[unroll]] for (int j = 0; j < CHANNELS; ++j) {
          if (j < each) {
            uint weights = READ(w, min(first + j, p[4] - 1) * row_words + at_w);
            ivec4 products;
            [[unroll]] for (int i = 0; i < 4; ++i) {
              products[i] = dot4(channels[i], weights);
            }
            total[j] += products - p[17] * dot4(0x01010101u, weights);
          }
        }
      }
    }
  }
  put_totals(first, word, places);
}
