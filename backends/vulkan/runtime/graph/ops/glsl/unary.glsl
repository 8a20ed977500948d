// variants: float half int
// A function of one element. p: 0 elements, 1 to 3 constants of the function.
#include "common.glsl"

layout(constant_id = 3) const int OPERATOR = 0;

BUFFER_OUT(0, T, y);
BUFFER_IN(1, T, x);

#if defined(VARIANT_INT)

int apply(int v) {
  switch (OPERATOR) {
    case 0: return max(v, 0);
    case 1: return v < p[1] ? p[1] : (v > p[2] ? p[2] : v);
    case 2: return abs(v);
    case 3: return -v;
    case 4: return v == 0 ? 1 : 0;
    case 5: return sign(v);
    case 6: return ~v;
    case 7: return v != 0 ? 1 : 0;
  }
  return v;
}

#else

// Abramowitz and Stegun, 7.1.26: off by less than 1.5e-7.
float erf_of(float v) {
  float a = abs(v);
  float t = 1.0 / (1.0 + 0.3275911 * a);
  float s = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  float r = 1.0 - s * exp(-a * a);
  return isnan(v) ? v : (v < 0.0 ? -r : r);
}

// exp() of a large argument is infinite, and their quotient is not a number.
float tanh_of(float v) { return isnan(v) ? v : tanh(clamp(v, -15.0, 15.0)); }

float clamp_of(float v, float low, float high) { return v < low ? low : (v > high ? high : v); }

float sigmoid_of(float v) { return 1.0 / (1.0 + exp(-v)); }

float round_even(float v) { return roundEven(v); }

float apply(float v) {
  switch (OPERATOR) {
    case 0: return v < 0.0 ? 0.0 : v;
    case 1: return clamp_of(v, pf(1), pf(2));
    case 2: return abs(v);
    case 3: return -v;
    case 5: return sign(v);
    case 10: return sigmoid_of(v);
    case 11: return tanh_of(v);
    case 12: return 0.5 * v * (1.0 + erf_of(v * 0.70710678118654752));
    case 13: return 0.5 * v * (1.0 + tanh_of(0.79788456080286536 * (v + 0.044715 * v * v * v)));
    case 14: return v * sigmoid_of(v);
    case 15: return clamp_of(v + 3.0, 0.0, 6.0) / 6.0;
    case 16: return v * clamp_of(v + 3.0, 0.0, 6.0) / 6.0;
    case 17: return v < 0.0 ? v * pf(1) : v;
    case 18: return v < 0.0 ? pf(1) * (exp(v * pf(2)) - 1.0) : v;
    case 19: return exp(v);
    case 20: return log(v);
    case 21: return sqrt(v);
    case 22: return inversesqrt(v);
    case 23: return sin(v);
    case 24: return cos(v);
    case 25: return floor(v);
    case 26: return ceil(v);
    case 27: return round_even(v);
    case 28: return trunc(v);
    case 29: return 1.0 / v;
    case 30: return erf_of(v);
    case 31: return v * pf(1) > pf(2) ? v : log(1.0 + exp(v * pf(1))) / pf(1);
    case 32: return v * v;
    case 33: return abs(v) < 0.01 ? v - 0.5 * v * v + v * v * v / 3.0 : log(1.0 + v);
    case 34: return abs(v) < 0.01 ? v + 0.5 * v * v + v * v * v / 6.0 : exp(v) - 1.0;
    case 35: return tan(v);
    case 36: return atan(v);
    case 37: return v < pf(1) ? -kInfinity : v;
    case 38: return v > 0.0 ? pf(1) * v : pf(1) * pf(2) * (exp(v * pf(3)) - 1.0);
    case 39: return v * tanh_of(log(1.0 + exp(min(v, 20.0))) + max(v - 20.0, 0.0));
    case 40: return log2(v);
    // Of a quotient, since drivers may have the functions themselves with an error of 1/4096.
    case 41: return abs(v) > 1.0 ? kNone : atan(v, sqrt((1.0 - v) * (1.0 + v)));
    case 42: return abs(v) > 1.0 ? kNone : atan(sqrt((1.0 - v) * (1.0 + v)), v);
    case 43: return sinh(v);
    case 44: return cosh(v);
    case 45: return log2(v) * 0.30102999566398120;
    case 46: return v < 0.0 ? -log(sqrt(v * v + 1.0) - v) : log(v + sqrt(v * v + 1.0));
    case 47: return v < 1.0 ? kNone : log(v + sqrt(v * v - 1.0));
    case 49: return abs(v) <= pf(1) ? 0.0 : v;
    case 48: return abs(v) > 1.0 ? kNone : 0.5 * log((1.0 + v) / (1.0 - v));
  }
  return v;
}

#endif

void main() {
  int i = invocation();
  if (i < p[0]) {
    y[i] = T(apply(C(READ(x, i))));
  }
}
