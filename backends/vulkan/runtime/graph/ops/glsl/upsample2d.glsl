// variants: float half
// Planes of another size. p: 0 elements, 1-2 H, W, 3-4 OH, OW, 5-6 the step in x of a step in y.
#include "common.glsl"

layout(constant_id = 3) const int KIND = 0;  // 0 nearest, 1 bilinear, 2 bilinear with aligned corners

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);

float source(int place, float step) {
  return KIND == 2 ? float(place) * step : max((float(place) + 0.5) * step - 0.5, 0.0);
}

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int ox = i % p[4];
  int oy = (i / p[4]) % p[3];
  int base = (i / (p[4] * p[3])) * p[1] * p[2];
  if (KIND == 0) {
    int iy = min(int(floor(float(oy) * pf(5))), p[1] - 1);
    int ix = min(int(floor(float(ox) * pf(6))), p[2] - 1);
    y[i] = COPY(x, base + iy * p[2] + ix);
    return;
  }
  float from_y = source(oy, pf(5));
  float from_x = source(ox, pf(6));
  int y0 = min(int(from_y), p[1] - 1);
  int x0 = min(int(from_x), p[2] - 1);
  int y1 = min(y0 + 1, p[1] - 1);
  int x1 = min(x0 + 1, p[2] - 1);
  float v = from_y - float(y0);
  float u = from_x - float(x0);
  float top = (1.0 - u) * float(READ(x, base + y0 * p[2] + x0)) + u * float(READ(x, base + y0 * p[2] + x1));
  float bottom = (1.0 - u) * float(READ(x, base + y1 * p[2] + x0)) + u * float(READ(x, base + y1 * p[2] + x1));
  y[i] = T((1.0 - v) * top + v * bottom);
}
