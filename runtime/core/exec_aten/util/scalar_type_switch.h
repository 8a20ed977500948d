/// @file
/// ET_SWITCH_...: run code with a C++ type that is chosen by a ScalarType at run time.
///
///   ET_SWITCH_REAL_TYPES(tensor.scalar_type(), ctx, "my_op.out", CTYPE, [&]() {
///     CTYPE* data = tensor.mutable_data_ptr<CTYPE>();
///   });
///
/// A type outside the named set is logged and given to `ctx.fail(Error::InvalidArgument)`; the code
/// does not run. `ctx` is usually the KernelRuntimeContext. The code is a lambda that returns
/// nothing. The letters in the names: H adds Half, BF16 adds BFloat16, a second B adds Bool.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_forall.h>
#include <executorch/runtime/platform/log.h>

#define ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME, ...)                   \
  [&] {                                                                \
    const auto et_switch_type_ = (TYPE);                               \
    constexpr const char* et_switch_name = NAME;                       \
    switch (et_switch_type_) {                                         \
      __VA_ARGS__                                                      \
      default:                                                         \
        ET_LOG(Error, "%s does not take dtype %s", et_switch_name,     \
               ::executorch::runtime::toString(et_switch_type_));      \
        (CONTEXT).fail(::executorch::runtime::Error::InvalidArgument); \
    }                                                                  \
  }()

/// One case of ET_INTERNAL_SWITCH.
#define ET_INTERNAL_SWITCH_CASE(enum_type, CTYPE_ALIAS, ...)                         \
  case enum_type: {                                                                  \
    using CTYPE_ALIAS = ::executorch::runtime::ScalarTypeToCppType<enum_type>::type; \
    return __VA_ARGS__();                                                            \
  }

#define ET_INTERNAL_CASE(NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::NAME, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_INT_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(Byte, CTYPE_ALIAS, __VA_ARGS__)          \
  ET_INTERNAL_CASE(Char, CTYPE_ALIAS, __VA_ARGS__)          \
  ET_INTERNAL_CASE(Short, CTYPE_ALIAS, __VA_ARGS__)         \
  ET_INTERNAL_CASE(Int, CTYPE_ALIAS, __VA_ARGS__)           \
  ET_INTERNAL_CASE(Long, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_UINT_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(UInt16, CTYPE_ALIAS, __VA_ARGS__)         \
  ET_INTERNAL_CASE(UInt32, CTYPE_ALIAS, __VA_ARGS__)         \
  ET_INTERNAL_CASE(UInt64, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(Float, CTYPE_ALIAS, __VA_ARGS__)           \
  ET_INTERNAL_CASE(Double, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_FLOATH_TYPES(CTYPE_ALIAS, ...)  \
  ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_CASE(Half, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_FLOATHBF16_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH_CASE_FLOATH_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
  ET_INTERNAL_CASE(BFloat16, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, ...)  \
  ET_INTERNAL_SWITCH_CASE_INT_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_INT_TYPES_AND(ADDITIONAL, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH_CASE_INT_TYPES(CTYPE_ALIAS, __VA_ARGS__)               \
  ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES_AND(ADDITIONAL, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__)               \
  ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES_AND(ADDITIONAL1, CTYPE_ALIAS, __VA_ARGS__)             \
  ET_INTERNAL_CASE(ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES_AND3(ADDITIONAL1, ADDITIONAL2, ADDITIONAL3,        \
                                                 CTYPE_ALIAS, ...)                             \
  ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_CASE(ADDITIONAL3, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_REAL_TYPES_AND(ADDITIONAL, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__)               \
  ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_REAL_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH_CASE_REAL_TYPES_AND(ADDITIONAL1, CTYPE_ALIAS, __VA_ARGS__)             \
  ET_INTERNAL_CASE(ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_REAL_TYPES_AND3(ADDITIONAL1, ADDITIONAL2, ADDITIONAL3,        \
                                                CTYPE_ALIAS, ...)                             \
  ET_INTERNAL_SWITCH_CASE_REAL_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_CASE(ADDITIONAL3, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_REALH_TYPES(CTYPE_ALIAS, ...)  \
  ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_CASE(Half, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_REALB_TYPES(CTYPE_ALIAS, ...)  \
  ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_CASE(Bool, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_REALHB_TYPES(CTYPE_ALIAS, ...)  \
  ET_INTERNAL_SWITCH_CASE_REALH_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_CASE(Bool, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_REALHBF16_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH_CASE_REALH_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
  ET_INTERNAL_CASE(BFloat16, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_REALHBBF16_TYPES(CTYPE_ALIAS, ...)  \
  ET_INTERNAL_SWITCH_CASE_REALHBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_CASE(Bool, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_COMPLEX_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(ComplexFloat, CTYPE_ALIAS, __VA_ARGS__)      \
  ET_INTERNAL_CASE(ComplexDouble, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_COMPLEXH_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(ComplexHalf, CTYPE_ALIAS, __VA_ARGS__)        \
  ET_INTERNAL_SWITCH_CASE_COMPLEX_TYPES(CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_QINT_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(QInt8, CTYPE_ALIAS, __VA_ARGS__)          \
  ET_INTERNAL_CASE(QUInt8, CTYPE_ALIAS, __VA_ARGS__)         \
  ET_INTERNAL_CASE(QInt32, CTYPE_ALIAS, __VA_ARGS__)         \
  ET_INTERNAL_CASE(QUInt4x2, CTYPE_ALIAS, __VA_ARGS__)       \
  ET_INTERNAL_CASE(QUInt2x4, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_BITS_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(Bits1x8, CTYPE_ALIAS, __VA_ARGS__)        \
  ET_INTERNAL_CASE(Bits2x4, CTYPE_ALIAS, __VA_ARGS__)        \
  ET_INTERNAL_CASE(Bits4x2, CTYPE_ALIAS, __VA_ARGS__)        \
  ET_INTERNAL_CASE(Bits8, CTYPE_ALIAS, __VA_ARGS__)          \
  ET_INTERNAL_CASE(Bits16, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_FLOAT8_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(Float8_e5m2, CTYPE_ALIAS, __VA_ARGS__)      \
  ET_INTERNAL_CASE(Float8_e4m3fn, CTYPE_ALIAS, __VA_ARGS__)    \
  ET_INTERNAL_CASE(Float8_e5m2fnuz, CTYPE_ALIAS, __VA_ARGS__)  \
  ET_INTERNAL_CASE(Float8_e4m3fnuz, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_ALL_TYPES(CTYPE_ALIAS, ...)          \
  ET_INTERNAL_SWITCH_CASE_REALHBBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE_UINT_TYPES(CTYPE_ALIAS, __VA_ARGS__)       \
  ET_INTERNAL_SWITCH_CASE_COMPLEXH_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
  ET_INTERNAL_SWITCH_CASE_QINT_TYPES(CTYPE_ALIAS, __VA_ARGS__)       \
  ET_INTERNAL_SWITCH_CASE_BITS_TYPES(CTYPE_ALIAS, __VA_ARGS__)       \
  ET_INTERNAL_SWITCH_CASE_FLOAT8_TYPES(CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_REAL_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(Long, CTYPE_ALIAS, __VA_ARGS__)                      \
  ET_INTERNAL_CASE(Double, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_INTB_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(Bool, CTYPE_ALIAS, __VA_ARGS__)                      \
  ET_INTERNAL_CASE(Long, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_FLOATB_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(Bool, CTYPE_ALIAS, __VA_ARGS__)                        \
  ET_INTERNAL_CASE(Double, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_TYPES(CTYPE_ALIAS, ...) \
  ET_INTERNAL_CASE(Bool, CTYPE_ALIAS, __VA_ARGS__)                 \
  ET_INTERNAL_CASE(Long, CTYPE_ALIAS, __VA_ARGS__)                 \
  ET_INTERNAL_CASE(Double, CTYPE_ALIAS, __VA_ARGS__)

#define ET_SWITCH_ALL_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                          \
                     ET_INTERNAL_SWITCH_CASE_ALL_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_INT_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                          \
                     ET_INTERNAL_SWITCH_CASE_INT_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_UINT_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                           \
                     ET_INTERNAL_SWITCH_CASE_UINT_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOAT_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                            \
                     ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOATH_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                             \
                     ET_INTERNAL_SWITCH_CASE_FLOATH_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOATHBF16_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                 \
                     ET_INTERNAL_SWITCH_CASE_FLOATHBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REAL_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                           \
                     ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALH_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                            \
                     ET_INTERNAL_SWITCH_CASE_REALH_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALB_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                            \
                     ET_INTERNAL_SWITCH_CASE_REALB_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALHB_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                             \
                     ET_INTERNAL_SWITCH_CASE_REALHB_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALHBF16_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                \
                     ET_INTERNAL_SWITCH_CASE_REALHBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALHBBF16_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                 \
                     ET_INTERNAL_SWITCH_CASE_REALHBBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_COMPLEX_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                              \
                     ET_INTERNAL_SWITCH_CASE_COMPLEX_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_COMPLEXH_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                               \
                     ET_INTERNAL_SWITCH_CASE_COMPLEXH_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_QINT_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                           \
                     ET_INTERNAL_SWITCH_CASE_QINT_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_INT_TYPES_AND(ADDITIONAL, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                          \
                     ET_INTERNAL_SWITCH_CASE_INT_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
                         ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOAT_TYPES_AND(ADDITIONAL, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                            \
                     ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
                         ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOATH_TYPES_AND(ADDITIONAL, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                             \
                     ET_INTERNAL_SWITCH_CASE_FLOATH_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
                         ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOATHBF16_TYPES_AND(ADDITIONAL, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                                 \
                     ET_INTERNAL_SWITCH_CASE_FLOATHBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
                         ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALH_TYPES_AND(ADDITIONAL, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                            \
                     ET_INTERNAL_SWITCH_CASE_REALH_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
                         ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALHBF16_TYPES_AND(ADDITIONAL, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                                \
                     ET_INTERNAL_SWITCH_CASE_REALHBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
                         ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALHBBF16_TYPES_AND(ADDITIONAL, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                                 \
                     ET_INTERNAL_SWITCH_CASE_REALHBBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
                         ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_COMPLEXH_TYPES_AND(ADDITIONAL, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                               \
                     ET_INTERNAL_SWITCH_CASE_COMPLEXH_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
                         ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__))

/// ADDITIONAL is an enumerator's name, e.g. Bool.
#define ET_SWITCH_REAL_TYPES_AND(ADDITIONAL, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                           \
                     ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
                         ET_INTERNAL_CASE(ADDITIONAL, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REAL_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                                          \
                     ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__)                  \
                         ET_INTERNAL_CASE(ADDITIONAL1, CTYPE_ALIAS, __VA_ARGS__)                   \
                             ET_INTERNAL_CASE(ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REAL_TYPES_AND3(ADDITIONAL1, ADDITIONAL2, ADDITIONAL3, TYPE, CONTEXT, NAME, \
                                  CTYPE_ALIAS, ...)                                           \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                                     \
                     ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__)             \
                         ET_INTERNAL_CASE(ADDITIONAL1, CTYPE_ALIAS, __VA_ARGS__)              \
                             ET_INTERNAL_CASE(ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__)          \
                                 ET_INTERNAL_CASE(ADDITIONAL3, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_INT_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                                         \
                     ET_INTERNAL_SWITCH_CASE_INT_TYPES(CTYPE_ALIAS, __VA_ARGS__)                  \
                         ET_INTERNAL_CASE(ADDITIONAL1, CTYPE_ALIAS, __VA_ARGS__)                  \
                             ET_INTERNAL_CASE(ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOAT_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, TYPE, CONTEXT, NAME, CTYPE_ALIAS, \
                                   ...)                                                        \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                                      \
                     ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__)             \
                         ET_INTERNAL_CASE(ADDITIONAL1, CTYPE_ALIAS, __VA_ARGS__)               \
                             ET_INTERNAL_CASE(ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOAT_TYPES_AND3(ADDITIONAL1, ADDITIONAL2, ADDITIONAL3, TYPE, CONTEXT, NAME, \
                                   CTYPE_ALIAS, ...)                                           \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                                      \
                     ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__)             \
                         ET_INTERNAL_CASE(ADDITIONAL1, CTYPE_ALIAS, __VA_ARGS__)               \
                             ET_INTERNAL_CASE(ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__)           \
                                 ET_INTERNAL_CASE(ADDITIONAL3, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALH_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, TYPE, CONTEXT, NAME, CTYPE_ALIAS, \
                                   ...)                                                        \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                                      \
                     ET_INTERNAL_SWITCH_CASE_REALH_TYPES(CTYPE_ALIAS, __VA_ARGS__)             \
                         ET_INTERNAL_CASE(ADDITIONAL1, CTYPE_ALIAS, __VA_ARGS__)               \
                             ET_INTERNAL_CASE(ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALHBF16_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, TYPE, CONTEXT, NAME, CTYPE_ALIAS, \
                                       ...)                                                        \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                                          \
                     ET_INTERNAL_SWITCH_CASE_REALHBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__)             \
                         ET_INTERNAL_CASE(ADDITIONAL1, CTYPE_ALIAS, __VA_ARGS__)                   \
                             ET_INTERNAL_CASE(ADDITIONAL2, CTYPE_ALIAS, __VA_ARGS__))

/// The set and UInt16, UInt32, UInt64.
#define ET_SWITCH_REALHBBF16_AND_UINT_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)      \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                               \
                     ET_INTERNAL_SWITCH_CASE_REALHBBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
                         ET_INTERNAL_SWITCH_CASE_UINT_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_COMPLEXH_REALHBBF16_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)    \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                             \
                     ET_INTERNAL_SWITCH_CASE_COMPLEXH_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
                         ET_INTERNAL_SWITCH_CASE_REALHBBF16_TYPES(CTYPE_ALIAS, __VA_ARGS__))

/// For the type of a Scalar.
#define ET_SWITCH_SCALAR_OBJ_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                 \
                     ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_SCALAR_OBJ_REAL_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                      \
                     ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_SCALAR_OBJ_INTB_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                      \
                     ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_INTB_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_SCALAR_OBJ_FLOATB_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                        \
                     ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_FLOATB_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_ONE_TYPE(T1, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME, ET_INTERNAL_CASE(T1, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_TWO_TYPES(T1, T2, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                  \
                     ET_INTERNAL_CASE(T1, CTYPE_ALIAS, __VA_ARGS__)        \
                         ET_INTERNAL_CASE(T2, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_THREE_TYPES(T1, T2, T3, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                        \
                     ET_INTERNAL_CASE(T1, CTYPE_ALIAS, __VA_ARGS__)              \
                         ET_INTERNAL_CASE(T2, CTYPE_ALIAS, __VA_ARGS__)          \
                             ET_INTERNAL_CASE(T3, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FOUR_TYPES(T1, T2, T3, T4, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                           \
                     ET_INTERNAL_CASE(T1, CTYPE_ALIAS, __VA_ARGS__)                 \
                         ET_INTERNAL_CASE(T2, CTYPE_ALIAS, __VA_ARGS__)             \
                             ET_INTERNAL_CASE(T3, CTYPE_ALIAS, __VA_ARGS__)         \
                                 ET_INTERNAL_CASE(T4, CTYPE_ALIAS, __VA_ARGS__))
