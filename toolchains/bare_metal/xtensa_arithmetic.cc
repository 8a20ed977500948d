// What compiled code calls for arithmetic that the LX106 has in ROM and Debian's libgcc therefore
// leaves out.
#include <cstdint>

#include <executorch/toolchains/bare_metal/soft_float.h>

namespace {

using soft_float::Double;
using soft_float::Single;

constexpr uint32_t kSignedLargest = 0x7fffffff;

template <typename To, typename From>
To as(From value) {
  union {
    From from;
    To to;
  } both{value};
  return both.to;
}

uint32_t bits(float value) { return as<uint32_t>(value); }
uint64_t bits(double value) { return as<uint64_t>(value); }
float number(uint32_t value) { return as<float>(value); }
double number(uint64_t value) { return as<double>(value); }

template <typename F>
int32_t to_signed(typename F::Bits value) {
  const bool negative = (value & F::kSign) != 0;
  const auto size = static_cast<uint32_t>(
      soft_float::to_integer<F>(value, kSignedLargest + (negative ? 1u : 0u)));
  return static_cast<int32_t>(negative ? 0u - size : size);
}

template <typename F>
typename F::Bits from_signed(int32_t value) {
  const bool negative = value < 0;
  const auto size = static_cast<uint32_t>(value);
  return soft_float::from_integer<F>(negative, negative ? 0u - size : size);
}

template <typename T, typename U>
T divide_signed(T a, T b) {
  const U quotient =
      soft_float::divide_unsigned<U>(a < 0 ? U{0} - static_cast<U>(a) : static_cast<U>(a),
                                     b < 0 ? U{0} - static_cast<U>(b) : static_cast<U>(b))
          .quotient;
  return static_cast<T>((a < 0) != (b < 0) ? U{0} - quotient : quotient);
}

}  // namespace

extern "C" {

float __addsf3(float a, float b) { return number(soft_float::add<Single>(bits(a), bits(b))); }
float __subsf3(float a, float b) {
  return number(soft_float::add<Single>(bits(a), bits(b) ^ Single::kSign));
}
float __mulsf3(float a, float b) { return number(soft_float::multiply<Single>(bits(a), bits(b))); }
double __adddf3(double a, double b) { return number(soft_float::add<Double>(bits(a), bits(b))); }
double __subdf3(double a, double b) {
  return number(soft_float::add<Double>(bits(a), bits(b) ^ Double::kSign));
}
double __muldf3(double a, double b) {
  return number(soft_float::multiply<Double>(bits(a), bits(b)));
}
double __divdf3(double a, double b) { return number(soft_float::divide<Double>(bits(a), bits(b))); }

double __extendsfdf2(float value) {
  return number(soft_float::convert<Double, Single>(bits(value)));
}
float __truncdfsf2(double value) {
  return number(soft_float::convert<Single, Double>(bits(value)));
}
float __floatsisf(int32_t value) { return number(from_signed<Single>(value)); }
double __floatsidf(int32_t value) { return number(from_signed<Double>(value)); }
float __floatunsisf(uint32_t value) {
  return number(soft_float::from_integer<Single>(false, value));
}
double __floatunsidf(uint32_t value) {
  return number(soft_float::from_integer<Double>(false, value));
}
int32_t __fixdfsi(double value) { return to_signed<Double>(bits(value)); }
uint32_t __fixunssfsi(float value) {
  return static_cast<uint32_t>(soft_float::to_integer<Single>(bits(value), UINT32_MAX));
}
uint32_t __fixunsdfsi(double value) {
  return static_cast<uint32_t>(soft_float::to_integer<Double>(bits(value), UINT32_MAX));
}

uint64_t __umulsidi3(uint32_t a, uint32_t b) { return soft_float::multiply_32(a, b); }
int64_t __muldi3(int64_t a, int64_t b) {
  const auto a0 = static_cast<uint32_t>(a);
  const auto b0 = static_cast<uint32_t>(b);
  const uint32_t cross = static_cast<uint32_t>(static_cast<uint64_t>(a) >> 32) * b0 +
                         static_cast<uint32_t>(static_cast<uint64_t>(b) >> 32) * a0;
  return static_cast<int64_t>(soft_float::multiply_32(a0, b0) + (uint64_t{cross} << 32));
}
uint32_t __udivsi3(uint32_t a, uint32_t b) { return soft_float::divide_unsigned(a, b).quotient; }
uint32_t __umodsi3(uint32_t a, uint32_t b) { return soft_float::divide_unsigned(a, b).remainder; }
int32_t __divsi3(int32_t a, int32_t b) { return divide_signed<int32_t, uint32_t>(a, b); }
uint64_t __udivdi3(uint64_t a, uint64_t b) { return soft_float::divide_unsigned(a, b).quotient; }
uint64_t __umoddi3(uint64_t a, uint64_t b) { return soft_float::divide_unsigned(a, b).remainder; }
int64_t __divdi3(int64_t a, int64_t b) { return divide_signed<int64_t, uint64_t>(a, b); }
}
