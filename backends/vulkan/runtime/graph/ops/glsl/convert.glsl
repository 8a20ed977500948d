// variants: float_half:half,FROM_FLOAT half_float:float,FROM_HALF float_int:int,FROM_FLOAT half_int:int,FROM_HALF int_float:float,FROM_INT int_half:half,FROM_INT
// Elements of another type. p: 0 elements, 1 whether the result is a truth value.
#if defined(FROM_HALF)
#extension GL_EXT_shader_16bit_storage : require
#define S float16_t
#define D float
#elif defined(FROM_INT)
#define S int
#define D int
#else
#define S float
#define D float
#endif
#include "common.glsl"

BUFFER_OUT(0, T, y);
BUFFER_IN(1, S, x);

void main() {
  int i = invocation();
  if (i < p[0]) {
    D v = D(READ(x, i));
    y[i] = T(p[1] != 0 ? C(v != D(0) ? 1 : 0) : C(v));
  }
}
