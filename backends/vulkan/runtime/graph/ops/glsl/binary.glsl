// variants: float half int float_compare:float,COMPARE half_compare:half,COMPARE int_compare:int,COMPARE
// A function of two elements, the shapes of which broadcast. A number may stand in for the second.
// p: 0 elements, 1 the number, 2 alpha, 4-9 sizes, 10-15 strides of a, 16-21 strides of b.
#include "common.glsl"

layout(constant_id = 3) const int OPERATOR = 0;
layout(constant_id = 4) const int RANK = 0;  // 0: both lie as the result does
layout(constant_id = 5) const int NUMBER = 0;  // 1: b is p[1]

#if defined(COMPARE)
#define R int
#else
#define R T
#endif

BUFFER_OUT(0, R, y);
BUFFER_IN(1, T, a);
BUFFER_IN(2, T, b);

#if defined(COMPARE)

int apply(C u, C v) {
  switch (OPERATOR) {
    case 0: return u == v ? 1 : 0;
    case 1: return u != v ? 1 : 0;
    case 2: return u < v ? 1 : 0;
    case 3: return u <= v ? 1 : 0;
    case 4: return u > v ? 1 : 0;
    case 5: return u >= v ? 1 : 0;
    case 6: return u != C(0) && v != C(0) ? 1 : 0;
    case 7: return u != C(0) || v != C(0) ? 1 : 0;
    case 8: return (u != C(0)) != (v != C(0)) ? 1 : 0;
  }
  return 0;
}

#elif defined(VARIANT_INT)

int floor_quotient(int u, int v) {
  if (v == 0) {
    return 0;
  }
  int q = u / v;
  return q * v != u && (u < 0) != (v < 0) ? q - 1 : q;
}

int power(int base, int exponent) {
  int result = 1;
  for (int i = 0; i < exponent; ++i) {
    result *= base;
  }
  return exponent < 0 ? (base == 1 ? 1 : (base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0)) : result;
}

int apply(int u, int v) {
  switch (OPERATOR) {
    case 0: return u + p[2] * v;
    case 1: return u - p[2] * v;
    case 2: return u * v;
    case 4: return floor_quotient(u, v);
    case 5: return v == 0 ? 0 : u / v;
    case 6: return power(u, v);
    case 7: return min(u, v);
    case 8: return max(u, v);
    case 9: return u - floor_quotient(u, v) * v;
    case 10: return v == 0 ? 0 : u - (u / v) * v;
    case 11: return p[2] * v - u;
    case 12: return u & v;
    case 13: return u | v;
    case 14: return u ^ v;
  }
  return 0;
}

#else

float power(float base, float exponent) {
  if (exponent == 0.0 || base == 1.0) {
    return 1.0;
  }
  if (exponent == 1.0) {
    return base;
  }
  if (exponent == 2.0) {
    return base * base;
  }
  if (exponent == 0.5) {
    return sqrt(base);
  }
  if (base == 0.0) {
    return exponent > 0.0 ? 0.0 : kInfinity;
  }
  float size = pow(abs(base), exponent);
  if (base > 0.0) {
    return size;
  }
  float whole = floor(exponent);
  if (whole != exponent) {
    return kNone;
  }
  return mod(whole, 2.0) == 0.0 ? size : -size;
}

// Half of the bits of a number; the others are what is left.
float upper(float v) {
  precise float scaled = 4097.0 * v;
  precise float rest = scaled - v;
  return scaled - rest;
}

// Whether the quotient was rounded up shows in what is left, which is exact in two parts, also where fma() rounds twice.
float floor_quotient(float u, float v) {
  float q = floor(u / v);
  precise float product = q * v;
  precise float q_upper = upper(q);
  precise float v_upper = upper(v);
  precise float q_lower = q - q_upper;
  precise float v_lower = v - v_upper;
  precise float lost = ((q_upper * v_upper - product) + q_upper * v_lower + q_lower * v_upper) + q_lower * v_lower;
  precise float rest = (u - product) - lost;
  return rest != 0.0 && (rest < 0.0) != (v < 0.0) ? q - 1.0 : q;
}

// A number that is none stays so, on either side.
float least(float u, float v) { return isnan(u) || u < v ? u : v; }
float greatest(float u, float v) { return isnan(u) || u > v ? u : v; }

float apply(float u, float v) {
  switch (OPERATOR) {
    case 0: return u + pf(2) * v;
    case 1: return u - pf(2) * v;
    case 2: return u * v;
    case 3: return u / v;
    case 4: return floor_quotient(u, v);
    case 5: return trunc(u / v);
    case 6: return power(u, v);
    case 7: return least(u, v);
    case 8: return greatest(u, v);
    case 9: return u - floor(u / v) * v;
    case 10: return u - trunc(u / v) * v;
    case 11: return pf(2) * v - u;
    case 15: return atan(u, v);
    case 16: return v / u;
    case 17: return power(v, u);
  }
  return 0.0;
}

#endif

void main() {
  int i = invocation();
  if (i >= p[0]) {
    return;
  }
  int at_a = i;
  int at_b = i;
  if (RANK > 0) {
    at_a = 0;
    at_b = 0;
    int rest = i;
    for (int d = RANK - 1; d >= 0; --d) {
      int index = rest % p[4 + d];
      rest /= p[4 + d];
      at_a += index * p[10 + d];
      at_b += index * p[16 + d];
    }
  }
  C right = NUMBER == 1 ? scalar_at(1) : C(READ(b, at_b));
  y[i] = R(apply(C(READ(a, at_a)), right));
}
