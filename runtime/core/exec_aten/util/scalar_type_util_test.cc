#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

using executorch::aten::BFloat16;
using executorch::aten::Half;
using executorch::aten::ScalarType;
using executorch::runtime::canCast;
using executorch::runtime::CppTypeToScalarType;
using executorch::runtime::elementSize;
using executorch::runtime::Error;
using executorch::runtime::promoteTypes;
using executorch::runtime::ScalarTypeToCppType;
using executorch::runtime::toString;

namespace {

// What torch.promote_types and torch.can_cast of PyTorch 2.13 answer for rows x columns; "no" where
// there is no promotion.
// clang-format off
constexpr ScalarType u1 = ScalarType::Byte;
constexpr ScalarType i1 = ScalarType::Char;
constexpr ScalarType i2 = ScalarType::Short;
constexpr ScalarType i4 = ScalarType::Int;
constexpr ScalarType i8 = ScalarType::Long;
constexpr ScalarType f2 = ScalarType::Half;
constexpr ScalarType f4 = ScalarType::Float;
constexpr ScalarType f8 = ScalarType::Double;
constexpr ScalarType c2 = ScalarType::ComplexHalf;
constexpr ScalarType c4 = ScalarType::ComplexFloat;
constexpr ScalarType c8 = ScalarType::ComplexDouble;
constexpr ScalarType b1 = ScalarType::Bool;
constexpr ScalarType bf = ScalarType::BFloat16;
constexpr ScalarType q8 = ScalarType::Float8_e5m2;
constexpr ScalarType u2 = ScalarType::UInt16;
constexpr ScalarType u4 = ScalarType::UInt32;
constexpr ScalarType u8 = ScalarType::UInt64;
constexpr ScalarType no = ScalarType::Undefined;
constexpr ScalarType kTypes[] = {u1, i1, i2, i4, i8, f2, f4, f8, c2, c4, c8, b1, bf, q8, u2, u4, u8};
constexpr ScalarType kPromoted[][17] = {
    {u1, i2, i2, i4, i8, f2, f4, f8, c2, c4, c8, u1, bf, no, no, no, no},  // u1
    {i2, i1, i2, i4, i8, f2, f4, f8, c2, c4, c8, i1, bf, no, no, no, no},  // i1
    {i2, i2, i2, i4, i8, f2, f4, f8, c2, c4, c8, i2, bf, no, no, no, no},  // i2
    {i4, i4, i4, i4, i8, f2, f4, f8, c2, c4, c8, i4, bf, no, no, no, no},  // i4
    {i8, i8, i8, i8, i8, f2, f4, f8, c2, c4, c8, i8, bf, no, no, no, no},  // i8
    {f2, f2, f2, f2, f2, f2, f4, f8, c2, c4, c8, f2, f4, no, f2, f2, f2},  // f2
    {f4, f4, f4, f4, f4, f4, f4, f8, c4, c4, c8, f4, f4, no, f4, f4, f4},  // f4
    {f8, f8, f8, f8, f8, f8, f8, f8, c8, c8, c8, f8, f8, no, f8, f8, f8},  // f8
    {c2, c2, c2, c2, c2, c2, c4, c8, c2, c4, c8, c2, c4, no, no, no, no},  // c2
    {c4, c4, c4, c4, c4, c4, c4, c8, c4, c4, c8, c4, c4, no, no, no, no},  // c4
    {c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, no, no, no, no},  // c8
    {u1, i1, i2, i4, i8, f2, f4, f8, c2, c4, c8, b1, bf, no, no, no, no},  // b1
    {bf, bf, bf, bf, bf, f4, f4, f8, c4, c4, c8, bf, bf, no, bf, bf, bf},  // bf
    {no, no, no, no, no, no, no, no, no, no, no, no, no, q8, no, no, no},  // q8
    {no, no, no, no, no, f2, f4, f8, no, no, no, no, bf, no, u2, no, no},  // u2
    {no, no, no, no, no, f2, f4, f8, no, no, no, no, bf, no, no, u4, no},  // u4
    {no, no, no, no, no, f2, f4, f8, no, no, no, no, bf, no, no, no, u8},  // u8
};
constexpr bool kCastable[][17] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1},  // u1
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1},  // i1
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1},  // i2
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1},  // i4
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1},  // i8
    {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0},  // f2
    {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0},  // f4
    {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0},  // f8
    {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0},  // c2
    {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0},  // c4
    {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0},  // c8
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},  // b1
    {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0},  // bf
    {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0},  // q8
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1},  // u2
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1},  // u4
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1},  // u8
};
// clang-format on

TEST(ScalarTypeTest, PromotionAgreesWithPyTorch) {
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    for (size_t j = 0; j < std::size(kTypes); ++j) {
      EXPECT_EQ(promoteTypes(kTypes[i], kTypes[j]), kPromoted[i][j])
          << toString(kTypes[i]) << " with " << toString(kTypes[j]);
    }
  }
}

TEST(ScalarTypeTest, CastingAgreesWithPyTorch) {
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    for (size_t j = 0; j < std::size(kTypes); ++j) {
      EXPECT_EQ(canCast(kTypes[i], kTypes[j]), kCastable[i][j])
          << toString(kTypes[i]) << " to " << toString(kTypes[j]);
    }
  }
}

TEST(ScalarTypeTest, PromotionOfHalfToFloat) {
  EXPECT_EQ(promoteTypes(f2, f2, /*half_to_float=*/true), f4);
  EXPECT_EQ(promoteTypes(bf, i4, /*half_to_float=*/true), f4);
  EXPECT_EQ(promoteTypes(f2, f8, /*half_to_float=*/true), f8);
  EXPECT_EQ(promoteTypes(i4, i8, /*half_to_float=*/true), i8);
}

TEST(ScalarTypeTest, PromotionNeverAborts) {
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      const ScalarType result =
          promoteTypes(static_cast<ScalarType>(a), static_cast<ScalarType>(b));
      const bool both_valid = a >= 0 && a < 30 && b >= 0 && b < 30;
      EXPECT_TRUE(both_valid || result == ScalarType::Undefined) << a << " with " << b;
    }
  }
}

TEST(ScalarTypeTest, PromotionOfCppTypes) {
  using executorch::runtime::promote_types;
  static_assert(std::is_same<promote_types<int32_t, float>::type, float>::value, "");
  static_assert(std::is_same<promote_types<Half, BFloat16>::type, float>::value, "");
  static_assert(std::is_same<promote_types<Half, Half, true>::type, float>::value, "");
  static_assert(std::is_same<promote_types<uint8_t, int8_t>::type, int16_t>::value, "");
}

TEST(ScalarTypeTest, NumbersNamesAndSizes) {
  const struct {
    ScalarType type;
    int number;
    const char* name;
    size_t size;
  } kExpected[] = {
      {ScalarType::Byte, 0, "Byte", 1},
      {ScalarType::Char, 1, "Char", 1},
      {ScalarType::Short, 2, "Short", 2},
      {ScalarType::Int, 3, "Int", 4},
      {ScalarType::Long, 4, "Long", 8},
      {ScalarType::Half, 5, "Half", 2},
      {ScalarType::Float, 6, "Float", 4},
      {ScalarType::Double, 7, "Double", 8},
      {ScalarType::ComplexHalf, 8, "ComplexHalf", 4},
      {ScalarType::ComplexFloat, 9, "ComplexFloat", 8},
      {ScalarType::ComplexDouble, 10, "ComplexDouble", 16},
      {ScalarType::Bool, 11, "Bool", 1},
      {ScalarType::QInt8, 12, "QInt8", 1},
      {ScalarType::QUInt8, 13, "QUInt8", 1},
      {ScalarType::QInt32, 14, "QInt32", 4},
      {ScalarType::BFloat16, 15, "BFloat16", 2},
      {ScalarType::QUInt4x2, 16, "QUInt4x2", 1},
      {ScalarType::QUInt2x4, 17, "QUInt2x4", 1},
      {ScalarType::Bits1x8, 18, "Bits1x8", 1},
      {ScalarType::Bits2x4, 19, "Bits2x4", 1},
      {ScalarType::Bits4x2, 20, "Bits4x2", 1},
      {ScalarType::Bits8, 21, "Bits8", 1},
      {ScalarType::Bits16, 22, "Bits16", 2},
      {ScalarType::Float8_e5m2, 23, "Float8_e5m2", 1},
      {ScalarType::Float8_e4m3fn, 24, "Float8_e4m3fn", 1},
      {ScalarType::Float8_e5m2fnuz, 25, "Float8_e5m2fnuz", 1},
      {ScalarType::Float8_e4m3fnuz, 26, "Float8_e4m3fnuz", 1},
      {ScalarType::UInt16, 27, "UInt16", 2},
      {ScalarType::UInt32, 28, "UInt32", 4},
      {ScalarType::UInt64, 29, "UInt64", 8},
  };
  EXPECT_EQ(std::size(kExpected), 30u);
  for (const auto& expected : kExpected) {
    EXPECT_EQ(static_cast<int>(expected.type), expected.number);
    EXPECT_STREQ(toString(expected.type), expected.name);
    EXPECT_EQ(elementSize(expected.type), expected.size) << expected.name;
    EXPECT_TRUE(executorch::runtime::isValid(expected.type));
  }
  EXPECT_EQ(static_cast<int>(ScalarType::Undefined), 30);
  EXPECT_EQ(static_cast<int>(ScalarType::NumOptions), 31);
  EXPECT_STREQ(toString(ScalarType::Undefined), "Undefined");
  for (int number : {-128, -1, 31, 100}) {
    const ScalarType type = static_cast<ScalarType>(number);
    EXPECT_FALSE(executorch::runtime::isValid(type));
    EXPECT_STREQ(toString(type), "UNKNOWN_SCALAR");
  }
  EXPECT_FALSE(executorch::runtime::isValid(ScalarType::Undefined));
}

TEST(ScalarTypeDeathTest, WhatIsNoTypeHasNoSize) {
  for (const ScalarType type : {ScalarType::Undefined, static_cast<ScalarType>(-1)}) {
    EXPECT_DEATH((void)elementSize(type), "is no type of elements");
  }
}

/// The names of the types for which a predicate holds, in order.
template <typename Predicate>
std::string members(Predicate predicate) {
  std::string names;
  for (int number = -1; number < 32; ++number) {
    if (predicate(static_cast<ScalarType>(number))) {
      names += std::string(names.empty() ? "" : " ") + toString(static_cast<ScalarType>(number));
    }
  }
  return names;
}

TEST(ScalarTypeTest, Categories) {
  namespace rt = executorch::runtime;
  EXPECT_EQ(members([](ScalarType t) { return rt::isIntegralType(t, false); }),
            "Byte Char Short Int Long UInt16 UInt32 UInt64");
  EXPECT_EQ(members([](ScalarType t) { return rt::isIntegralType(t, true); }),
            "Byte Char Short Int Long Bool UInt16 UInt32 UInt64");
  EXPECT_EQ(members(rt::isFloatingType), "Half Float Double BFloat16");
  EXPECT_EQ(members(rt::isReducedFloatingType), "Half BFloat16");
  EXPECT_EQ(members(rt::isRealType), "Byte Char Short Int Long Float Double");
  EXPECT_EQ(members(rt::isRealHType), "Byte Char Short Int Long Half Float Double");
  EXPECT_EQ(members(rt::isRealHBType), "Byte Char Short Int Long Half Float Double Bool");
  EXPECT_EQ(members(rt::isRealHBF16Type), "Byte Char Short Int Long Half Float Double BFloat16");
  EXPECT_EQ(members(rt::isRealHBBF16Type),
            "Byte Char Short Int Long Half Float Double Bool BFloat16");
  EXPECT_EQ(members(rt::isComplexType), "ComplexHalf ComplexFloat ComplexDouble");
  EXPECT_EQ(members(rt::isBitsType), "Bits1x8 Bits2x4 Bits4x2 Bits8 Bits16");
  EXPECT_EQ(members(rt::isQIntType), "QInt8 QUInt8 QInt32 QUInt4x2 QUInt2x4");
  EXPECT_EQ(members(rt::isFloat8Type), "Float8_e5m2 Float8_e4m3fn Float8_e5m2fnuz Float8_e4m3fnuz");
  EXPECT_EQ(members(rt::isBarebonesUnsignedType), "UInt16 UInt32 UInt64");
  EXPECT_FALSE(rt::isSignedType(ScalarType::Byte));
  EXPECT_TRUE(rt::isSignedType(ScalarType::Char));
  EXPECT_TRUE(rt::isSignedType(ScalarType::ComplexHalf));
  EXPECT_FALSE(rt::isSignedType(ScalarType::Bool));
}

TEST(ScalarTypeTest, RelatedTypes) {
  namespace rt = executorch::runtime;
  EXPECT_EQ(rt::toQIntType(ScalarType::Byte), ScalarType::QUInt8);
  EXPECT_EQ(rt::toQIntType(ScalarType::Float), ScalarType::Float);
  EXPECT_EQ(rt::toUnderlying(ScalarType::QUInt4x2), ScalarType::Byte);
  EXPECT_TRUE(rt::isUnderlying(ScalarType::Char, ScalarType::QInt8));
  EXPECT_EQ(rt::toRealValueType(ScalarType::ComplexDouble), ScalarType::Double);
  EXPECT_EQ(rt::toComplexType(ScalarType::BFloat16), ScalarType::ComplexFloat);
  EXPECT_EQ(rt::toComplexType(ScalarType::Int), ScalarType::Undefined);
}

TEST(ScalarTypeTest, CppTypes) {
  static_assert(CppTypeToScalarType<float>::value == ScalarType::Float, "");
  static_assert(std::is_same<ScalarTypeToCppType<ScalarType::Int>::type, int32_t>::value, "");
#define CHECK_ROUND_TRIP(ctype, name)                                                              \
  static_assert(                                                                                   \
      CppTypeToScalarType<ScalarTypeToCppType<ScalarType::name>::type>::value == ScalarType::name, \
      #name);
  ET_FORALL_SCALAR_TYPES(CHECK_ROUND_TRIP)
#undef CHECK_ROUND_TRIP
  static_assert(executorch::runtime::is_integral_type<int8_t>::value, "");
  static_assert(!executorch::runtime::is_integral_type<bool>::value, "");
  static_assert(executorch::runtime::is_integral_type<bool, true>::value, "");
  static_assert(executorch::runtime::is_floating_type<Half>::value, "");
  static_assert(executorch::runtime::can_cast<int32_t, float>::value, "");
  static_assert(!executorch::runtime::can_cast<float, int32_t>::value, "");
  EXPECT_EQ((executorch::runtime::convert<int32_t, Half>(Half(3.5f))), 3);
  EXPECT_EQ((executorch::runtime::convert<double, float>(0.5f)), 0.5);
}

struct Context {
  Error error = Error::Ok;
  void fail(Error e) { error = e; }
};

TEST(ScalarTypeSwitchTest, RunsWithTheTypeOrFails) {
  Context ctx;
  size_t size = 0;
  ET_SWITCH_REAL_TYPES(ScalarType::Double, ctx, "op", CTYPE, [&]() { size = sizeof(CTYPE); });
  EXPECT_EQ(size, 8u);
  EXPECT_EQ(ctx.error, Error::Ok);
  size = 0;
  ET_SWITCH_REAL_TYPES(ScalarType::Bool, ctx, "op", CTYPE, [&]() { size = sizeof(CTYPE); });
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(ctx.error, Error::InvalidArgument);
}

/// The names of the types that a switch accepts.
#define ACCEPTED(SWITCH)                                                                  \
  members([](ScalarType t) {                                                              \
    Context ctx;                                                                          \
    bool ran = false;                                                                     \
    SWITCH(t, ctx, "op", CTYPE, [&]() { ran = CppTypeToScalarType<CTYPE>::value == t; }); \
    EXPECT_EQ(ran, ctx.error == Error::Ok);                                               \
    return ran;                                                                           \
  })
#define REAL_AND_BOOL(...) ET_SWITCH_REAL_TYPES_AND(Bool, __VA_ARGS__)
#define REAL_AND_TWO(...) ET_SWITCH_REAL_TYPES_AND2(Half, Bool, __VA_ARGS__)
#define REAL_AND_THREE(...) ET_SWITCH_REAL_TYPES_AND3(Half, Bool, BFloat16, __VA_ARGS__)
#define FLOAT_AND_HALF(...) ET_SWITCH_FLOAT_TYPES_AND(Half, __VA_ARGS__)
#define INT_AND_BOOL(...) ET_SWITCH_INT_TYPES_AND(Bool, __VA_ARGS__)
#define TWO(...) ET_SWITCH_TWO_TYPES(Int, Long, __VA_ARGS__)

TEST(ScalarTypeSwitchTest, SetsAreWhatTheirNamesSay) {
  EXPECT_EQ(ACCEPTED(ET_SWITCH_ALL_TYPES), members(executorch::runtime::isValid));
  EXPECT_EQ(ACCEPTED(ET_SWITCH_INT_TYPES), "Byte Char Short Int Long");
  EXPECT_EQ(ACCEPTED(ET_SWITCH_UINT_TYPES), "UInt16 UInt32 UInt64");
  EXPECT_EQ(ACCEPTED(ET_SWITCH_FLOAT_TYPES), "Float Double");
  EXPECT_EQ(ACCEPTED(ET_SWITCH_FLOATH_TYPES), "Half Float Double");
  EXPECT_EQ(ACCEPTED(ET_SWITCH_FLOATHBF16_TYPES), "Half Float Double BFloat16");
  EXPECT_EQ(ACCEPTED(ET_SWITCH_REAL_TYPES), members(executorch::runtime::isRealType));
  EXPECT_EQ(ACCEPTED(ET_SWITCH_REALH_TYPES), members(executorch::runtime::isRealHType));
  EXPECT_EQ(ACCEPTED(ET_SWITCH_REALHB_TYPES), members(executorch::runtime::isRealHBType));
  EXPECT_EQ(ACCEPTED(ET_SWITCH_REALHBF16_TYPES), members(executorch::runtime::isRealHBF16Type));
  EXPECT_EQ(ACCEPTED(ET_SWITCH_REALHBBF16_TYPES), members(executorch::runtime::isRealHBBF16Type));
  EXPECT_EQ(ACCEPTED(ET_SWITCH_COMPLEXH_TYPES), members(executorch::runtime::isComplexType));
  EXPECT_EQ(ACCEPTED(ET_SWITCH_COMPLEX_TYPES), "ComplexFloat ComplexDouble");
  EXPECT_EQ(ACCEPTED(ET_SWITCH_QINT_TYPES), members(executorch::runtime::isQIntType));
  EXPECT_EQ(ACCEPTED(ET_SWITCH_SCALAR_OBJ_TYPES), "Long Double Bool");
  EXPECT_EQ(ACCEPTED(ET_SWITCH_SCALAR_OBJ_REAL_TYPES), "Long Double");
  EXPECT_EQ(ACCEPTED(REAL_AND_BOOL), "Byte Char Short Int Long Float Double Bool");
  EXPECT_EQ(ACCEPTED(REAL_AND_TWO), members(executorch::runtime::isRealHBType));
  EXPECT_EQ(ACCEPTED(REAL_AND_THREE), members(executorch::runtime::isRealHBBF16Type));
  EXPECT_EQ(ACCEPTED(FLOAT_AND_HALF), "Half Float Double");
  EXPECT_EQ(ACCEPTED(INT_AND_BOOL), "Byte Char Short Int Long Bool");
  EXPECT_EQ(ACCEPTED(TWO), "Int Long");
}

}  // namespace
