// variants: float half
// Lines as int8, each by a scale and a zero point of its own, as llama's caches keep them. A group makes four lines: whole words of all results, however long
// a line is. p: 0 lines, 1 elements of a line.
#include "common.glsl"
#include "bytes.glsl"

BUFFER_OUT(0, uint, y);
BUFFER_OUT(1, float, scales);
BUFFER_OUT(2, uint, zeros);
BUFFER_IN(3, T, x);

#define LINES 4
#define LANES 16

shared float lows[LINES * LANES];
shared float highs[LINES * LANES];
shared float factors[LINES];
shared float shifts[LINES];

// The zero point whose error is less, counted from the least or from the greatest element.
float zero_point(float low, float high, float scale) {
  float least = low / scale;
  float most = high / scale;
  float zero = (least - 128.0) + (most + 127.0) > 0.0 ? -128.0 - least : 127.0 - most;
  return roundEven(clamp(zero, -128.0, 127.0));
}

void main() {
  int id = int(gl_LocalInvocationID.x);
  int slot = id / LANES;
  int group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
  int line = group * LINES + slot;
  int base = min(line, p[0] - 1) * p[1];
  float low = 0.0;
  float high = 0.0;
  for (int k = id % LANES; k < p[1]; k += LANES) {
    float v = float(READ(x, base + k));
    low = min(low, v);
    high = max(high, v);
  }
  lows[id] = low;
  highs[id] = high;
  barrier();
  if (id % LANES == 0) {
    for (int other = 1; other < LANES; ++other) {
      low = min(low, lows[id + other]);
      high = max(high, highs[id + other]);
    }
    // The least is what a float's last bit stands for.
    float scale = max((high - low) / 255.0, 1.1920929e-07);
    factors[slot] = 1.0 / scale;
    shifts[slot] = zero_point(low, high, scale);
    if (line < p[0]) {
      scales[line] = scale;
    }
  }
  barrier();
  if (id == 0 && line < p[0]) {
    uint made = 0u;
    [[unroll]] for (int i = 0; i < LINES; ++i) {
      made |= in_word(int(shifts[i]), i);
    }
    zeros[group] = made;
  }
  int last = p[0] * p[1] - 1;
  for (int word = id; word < p[1]; word += LINES * LANES) {
    int first = group * LINES * p[1] + word * 4;
    if (first > last) {
      break;
    }
    uint made = 0u;
    [[unroll]] for (int i = 0; i < 4; ++i) {
      int own = (word * 4 + i) / p[1];
      float v = float(READ(x, min(first + i, last))) * factors[own] + shifts[own];
      made |= in_word(int(clamp(roundEven(v), -128.0, 127.0)), i);
    }
    y[group * p[1] + word] = made;
  }
}
