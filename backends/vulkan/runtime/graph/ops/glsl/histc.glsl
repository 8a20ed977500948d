// variants: float half
// How many elements lie in each of equally wide ranges from p[2] to p[3], the last of which has its end. p: 0 ranges, 1 elements.
#include "common.glsl"

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);

void main() {
  int range = invocation();
  if (range >= p[0]) {
    return;
  }
  float low = pf(2);
  float high = pf(3);
  int count = 0;
  for (int i = 0; i < p[1]; ++i) {
    float v = float(READ(x, i));
    bool is_inside = v >= low && v <= high;
    int own = is_inside ? min(int((v - low) / (high - low) * float(p[0])), p[0] - 1) : -1;
    count += own == range ? 1 : 0;
  }
  y[range] = T(float(count));
}
