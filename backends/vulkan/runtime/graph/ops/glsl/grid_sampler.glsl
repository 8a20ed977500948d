// variants: float half
// Planes read at places that a grid says, from -1 to 1.
// p: 0 elements, 1-3 C, H, W, 4-5 OH, OW.
#include "common.glsl"

layout(constant_id = 3) const int KIND = 0;     // 0 bilinear, 1 nearest
layout(constant_id = 4) const int PADDING = 0;  // beyond the edge: 0 zeros, 1 the edge, 2 reflections
layout(constant_id = 5) const int ALIGNED = 0;  // 1: -1 and 1 are the middles of the outer places

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);
BUFFER_IN(2, T, grid);

float reflected(float place, int size) {
  float low = ALIGNED == 1 ? 0.0 : -0.5;
  float span = ALIGNED == 1 ? float(size - 1) : float(size);
  if (span == 0.0) {
    return 0.0;
  }
  float from = abs(place - low);
  float flips = floor(from / span);
  float rest = from - flips * span;
  return mod(flips, 2.0) == 0.0 ? low + rest : low + span - rest;
}

// Clamped well beyond the plane, so that what follows are integers.
float place_of(float at, int size) {
  float place = ALIGNED == 1 ? (at + 1.0) * 0.5 * float(size - 1) : ((at + 1.0) * float(size) - 1.0) * 0.5;
  place = isnan(place) ? -1.0 : place;
  if (PADDING == 2) {
    place = reflected(place, size);
  }
  return PADDING == 0 ? clamp(place, -2.0, float(size + 1)) : clamp(place, 0.0, float(size - 1));
}

float element(int base, int row, int column) {
  bool is_inside = row >= 0 && row < p[2] && column >= 0 && column < p[3];
  return is_inside ? float(READ(x, base + row * p[3] + column)) : 0.0;
}

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int plane = p[4] * p[5];
  int image = i / (plane * p[1]);
  int at = 2 * (image * plane + i % plane);
  int base = (i / plane) * p[2] * p[3];
  float column = place_of(float(READ(grid, at)), p[3]);
  float row = place_of(float(READ(grid, at + 1)), p[2]);
  if (KIND == 1) {
    y[i] = T(element(base, int(roundEven(row)), int(roundEven(column))));
    return;
  }
  int x0 = int(floor(column));
  int y0 = int(floor(row));
  float u = column - float(x0);
  float v = row - float(y0);
  float top = (1.0 - u) * element(base, y0, x0) + u * element(base, y0, x0 + 1);
  float bottom = (1.0 - u) * element(base, y0 + 1, x0) + u * element(base, y0 + 1, x0 + 1);
  y[i] = T((1.0 - v) * top + v * bottom);
}
