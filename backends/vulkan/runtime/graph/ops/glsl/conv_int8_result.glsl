// How a group of convolutions of int8 writes words of four places for CHANNELS channels: p: 4-6 channels, height and width of the result, 18-21 as in
// bytes.glsl. TOGETHER: channels of the result do not begin with words; a group makes all places of its channels, and then their words.
#include "int8_factors.glsl"

layout(constant_id = 4) const int TOGETHER = 0;

BUFFER_OUT(0, uint, y);
BUFFER_IN(1, uint, x);
#if defined(DEEP)
BUFFER_IN(2, uvec4, w);
#else
BUFFER_IN(2, uint, w);
#endif

#define MOST_PLACES 256
shared int made_places[TOGETHER == 1 ? CHANNELS * MOST_PLACES : 1];

// A word of a channel, `nth` of those that the group makes.
void put(int nth, int channel, int word, ivec4 total) {
  int places = p[5] * p[6];
  float factor = READ(factors, channel);
  float shift = shift_of(channel);
  uint made = 0u;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    int value = quantized(float(total[i]) * factor + shift, 18);
    made |= in_word(value, i);
    if (TOGETHER == 1) {
      made_places[nth * MOST_PLACES + word * 4 + i] = value;
    }
  }
  if (TOGETHER == 0) {
    y[(int(gl_WorkGroupID.z) * p[4] + channel) * (places / 4) + word] = made;
  }
}

// Once all of a group's invocations are here.
void put_together(int first, int channels) {
  barrier();
  int places = p[5] * p[6];
  int count = channels * places;
  int begin = (int(gl_WorkGroupID.z) * p[4] + first) * places / 4;
  for (int word = int(gl_LocalInvocationID.x); word * 4 < count; word += int(gl_WorkGroupSize.x)) {
    uint made = 0u;
    [[unroll]] for (int i = 0; i < 4; ++i) {
      int at = min(word * 4 + i, count - 1);
      made |= in_word(made_places[at / places * MOST_PLACES + at % places], i);
    }
    y[begin + word] = made;
  }
}
